// SPDX-License-Identifier: BSD-2-Clause
/*
 * plt_aarch64.c - reads the code of PLT entries: adrp x16, PAGE; ldr x17, [x16, #n]; add x16, x16,
 * #n; br x17, perhaps with a landing pad (bti c) before, and before the jump what checks a signed
 * pointer. The first entry has the same in it for a slot of the linker's own, which no relocation
 * names.
 */
#include "config.h"

#include "symbol/plt.h"

#include <string.h>

#define INSN 4u
#define ENTRY 16u                /* bytes, at least */
#define ENTRY_MAX 24u
#define BR_X17 0xd61f0220u
#define BTI_C 0xd503245fu

static uint32_t plt_aarch64_insn(const struct plt_table *t, size_t at)
{
	uint32_t i;

	memcpy(&i, t->code + at, sizeof(i));
	return i;
}

/* The address of the slot that the two instructions AT bytes into T read; 0 when they are others. */
static uint64_t plt_aarch64_slot(const struct plt_table *t, size_t at)
{
	const uint32_t adrp = plt_aarch64_insn(t, at), ldr = plt_aarch64_insn(t, at + INSN);
	uint64_t pages;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (pages >> 20)
		pages |= ~0ull << 21;    /* it is signed, and has 21 bits */
	return ((t->vaddr + at) & ~0xfffull) + (pages << 12) + (ldr >> 10 & 0xfff) * 8;
}

/* Bytes of the entry whose adrp is AT bytes into T: up to its jump. */
static uint32_t plt_aarch64_bytes(const struct plt_table *t, size_t at)
{
	for (uint32_t n = ENTRY; n <= ENTRY_MAX && at + n <= t->len; n += INSN)
		if (plt_aarch64_insn(t, at + n - INSN) == BR_X17)
			return n;
	return ENTRY;
}

void plt_read_aarch64(const struct plt_table *t)
{
	for (size_t at = 0; at + ENTRY <= t->len; at += INSN) {
		const uint64_t slot = plt_aarch64_slot(t, at);
		const uint32_t sym = slot ? plt_symbol_of_slot(t->relocs, slot) : 0;
		const uint32_t pad = at >= INSN && plt_aarch64_insn(t, at - INSN) == BTI_C ? INSN : 0;

		if (sym)
			t->each(t->ctx, t->vaddr + at - pad, plt_aarch64_bytes(t, at) + pad, sym);
	}
}
