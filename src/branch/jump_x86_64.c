/* SPDX-License-Identifier: BSD-2-Clause */
/* jump_x86_64.c - where a jump on a condition leads, by the flags of the processor (jumps.h). */
#include "config.h"

#include "branch/jumps.h"

/* Intel SDM volume 1, 3.4.3.1: bits of EFLAGS. */
#define FLAG_CARRY 0x001u
#define FLAG_PARITY 0x004u
#define FLAG_ZERO 0x040u
#define FLAG_SIGN 0x080u
#define FLAG_OVERFLOW 0x800u

/* SDM volume 2, appendix B: conditions come in pairs, of which the odd one is the opposite. */
static bool jump_condition(unsigned int condition, uint32_t flags)
{
	const bool differ = !(flags & FLAG_SIGN) != !(flags & FLAG_OVERFLOW);

	switch (condition >> 1) {
	case 0:
		return flags & FLAG_OVERFLOW;
	case 1:
		return flags & FLAG_CARRY;
	case 2:
		return flags & FLAG_ZERO;
	case 3:
		return flags & (FLAG_CARRY | FLAG_ZERO);
	case 4:
		return flags & FLAG_SIGN;
	case 5:
		return flags & FLAG_PARITY;
	case 6:
		return differ;
	default:
		return differ || flags & FLAG_ZERO;
	}
}

bool branch_jump_taken_x86_64(const uint8_t *insn, size_t size, uint32_t flags, bool *ret_taken)
{
	unsigned int condition;

	if (size == 2 && insn[0] >> 4 == 0x7)
		condition = insn[0] & 0xfu;
	else if (size == 6 && insn[0] == 0x0f && insn[1] >> 4 == 0x8)
		condition = insn[1] & 0xfu;
	else
		return false;
	*ret_taken = jump_condition(condition, flags) != (condition & 1u);
	return true;
}
