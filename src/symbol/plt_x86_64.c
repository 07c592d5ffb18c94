/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plt_x86_64.c - reads the code of PLT entries instead of assuming their order.
 *
 * An entry either jumps through its GOT slot (ff 25 disp32, "jmp *disp(%rip)"), and the relocation of that slot names the
 * function; or, in the .plt of a file built for indirect branch tracking, it only pushes the index of its relocation in
 * .rela.plt (68 imm32). That covers GNU ld, gold and lld, with and without bnd and endbr64 prefixes (x86-64 psABI, 5.2).
 */
#include "config.h"

#include "symbol/plt.h"

#include <stdlib.h>
#include <string.h>

#define PLT_MAX (64u << 20)
#define RELOCS_MAX (256u << 20)

struct slot {
	uint64_t got;            /* virtual address of the GOT slot */
	uint32_t sym;
};

struct relocs {
	struct slot *by_got;     /* sorted */
	size_t n;
	uint32_t *by_index;      /* symbols of .rela.plt in file order */
	size_t nr_index;
};

static int cmp_slot(const void *va, const void *vb)
{
	const struct slot *a = va, *b = vb;

	return (a->got > b->got) - (a->got < b->got);
}

/* Appends the slots that section NAME relocates; IN_ORDER also keeps their order. */
static void read_relocs(const struct elf_file *f, const char *name, struct relocs *r, bool in_order)
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
		if (sym && (ELF64_R_TYPE(rela.r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(rela.r_info) == R_X86_64_GLOB_DAT))
			r->by_got[r->n++] = (struct slot){ .got = rela.r_offset, .sym = sym };
	}
}

/* The symbol that the LEN bytes of code at P, which run at VADDR, jump to; 0 when they cannot be told. */
static uint32_t entry_symbol(const struct relocs *r, const uint8_t *p, size_t len, uint64_t vaddr)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		struct slot key = { 0 };
		const struct slot *found;
		int32_t disp;

		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&disp, p + i + 2, sizeof(disp));
		key.got = vaddr + i + 6 + (uint64_t)(int64_t)disp;
		found = r->n ? bsearch(&key, r->by_got, r->n, sizeof(key), cmp_slot) : NULL;
		return found ? found->sym : 0;
	}
	for (size_t i = 0; i + 5 <= len && i <= 4; i++) {
		uint32_t index;

		if (p[i] != 0x68)
			continue;
		memcpy(&index, p + i + 1, sizeof(index));
		return index < r->nr_index ? r->by_index[index] : 0;
	}
	return 0;
}

static void read_plt(const struct elf_file *f, const char *name, const struct relocs *r, plt_fn *each, void *ctx)
{
	const Elf64_Shdr *sh = elf_file_section(f, name);
	AUTO_FREE uint8_t *code = NULL;
	struct elf_bytes bytes;
	uint32_t step;

	if (!sh || !elf_file_bytes(f, sh, PLT_MAX, &bytes))
		return;
	code = bytes.data;
	step = sh->sh_entsize == 8 ? 8 : 16;
	for (size_t at = 0; at + step <= bytes.len; at += step) {
		const uint32_t sym = entry_symbol(r, code + at, step, sh->sh_addr + at);

		if (sym)
			each(ctx, sh->sh_addr + at, step, sym);
	}
}

void plt_x86_64(const struct elf_file *f, plt_fn *each, void *ctx)
{
	struct relocs r = { 0 };

	if (f->eh.e_machine != EM_X86_64)
		return;
	read_relocs(f, ".rela.plt", &r, true);
	read_relocs(f, ".rela.dyn", &r, false);
	if (r.n)
		qsort(r.by_got, r.n, sizeof(*r.by_got), cmp_slot);
	read_plt(f, ".plt", &r, each, ctx);
	read_plt(f, ".plt.sec", &r, each, ctx);
	read_plt(f, ".plt.got", &r, each, ctx);
	free(r.by_got);
	free(r.by_index);
}
