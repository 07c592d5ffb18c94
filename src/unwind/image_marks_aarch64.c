// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_marks_aarch64.c - the code of the marks on AArch64, where every instruction has four bytes.
 *
 *  sigreturn   mov x8, #139; svc #0: what Linux makes every handler return to; the vDSO has no call-frame
 *              information for it.
 *
 * C libraries have call-frame information for what ends their chains.
 */
#include "config.h"

#include "unwind/arch.h"

#include <string.h>

#define INSN 4u
#define MOV_SIGRETURN 0xd2801168u
#define SVC 0xd4000001u
#define MOV_FP_SP 0x910003fdu            /* mov x29, sp */
#define PACIASP 0xd503233fu

static uint32_t aarch64_insn_at(const uint8_t *text, size_t at)
{
	uint32_t i;

	memcpy(&i, text + at, sizeof(i));
	return i;
}

/* bl, blr */
static bool aarch64_is_call(uint32_t i)
{
	return (i & 0xfc000000) == 0x94000000 || (i & 0xfffffc1f) == 0xd63f0000;
}

/* b, br, ret in all its kinds, brk, hlt, udf */
static bool aarch64_ends_flow(uint32_t i)
{
	return (i & 0xfc000000) == 0x14000000 || (i & 0xfffffc1f) == 0xd61f0000 || (i & 0xfffffc1f) == 0xd65f0000 ||
	       (i & 0xfffffbff) == 0xd65f0bff || (i & 0xffe0001f) == 0xd4200000 ||
	       (i & 0xffe0001f) == 0xd4400000 || i >> 16 == 0;
}

/*
 * stp x29, x30, [sp, #-n]!; sub sp, sp, #n; paciasp: behind a call that does not return, this is
 * the next function.
 */
static bool aarch64_begins_function(uint32_t i)
{
	return (i & 0xffc07fff) == 0xa9807bfd || (i & 0xff8003ff) == 0xd10003ff || i == PACIASP;
}

size_t aarch64_entry_code(const uint8_t *text, size_t len)
{
	bool has_called = false;

	for (size_t at = 0; at + INSN <= len; at += INSN) {
		const uint32_t i = aarch64_insn_at(text, at);

		if (has_called && aarch64_begins_function(i))
			return at;
		if (aarch64_ends_flow(i))
			return at + INSN;
		has_called |= aarch64_is_call(i);
	}
	return len;
}

size_t aarch64_count_prologues(const uint8_t *text, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at + INSN <= len; at += INSN)
		n += aarch64_insn_at(text, at) == MOV_FP_SP;
	return n;
}

void aarch64_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr)
{
	for (size_t at = 0; at + 2 * INSN <= len; at += INSN)
		if (aarch64_insn_at(text, at) == MOV_SIGRETURN && aarch64_insn_at(text, at + INSN) == SVC)
			image_add_sigreturn(im, vaddr + at, vaddr + at + 2 * INSN);
}
