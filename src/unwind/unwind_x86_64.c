// SPDX-License-Identifier: BSD-2-Clause
/*
 * unwind_x86_64.c - turns rows of call-frame information into rules on x86-64.
 *
 * Nearly every row has CFA = sp + n or bp + n, the return address at CFA - 8, and bp saved at CFA -
 * 8k or untouched. Code written by hand may have moved the return address. The linker's PLT stubs
 * are one expression in two variants (breakpoint at 11, or 10 with -z ibtplt), and functions that
 * realign their stack find the CFA in memory at bp - n. What is none of these is left to the
 * complete evaluator.
 */
#include "config.h"

#include "unwind/arch.h"

#include <dwarf.h>
#include <stdlib.h>

#define REG_FP 6                 /* rbp */
#define REG_SP 7                 /* rsp */
#define REG_PC 16                /* return address column, rip */
#define PLT_ENTRY 16u

static const struct rule slow = { .kind = RULE_SLOW };

static bool is_op(const Dwarf_Op *op, unsigned int atom, uint64_t number)
{
	return op->atom == atom && op->number == number;
}

/* breg7 8; breg16 0; lit15; and; lit11 or lit10; ge; lit3; shl; plus */
static bool is_plt(const Dwarf_Op *op, size_t n, uint8_t *ret_at)
{
	if (n != 9 || !is_op(&op[0], DW_OP_breg7, 8) || !is_op(&op[1], DW_OP_breg16, 0) || op[2].atom != DW_OP_lit15 ||
	    op[3].atom != DW_OP_and || (op[4].atom != DW_OP_lit11 && op[4].atom != DW_OP_lit10) ||
	    op[5].atom != DW_OP_ge || op[6].atom != DW_OP_lit3 || op[7].atom != DW_OP_shl || op[8].atom != DW_OP_plus)
		return false;
	*ret_at = (uint8_t)(op[4].atom - DW_OP_lit0);
	return true;
}

static bool x86_64_cfa_rule(Dwarf_Frame *row, struct rule *r)
{
	Dwarf_Op *op;
	size_t n;

	if (dwarf_frame_cfa(row, &op, &n) != 0 || n == 0) {
		r->kind = RULE_BAD;
		return true;
	}
	if (arch_cfa_rule(op, n, REG_SP, REG_FP, r))
		return true;
	if (is_plt(op, n, &r->arg)) {
		r->kind = RULE_PLT;
		r->cfa = 8;
		return true;
	}
	if (n == 2 && op[0].atom == DW_OP_breg6 && arch_fits_i32(op[0].number) && op[1].atom == DW_OP_deref) {
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

	if (dwarf_frame_register(row, REG_FP, mem, &op, &n) != 0)
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

/* The return address is OFF bytes from the CFA, and R has the rest of its row. False: a rule cannot say that. */
static bool return_rule(int64_t off, struct rule *r)
{
	if (off == -8)
		return true;
	if (off % 8 || (r->kind != RULE_SP && r->kind != RULE_BP))
		return false;
	if (r->bp == RULE_BP_SAME && off / 8 >= INT16_MIN && off / 8 < RULE_BP_SAME) {
		r->bp = (int16_t)(off / 8);
		r->arg |= RULE_RA_SLOT;
		return true;
	}
	if (off != 8 * (int64_t)r->bp + 8)
		return false;
	r->arg |= RULE_RA_BESIDE;
	return true;
}

static struct rule x86_64_rule(Dwarf_Frame *row, bool signal)
{
	struct rule r = { .bp = RULE_BP_SAME };
	Dwarf_Op mem[3], *op;
	int64_t off;
	size_t n;

	if (dwarf_frame_register(row, REG_PC, mem, &op, &n) != 0)
		return slow;
	if (n == 0 && op == mem)
		return (struct rule){ .kind = RULE_END };
	if (signal)
		return (struct rule){ .kind = RULE_SIGNAL, .arg = RULE_PLACED };
	if (!op || !at_cfa(op, n, &off) || !arch_sp_is_cfa(row, REG_SP) || !x86_64_cfa_rule(row, &r))
		return slow;
	if (r.kind == RULE_BAD)
		return r;
	return bp_rule(row, &r) && return_rule(off, &r) ? r : slow;
}

/* The linker's stubs where they have no CFI (lld): the first one pushes two words, the others push before they jump. */
static struct rule x86_64_plt_rule(uint64_t at)
{
	if (at < PLT_ENTRY)
		return (struct rule){ .kind = RULE_SP, .bp = RULE_BP_SAME, .cfa = at >= 6 ? 24 : 16 };
	return (struct rule){ .kind = RULE_PLT, .bp = RULE_BP_SAME, .cfa = 8, .arg = 11 };
}

/* sp is at struct ucontext; glibc sys/ucontext.h has the indices of uc_mcontext.gregs. */
#define AT(i) (40 + 8 * (i))

const struct unwind_arch unwind_x86_64 = {
	.machine = EM_X86_64,
	.return_column = REG_PC,
	.fp_ends_frame = true,
	.preserved = 0xf048,             /* rbx rbp r12-r15 (psABI 1.0 section 3.2.1) */
	/* In the order of DWARF; there it is r8-r15 rdi rsi rbp rbx rdx rax rcx rsp rip. */
	.signal_at = { AT(13), AT(12), AT(14), AT(11), AT(9), AT(8), AT(10), AT(15), AT(0), AT(1), AT(2), AT(3), AT(4),
		       AT(5), AT(6), AT(7), AT(16) },
	.rule = x86_64_rule,
	.plt = x86_64_plt_rule,
	.entry_code = x86_64_entry_code,
	.count_prologues = x86_64_count_prologues,
	.find_frames = x86_64_find_frames,
	.find_marks = x86_64_find_marks,
	.changes_go_stack = x86_64_changes_go_stack,
	.find_go_thread = x86_64_find_go_thread,
	.mark_go_switches = x86_64_mark_go_switches,
	.mark_go_clock = x86_64_mark_go_clock,
};
