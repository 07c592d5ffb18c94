/* SPDX-License-Identifier: BSD-2-Clause */
/* operate.bpf.h - what the operators of conditions and sums do (struct sb_step of wire.h). */
#ifndef SBERF_BPF_OPERATE_H
#define SBERF_BPF_OPERATE_H

#include "wire.h"

/* Shifts by more than 63 give 0, as the reference (src/probe/spec_expr.c) does. */
static __always_inline __s64 operate(__u32 op, __s64 a, __s64 b)
{
	switch (op) {
	case SB_OP_OR:
		return a || b;
	case SB_OP_AND:
		return a && b;
	case SB_OP_EQUAL:
		return a == b;
	case SB_OP_UNEQUAL:
		return a != b;
	case SB_OP_LESS:
		return a < b;
	case SB_OP_LESS_EQUAL:
		return a <= b;
	case SB_OP_GREATER:
		return a > b;
	case SB_OP_GREATER_EQUAL:
		return a >= b;
	case SB_OP_BIT_OR:
		return a | b;
	case SB_OP_BIT_XOR:
		return a ^ b;
	case SB_OP_BIT_AND:
		return a & b;
	case SB_OP_SHIFT_LEFT:
		return (__u64)b > 63 ? 0 : (__s64)((__u64)a << b);
	case SB_OP_SHIFT_RIGHT:
		return (__u64)b > 63 ? 0 : a >> b;
	case SB_OP_ADD:
		return (__s64)((__u64)a + (__u64)b);
	case SB_OP_SUBTRACT:
		return (__s64)((__u64)a - (__u64)b);
	case SB_OP_MULTIPLY:
		return (__s64)((__u64)a * (__u64)b);
	case SB_OP_NOT:
		return !b;
	case SB_OP_COMPLEMENT:
		return ~b;
	default:
		return (__s64)(0 - (__u64)b);    /* SB_OP_NEGATE */
	}
}

#endif
