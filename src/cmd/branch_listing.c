/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_listing.c - see branch_listing.h. */
#include "config.h"

#include "cmd/branch_listing.h"

#include "annotate/disasm.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/branch_names.h"
#include "cmd/clean.h"
#include "symbol/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES_MAX (1u << 20)

struct listing_at {
	const struct branch_show *show;
	const struct probe_code *code;
	const struct branch_sum *sum;
	size_t sums;
	int fd;                  /* of its file; -1 = it is of the kernel */
	struct elf_file *elf;
	const struct bpfcode *program;   /* it is of a BPF program; NULL */
	struct disasm *disasm;
	uint32_t line;           /* that was written last */
};

/* Whether S is in the code of L: records of the CPU know the kernel's addresses alone, also of BPF programs. */
static bool listing_has(const struct listing_at *l, const struct branch_sum *s)
{
	return s->space == BRANCH_SPACE(l->code->probe, l->code->first) || (!l->elf && s->space == BRANCH_KERNEL);
}

/* How often the branch at ADDRESS was taken, and not. */
static void listing_put_counts(const struct listing_at *l, uint64_t address)
{
	uint64_t hits[2] = { 0, 0 };
	char taken[UNITS_MAX], passed[UNITS_MAX];

	for (size_t i = 0; i < l->sums; i++)
		if (l->sum[i].from == address && listing_has(l, &l->sum[i]))
			hits[l->sum[i].how == BRANCH_PASSED] += l->sum[i].hits[SIDE_OTHER] + l->sum[i].hits[SIDE_MEETS];
	if (hits[0] || hits[1])
		fprintf(l->show->out, "%10s %10s", units_thousands(taken, hits[0]), units_thousands(passed, hits[1]));
	else
		fprintf(l->show->out, "%21s", "");
}

static void listing_put_source(struct listing_at *l, uint64_t address)
{
	struct branch_place p = { .function = "" };
	char text[SHOW_SOURCE_MAX];

	l->show->name(l->show->ctx, BRANCH_SPACE(l->code->probe, l->code->first), address, &p);
	if (!p.n || !p.at[0].line || p.at[0].line == l->line)
		return;
	l->line = p.at[0].line;
	fprintf(l->show->out, "%24s%" PRIu32 "%s", "line ", l->line, p.n > 1 ? " of " : "");
	if (p.n > 1)
		print_clean(l->show->out, p.at[0].name);
	if (l->show->source && l->show->source(l->show->ctx, &p.at[0], text))
		fprintf(l->show->out, " | %s", text + strspn(text, " \t"));
	fputc('\n', l->show->out);
}

/* The code of B to *RET, which is the caller's, of a file; NULL when it cannot be read. */
static const uint8_t *listing_code(const struct listing_at *l, const struct code_block *b, uint8_t **ret)
{
	const struct bpfcode_function *f = l->program ? bpfcode_find(l->program, b->vaddr) : NULL;
	uint64_t offset;

	if (f)
		return b->size <= f->size - (b->vaddr - f->address) ? f->bytes + (b->vaddr - f->address) : NULL;
	if (l->elf && elf_file_offset(l->elf, b->vaddr, &offset))
		*ret = elf_file_dup(l->elf, offset, b->size, BLOCK_BYTES_MAX);
	for (uint32_t i = 0; !l->elf && i < l->code->n; i++)
		if (l->code->block[i].vaddr == b->vaddr)
			return branch_names_kernel_code(l->show->ctx, l->code, i);
	return *ret;
}

static int listing_open(struct listing_at *l, struct err *e)
{
	char path[PATH_MAX];

	if (branch_names_is_kernel(l->code) || l->program)
		return 0;
	l->fd = open(branch_names_path(l->code, path, sizeof(path)), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return l->fd < 0 ? err_set(e, errno, "cannot open %.200s: %s", path, strerror(errno)) :
		elf_file_open(l->fd, &l->elf, e);
}

/* What INSN calls, or jumps to, of code in the kernel: where in the function, or which other one. */
static void listing_put_target(const struct listing_at *l, const struct disasm_insn *insn)
{
	struct branch_place p = { .function = "" };

	if (!insn->jumps || l->elf)
		return;
	for (uint32_t i = 0; i < l->code->n; i++)
		if (insn->target - l->code->block[i].vaddr < l->code->block[i].size) {
			fprintf(l->show->out, " <+0x%" PRIx64 ">", insn->target - l->code->start);
			return;
		}
	l->show->name(l->show->ctx, BRANCH_SPACE(l->code->probe, l->code->first), insn->target, &p);
	if (!*p.function)
		return;
	fputs(" <", l->show->out);
	print_clean(l->show->out, p.function);
	fprintf(l->show->out, p.offset ? "+0x%" PRIx64 ">" : ">", p.offset);
}

static void listing_put_block(struct listing_at *l, const struct code_block *b)
{
	struct disasm_insn insn;
	AUTO_FREE uint8_t *own = NULL;
	const uint8_t *bytes = listing_code(l, b, &own);

	for (uint32_t at = 0; bytes && at < b->size; at += insn.size) {
		const uint64_t address = b->vaddr + at;

		disasm_next(l->disasm, bytes + at, b->size - at, address, &insn);
		listing_put_source(l, address);
		listing_put_counts(l, address);
		fprintf(l->show->out, " %c+0x%-6" PRIx64 " ", at ? ' ' : '>', address - l->code->start);
		print_clean(l->show->out, insn.text);
		listing_put_target(l, &insn);
		fputc('\n', l->show->out);
	}
}

static int listing_compare(const void *a, const void *b)
{
	const struct code_block *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

int branch_listing(const struct branch_show *show, const struct probe_code *code, struct branch_sums *sums,
		   struct err *e)
{
	struct listing_at l = { .show = show, .code = code, .fd = -1,
				.program = branch_names_program_of(show->ctx, code) };
	AUTO_FREE struct code_block *sorted = calloc(code->n, sizeof(*sorted));
	int r = listing_open(&l, e);

	if (!sorted)
		r = err_nomem(e, "instructions");
	r = r < 0 ? r : disasm_new(&l.disasm, e);
	l.sum = branch_sums_all(sums, &l.sums);
	if (r >= 0) {
		memcpy(sorted, code->block, code->n * sizeof(*sorted));
		qsort(sorted, code->n, sizeof(*sorted), listing_compare);
		fprintf(show->out, "%10s %10s  ", "taken", "not taken");
		print_clean(show->out, code->name);
		fputs(" of ", show->out);
		print_clean(show->out, code->path);
		fputc('\n', show->out);
	}
	for (uint32_t i = 0; r >= 0 && i < code->n; i++)
		listing_put_block(&l, &sorted[i]);
	disasm_free(l.disasm);
	elf_file_free(l.elf);
	if (l.fd >= 0)
		close(l.fd);
	return r < 0 ? r : 0;
}
