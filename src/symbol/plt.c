// SPDX-License-Identifier: BSD-2-Clause
/* plt.c - the relocations of a file's GOT, and its tables, whose code plt_*.c reads. */
#include "config.h"

#include "symbol/plt.h"

#include "base/order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLT_MAX (64u << 20)
#define RELOCS_MAX (256u << 20)

/* How tables of a machine are read. */
struct plt_machine {
	uint16_t machine;                /* ELF e_machine */
	uint32_t jump_slot, glob_dat;    /* types of relocations of slots */
	void (*read)(const struct plt_table *t);
};

struct slot {
	uint64_t got;            /* virtual address of the GOT slot */
	uint32_t sym;
};

struct plt_relocs {
	struct slot *by_got;     /* sorted */
	size_t n;
	uint32_t *by_index;      /* symbols of .rela.plt in file order */
	size_t nr_index;
};

static const struct plt_machine *plt_machine_of(uint16_t machine)
{
	static const struct plt_machine machines[] = {
		{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, plt_read_x86_64 },
		{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, plt_read_aarch64 },
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

static int cmp_slot(const void *va, const void *vb)
{
	const struct slot *a = va, *b = vb;

	return compare_numbers(a->got, b->got);
}

/* Appends the slots that section NAME relocates; IN_ORDER also keeps their order. */
static void read_relocs(const struct elf_file *f, const struct plt_machine *m, const char *name,
			struct plt_relocs *r, bool in_order)
{
	const Elf64_Shdr *sh = elf_file_section(f, name);
	AUTO_FREE uint8_t *data = NULL;
	struct elf_bytes bytes;
	struct slot *more;
	size_t n;

	if (!sh || !elf_file_bytes(f, sh, RELOCS_MAX, &bytes))
		return;
	data = bytes.data;
	n = bytes.len / sizeof(Elf64_Rela);
	more = realloc(r->by_got, (r->n + n + 1) * sizeof(*more));
	if (!more)
		return;
	r->by_got = more;
	if (in_order)
		r->by_index = calloc(n + 1, sizeof(*r->by_index));
	for (size_t i = 0; i < n; i++) {
		Elf64_Rela rela;
		uint32_t sym;

		memcpy(&rela, data + i * sizeof(rela), sizeof(rela));
		sym = ELF64_R_SYM(rela.r_info);
		if (in_order && r->by_index)
			r->by_index[r->nr_index++] = sym;
		if (sym && (ELF64_R_TYPE(rela.r_info) == m->jump_slot || ELF64_R_TYPE(rela.r_info) == m->glob_dat))
			r->by_got[r->n++] = (struct slot){ .got = rela.r_offset, .sym = sym };
	}
}

uint32_t plt_symbol_of_slot(const struct plt_relocs *r, uint64_t got)
{
	const struct slot key = { .got = got };
	const struct slot *found = r->n ? bsearch(&key, r->by_got, r->n, sizeof(key), cmp_slot) : NULL;

	return found ? found->sym : 0;
}

uint32_t plt_symbol_of_index(const struct plt_relocs *r, uint32_t index)
{
	return index < r->nr_index ? r->by_index[index] : 0;
}

static void read_plt(const struct elf_file *f, const struct plt_machine *m, const char *name,
		     const struct plt_relocs *r, plt_fn *each, void *ctx)
{
	const Elf64_Shdr *sh = elf_file_section(f, name);
	struct plt_table t = { .relocs = r, .each = each, .ctx = ctx };
	AUTO_FREE uint8_t *code = NULL;
	struct elf_bytes bytes;

	if (!sh || !elf_file_bytes(f, sh, PLT_MAX, &bytes))
		return;
	t.code = code = bytes.data;
	t.len = bytes.len;
	t.vaddr = sh->sh_addr;
	t.entry_size = sh->sh_entsize;
	m->read(&t);
}

void plt_entries(const struct elf_file *f, plt_fn *each, void *ctx)
{
	const struct plt_machine *m = plt_machine_of(f->eh.e_machine);
	struct plt_relocs r = { 0 };

	if (!m)
		return;
	read_relocs(f, m, ".rela.plt", &r, true);
	read_relocs(f, m, ".rela.dyn", &r, false);
	if (r.n)
		qsort(r.by_got, r.n, sizeof(*r.by_got), cmp_slot);
	read_plt(f, m, ".plt", &r, each, ctx);
	read_plt(f, m, ".plt.sec", &r, each, ctx);
	read_plt(f, m, ".plt.got", &r, each, ctx);
	free(r.by_got);
	free(r.by_index);
}
