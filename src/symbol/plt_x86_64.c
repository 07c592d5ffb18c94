/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plt_x86_64.c - reads the code of PLT entries instead of assuming their order.
 *
 * An entry either jumps through its GOT slot (ff 25 disp32, "jmp *disp(%rip)"), and the relocation
 * of that slot names the function; or, in the .plt of a file built for indirect branch tracking, it
 * only pushes the index of its relocation in .rela.plt (68 imm32). That covers GNU ld, gold and
 * lld, with and without bnd and endbr64 prefixes (x86-64 psABI, 5.2).
 */
#include "config.h"

#include "symbol/plt.h"

#include <string.h>

/* The symbol that the LEN bytes of code at P, which run at VADDR, jump to; 0 when they cannot be told. */
static uint32_t entry_symbol(const struct plt_relocs *r, const uint8_t *p, size_t len, uint64_t vaddr)
{
	for (size_t i = 0; i + 6 <= len; i++) {
		int32_t disp;

		if (p[i] != 0xff || p[i + 1] != 0x25)
			continue;
		memcpy(&disp, p + i + 2, sizeof(disp));
		return plt_symbol_of_slot(r, vaddr + i + 6 + (uint64_t)(int64_t)disp);
	}
	for (size_t i = 0; i + 5 <= len && i <= 4; i++) {
		uint32_t index;

		if (p[i] != 0x68)
			continue;
		memcpy(&index, p + i + 1, sizeof(index));
		return plt_symbol_of_index(r, index);
	}
	return 0;
}

void plt_read_x86_64(const struct plt_table *t)
{
	const uint32_t step = t->entry_size == 8 ? 8 : 16;

	for (size_t at = 0; at + step <= t->len; at += step) {
		const uint32_t sym = entry_symbol(t->relocs, t->code + at, step, t->vaddr + at);

		if (sym)
			t->each(t->ctx, t->vaddr + at, step, sym);
	}
}
