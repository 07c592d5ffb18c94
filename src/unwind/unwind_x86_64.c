// SPDX-License-Identifier: BSD-2-Clause
/*
 * unwind_x86_64.c - rows of call-frame information that a rule can express on x86-64.
 *
 * Nearly every row has CFA = sp + n or bp + n, the return address at CFA - 8, and bp saved at CFA - 8k or untouched. The
 * linker's PLT stubs are one expression in two variants (breakpoint at 11, or 10 with -z ibtplt), and functions that realign
 * their stack find the CFA in memory at bp - n. What is none of these is left to the complete evaluator.
 */
#include "config.h"

#include "unwind/arch.h"

#include <dwarf.h>
#include <stdlib.h>

/* struct sigcontext: r8-r15 rdi rsi rbp rbx rdx rax rcx rsp rip (Linux asm/sigcontext.h). */
const uint8_t arch_signal_index[ARCH_REGS] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16 };

static const struct rule slow = { .kind = RULE_SLOW };

static bool is_op(const Dwarf_Op *op, unsigned int atom, uint64_t number)
{
	return op->atom == atom && op->number == number;
}

/* breg7 8; breg16 0; lit15; and; lit11 or lit10; ge; lit3; shl; plus */
static bool is_plt(const Dwarf_Op *op, size_t n, uint8_t *ret_at)
{
	if (n != 9 || !is_op(&op[0], DW_OP_breg7, 8) || !is_op(&op[1], DW_OP_breg16, 0) || op[2].atom != DW_OP_lit15 ||
	    op[3].atom != DW_OP_and || (op[4].atom != DW_OP_lit11 && op[4].atom != DW_OP_lit10) || op[5].atom != DW_OP_ge ||
	    op[6].atom != DW_OP_lit3 || op[7].atom != DW_OP_shl || op[8].atom != DW_OP_plus)
		return false;
	*ret_at = (uint8_t)(op[4].atom - DW_OP_lit0);
	return true;
}

static bool fits_i32(uint64_t number)
{
	return (int64_t)number >= INT32_MIN && (int64_t)number <= INT32_MAX;
}

static bool cfa_rule(Dwarf_Frame *row, struct rule *r)
{
	Dwarf_Op *op;
	size_t n;

	if (dwarf_frame_cfa(row, &op, &n) != 0 || n == 0) {
		r->kind = RULE_BAD;
		return true;
	}
	if (n == 1 && op->atom == DW_OP_bregx && (op->number == ARCH_SP || op->number == ARCH_FP) && fits_i32(op->number2)) {
		r->kind = op->number == ARCH_SP ? RULE_SP : RULE_BP;
		r->cfa = (int32_t)op->number2;
		return true;
	}
	if (is_plt(op, n, &r->arg)) {
		r->kind = RULE_PLT;
		r->cfa = 8;
		return true;
	}
	if (n == 2 && op[0].atom == DW_OP_breg6 && fits_i32(op[0].number) && op[1].atom == DW_OP_deref) {
		r->kind = RULE_DRAP;
		r->cfa = (int32_t)op[0].number;
		return true;
	}
	return false;
}

/* At CFA + *RET_OFFSET? */
static bool at_cfa(const Dwarf_Op *op, size_t n, int64_t *ret_offset)
{
	if (n < 1 || n > 2 || op[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (n == 2 && op[1].atom != DW_OP_plus_uconst)
		return false;
	*ret_offset = n == 2 ? (int64_t)op[1].number : 0;
	return true;
}

static bool bp_rule(Dwarf_Frame *row, struct rule *r)
{
	Dwarf_Op mem[3], *op;
	int64_t off;
	size_t n;

	if (dwarf_frame_register(row, ARCH_FP, mem, &op, &n) != 0)
		return false;
	if (!op) {
		r->bp = RULE_BP_SAME;
		return r->kind != RULE_DRAP;
	}
	if (r->kind == RULE_DRAP)        /* DW_CFA_expression, for which libdw pushes the CFA first: breg6 0 */
		return n == 2 && op[0].atom == DW_OP_call_frame_cfa && is_op(&op[1], DW_OP_breg6, 0);
	if (!at_cfa(op, n, &off) || off % 8 || off / 8 < INT16_MIN || off / 8 >= RULE_BP_SAME)
		return false;
	r->bp = (int16_t)(off / 8);
	return true;
}

/* The caller's sp is the CFA, as the ABI has it, unless the row says something else. */
static bool sp_is_cfa(Dwarf_Frame *row)
{
	Dwarf_Op mem[3], *op;
	size_t n;

	return dwarf_frame_register(row, ARCH_SP, mem, &op, &n) == 0 && op && n == 2 && op[0].atom == DW_OP_call_frame_cfa &&
	       op[1].atom == DW_OP_stack_value;
}

struct rule arch_rule(Dwarf_Frame *row, bool signal)
{
	struct rule r = { .bp = RULE_BP_SAME };
	Dwarf_Op mem[3], *op;
	int64_t off;
	size_t n;

	if (dwarf_frame_register(row, ARCH_PC, mem, &op, &n) != 0)
		return slow;
	if (n == 0 && op == mem)
		return (struct rule){ .kind = RULE_END };
	if (signal)
		return (struct rule){ .kind = RULE_SIGNAL, .arg = RULE_PLACED };
	if (!op || !at_cfa(op, n, &off) || off != -8 || !sp_is_cfa(row) || !cfa_rule(row, &r))
		return slow;
	if (r.kind == RULE_BAD)
		return r;
	return bp_rule(row, &r) ? r : slow;
}
