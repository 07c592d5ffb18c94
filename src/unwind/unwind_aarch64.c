// SPDX-License-Identifier: BSD-2-Clause
/*
 * unwind_aarch64.c - turns rows of call-frame information into rules on AArch64.
 *
 * Nearly every row has CFA = sp + n or x29 + n. A call leaves the return address in x30: where a
 * function has not saved it, at its start, at its end and in leaves, it is there still, which is of
 * use only for the frame that runs. Functions save it beside x29, in the slot above, or alone.
 *
 * With pointer authentication (DW_CFA_AARCH64_negate_ra_state) what is saved is signed in the bits
 * above the address: whoever takes a return address takes it without these (machine.code_bits), so
 * rows need not tell.
 */
#include "config.h"

#include "unwind/arch.h"

#include <dwarf.h>
#include <stdlib.h>

#define REG_FP 29
#define REG_LINK 30
#define REG_SP 31
#define PLT_HEAD 32u                     /* bytes of the first stub */
/* from here on it has pushed two words; before, with a landing pad or without, that depends */
#define PLT_PUSHED 8u
/* struct rt_sigframe (Linux, arch/arm64/kernel/signal.c): siginfo, and in ucontext uc_mcontext.regs */
#define SIGNAL_REGS (128 + 184)

static const struct rule slow = { .kind = RULE_SLOW };

/* What a row says of a register. */
enum aarch64_where { AT_CFA, SAME, NOWHERE, OTHERWISE };

/* *RET_SLOT: words from the CFA, of what is AT_CFA. */
static enum aarch64_where aarch64_where_is(Dwarf_Frame *row, int reg, int64_t *ret_slot)
{
	Dwarf_Op mem[3], *op;
	size_t n;
	int64_t off;

	if (dwarf_frame_register(row, reg, mem, &op, &n) != 0)
		return OTHERWISE;
	if (n == 0)
		return op ? NOWHERE : SAME;
	if (!op || op[0].atom != DW_OP_call_frame_cfa || n > 2 || (n == 2 && op[1].atom != DW_OP_plus_uconst))
		return OTHERWISE;
	off = n == 2 ? (int64_t)op[1].number : 0;
	*ret_slot = off / 8;
	return off % 8 || off / 8 < INT16_MIN || off / 8 >= RULE_BP_SAME ? OTHERWISE : AT_CFA;
}

static bool aarch64_place_rule(Dwarf_Frame *row, struct rule *r)
{
	int64_t link = 0, fp = 0;
	const enum aarch64_where link_is = aarch64_where_is(row, REG_LINK, &link),
		fp_is = aarch64_where_is(row, REG_FP, &fp);

	if ((fp_is != AT_CFA && fp_is != SAME) || (link_is != AT_CFA && link_is != SAME))
		return false;
	r->bp = fp_is == AT_CFA ? (int16_t)fp : RULE_BP_SAME;
	if (link_is == SAME)
		r->arg = RULE_RA_LINK;
	else if (fp_is == AT_CFA && link == fp + 1)
		r->arg = RULE_RA_BESIDE;
	else if (link == -1)
		r->arg = RULE_RA_PUSHED;
	else if (fp_is == SAME) {
		r->arg = RULE_RA_SLOT;
		r->bp = (int16_t)link;
	} else
		return false;
	return true;
}

static struct rule aarch64_rule(Dwarf_Frame *row, bool signal)
{
	struct rule r = { .bp = RULE_BP_SAME };
	Dwarf_Op *op;
	int64_t slot;
	size_t n;

	if (aarch64_where_is(row, REG_LINK, &slot) == NOWHERE)
		return (struct rule){ .kind = RULE_END };
	if (signal)
		return (struct rule){ .kind = RULE_SIGNAL, .arg = RULE_PLACED };
	if (dwarf_frame_cfa(row, &op, &n) != 0 || !arch_cfa_rule(op, n, REG_SP, REG_FP, &r) ||
	    !arch_sp_is_cfa(row, REG_SP) || !aarch64_place_rule(row, &r))
		return slow;
	return r;
}

/* x30 has the return address in all stubs; the first one pushes it behind x16. */
static struct rule aarch64_plt_rule(uint64_t at)
{
	if (at >= PLT_PUSHED && at < PLT_HEAD)
		return (struct rule){ .kind = RULE_SP, .arg = RULE_RA_PUSHED, .bp = RULE_BP_SAME, .cfa = 16 };
	if (at >= PLT_PUSHED / 2 && at < PLT_PUSHED)
		return (struct rule){ .kind = RULE_BAD };
	return (struct rule){ .kind = RULE_SP, .arg = RULE_RA_LINK, .bp = RULE_BP_SAME };
}

#define AT(i) (SIGNAL_REGS + 8 * (i))

const struct unwind_arch unwind_aarch64 = {
	.machine = EM_AARCH64,
	.return_column = REG_LINK,
	.preserved = 0x3ff80000,         /* x19-x29 (AAPCS64, section 6.1.1) */
	.signal_at = { AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7), AT(8), AT(9), AT(10), AT(11), AT(12),
		       AT(13), AT(14), AT(15),
		       AT(16), AT(17), AT(18), AT(19), AT(20), AT(21), AT(22), AT(23), AT(24), AT(25), AT(26),
		       AT(27), AT(28), AT(29), AT(30), AT(31), AT(32) },
	.rule = aarch64_rule,
	.plt = aarch64_plt_rule,
	.entry_code = aarch64_entry_code,
	.count_prologues = aarch64_count_prologues,
	.find_marks = aarch64_find_marks,
};
