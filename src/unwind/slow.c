// SPDX-License-Identifier: BSD-2-Clause
/*
 * slow.c - the complete evaluator of call-frame information: every register, every DWARF
 * expression.
 *
 * It is needed by one frame in ten thousand (lazy binding in ld.so, hand-written crypto, vfork), so
 * it keeps nothing: when the fast walk meets a row that no rule expresses, the registers are
 * carried from frame 0 (or from the last frame that came here) up to that row, and one step
 * further. Registers that a frame does not preserve become unknown, and using an unknown one ends
 * the walk. Expressions run on a fixed stack and for a bounded number of operations.
 */
#include "config.h"

#include "base/clock.h"
#include "unwind/cfi_row.h"
#include "unwind/image_remote.h"
#include "unwind/walk.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define EXPR_STACK 64u
#define EXPR_STEPS 1024u         /* operations at most, loops included */

enum value_kind {
	VALUE_NONE,              /* undefined, or it could not be computed */
	VALUE_ADDRESS,           /* the register is saved at this address */
	VALUE_PLAIN,             /* this is the register */
};

struct value {
	enum value_kind kind;
	uint64_t v;
};

struct evaluation {
	struct walk *w;
	const struct registers *r;
	const uint64_t *cfa;     /* NULL while the CFA itself is being computed */
	uint64_t fault;          /* address that could not be read; 0 = none */
	unsigned int n;
	uint64_t stack[EXPR_STACK];
};

static bool slow_push(struct evaluation *m, uint64_t v)
{
	if (m->n == EXPR_STACK)
		return false;
	m->stack[m->n++] = v;
	return true;
}

static bool push_reg(struct evaluation *m, uint64_t reg, uint64_t add)
{
	return reg < m->w->machine->nr_regs && (m->r->known & 1ull << reg) && slow_push(m, m->r->reg[reg] + add);
}

static bool slow_deref(struct evaluation *m, uint64_t size)
{
	uint64_t v;

	if (m->n == 0 || size == 0 || size > 8)
		return false;
	if (!walk_read_any(m->w, m->stack[m->n - 1], (unsigned int)size, &v)) {
		m->fault = m->stack[m->n - 1];
		return false;
	}
	m->stack[m->n - 1] = v;
	return true;
}

/* Brings the element DEPTH below the top to the top; the COUNT elements down to it move down by one. */
static bool slow_rotate(struct evaluation *m, unsigned int count)
{
	uint64_t top;

	if (m->n < count)
		return false;
	top = m->stack[m->n - 1];
	for (unsigned int i = m->n - 1; i > m->n - count; i--)
		m->stack[i] = m->stack[i - 1];
	m->stack[m->n - count] = top;
	return true;
}

static bool slow_pick(struct evaluation *m, uint64_t depth)
{
	return depth < m->n && slow_push(m, m->stack[m->n - 1 - depth]);
}

static bool slow_unary(struct evaluation *m, const struct cfi_op *op)
{
	uint64_t *a;

	if (m->n < 1)
		return false;
	a = &m->stack[m->n - 1];
	switch (op->atom) {
	case DW_OP_abs:
		*a = (int64_t)*a < 0 ? 0 - *a : *a;
		return true;
	case DW_OP_neg:
		*a = 0 - *a;
		return true;
	case DW_OP_not:
		*a = ~*a;
		return true;
	case DW_OP_plus_uconst:
		*a += op->number;
		return true;
	default:
		return false;
	}
}

static uint64_t shift_right(int64_t a, uint64_t by)
{
	/* Arithmetic, as gcc and clang define >> of a negative number. */
	return (uint64_t)(a >> (by > 63 ? 63 : by));
}

static bool slow_divide(unsigned int atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b == 0)
		return false;
	if (atom == DW_OP_mod)
		*ret = a % b;
	else
		*ret = b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
	return true;
}

static bool binary_value(unsigned int atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (atom) {
	case DW_OP_and:   *ret = a & b; return true;
	case DW_OP_or:    *ret = a | b; return true;
	case DW_OP_xor:   *ret = a ^ b; return true;
	case DW_OP_plus:  *ret = a + b; return true;
	case DW_OP_minus: *ret = a - b; return true;
	case DW_OP_mul:   *ret = a * b; return true;
	case DW_OP_div:
	case DW_OP_mod:   return slow_divide(atom, a, b, ret);
	case DW_OP_shl:   *ret = b > 63 ? 0 : a << b; return true;
	case DW_OP_shr:   *ret = b > 63 ? 0 : a >> b; return true;
	case DW_OP_shra:  *ret = shift_right(sa, b); return true;
	case DW_OP_eq:    *ret = sa == sb; return true;
	case DW_OP_ne:    *ret = sa != sb; return true;
	case DW_OP_lt:    *ret = sa < sb; return true;
	case DW_OP_le:    *ret = sa <= sb; return true;
	case DW_OP_gt:    *ret = sa > sb; return true;
	case DW_OP_ge:    *ret = sa >= sb; return true;
	default:          return false;
	}
}

static bool slow_binary(struct evaluation *m, unsigned int atom)
{
	uint64_t v;

	if (m->n < 2 || !binary_value(atom, m->stack[m->n - 2], m->stack[m->n - 1], &v))
		return false;
	m->n--;
	m->stack[m->n - 1] = v;
	return true;
}

/* One operation that only works on the stack; a longer function because it is a table. */
static bool slow_execute(struct evaluation *m, const struct cfi_op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return slow_push(m, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_reg(m, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return slow_push(m, op->number);
	case DW_OP_bregx:
		return push_reg(m, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return m->cfa && slow_push(m, *m->cfa);
	case DW_OP_dup:
		return slow_pick(m, 0);
	case DW_OP_over:
		return slow_pick(m, 1);
	case DW_OP_pick:
		return slow_pick(m, op->number);
	case DW_OP_drop:
		return m->n > 0 && m->n--;
	case DW_OP_swap:
		return slow_rotate(m, 2);
	case DW_OP_rot:
		return slow_rotate(m, 3);
	case DW_OP_deref:
		return slow_deref(m, 8);
	case DW_OP_deref_size:
		return slow_deref(m, op->number);
	case DW_OP_nop:
		return true;
	default:
		return slow_unary(m, op) || slow_binary(m, op->atom);
	}
}

/* Where the branch at OP leads: an index, N for the end, or more than N when it leads nowhere. */
static size_t branch_target(const struct cfi_op *ops, size_t n, const struct cfi_op *op)
{
	uint64_t target = op->offset + 3 + (uint64_t)(int64_t)(int16_t)op->number;

	for (size_t i = 0; i < n; i++)
		if (ops[i].offset == target && (i > 0 || ops[i].atom != DW_OP_call_frame_cfa))
			return i;
	return target > ops[n - 1].offset && target < UINT32_MAX ? n : n + 1;
}

static bool slow_run(struct evaluation *m, const struct cfi_op *ops, size_t n, struct value *ret)
{
	size_t at = 0;

	for (unsigned int steps = 0; at < n; steps++) {
		const struct cfi_op *op = &ops[at++];

		if (steps == EXPR_STEPS)
			return false;
		if (op->atom == DW_OP_stack_value) {
			ret->kind = VALUE_PLAIN;
			break;
		}
		if ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx) {
			ret->kind = VALUE_PLAIN;
			if (!push_reg(m, op->atom == DW_OP_regx ? op->number : (uint64_t)op->atom - DW_OP_reg0, 0))
				return false;
			break;
		}
		if (op->atom == DW_OP_bra || op->atom == DW_OP_skip) {
			if (op->atom == DW_OP_bra && (m->n == 0 || m->stack[--m->n] == 0))
				continue;
			at = branch_target(ops, n, op);
			if (at > n)
				return false;
			continue;
		}
		if (!slow_execute(m, op))
			return false;
	}
	if (m->n == 0)
		return false;
	ret->v = m->stack[m->n - 1];
	return true;
}

static bool slow_evaluate(struct evaluation *m, const struct cfi_op *ops, size_t n, struct value *ret)
{
	struct value v = { .kind = VALUE_ADDRESS };

	m->n = 0;
	m->fault = 0;
	if (n == 0 || !slow_run(m, ops, n, &v))
		return false;
	*ret = v;
	return true;
}

/* The caller's value of register NR; unknown when ROW does not tell. A failed read is left in M->fault. */
static bool caller_register(struct evaluation *m, const struct cfi_row *row, unsigned int nr, uint64_t *ret)
{
	const struct cfi_part *p = &row->part[1 + nr];
	struct value v;

	m->fault = 0;
	/*
	 * libdw calls what the ABI preserves "undefined" where a row does not mention it (elfutils
	 * 0.188 takes register 0 for rbx in its table of defaults); no compiler says so of these
	 * registers explicitly.
	 */
	if (p->said == CFI_SAME || (p->said == CFI_UNDEFINED && (m->w->arch->preserved & 1ull << nr))) {
		*ret = m->r->reg[nr];
		return m->r->known & 1ull << nr;
	}
	if (!slow_evaluate(m, row->op + p->first, p->n, &v))
		return false;
	if (v.kind == VALUE_PLAIN) {
		*ret = v.v;
		return true;
	}
	if (walk_read_any(m->w, v.v, 8, ret))
		return true;
	m->fault = v.v;
	/* Below sp the slot has been given up, so the register has its old value back. */
	*ret = m->r->reg[nr];
	return v.v < m->r->reg[m->w->machine->sp] && nr != m->w->arch->return_column && (m->r->known & 1ull << nr);
}

static uint64_t slow_bit(unsigned int reg)
{
	return 1ull << reg;
}

/* NEXT, whose other registers are there, is where RA leads to; the call has overwritten the link register. */
static enum step slow_returned(const struct walk *w, struct registers *next, uint64_t ra)
{
	const struct machine *mach = w->machine;

	next->reg[mach->pc] = ra & mach->code_bits;
	next->known |= slow_bit(mach->pc);
	if (mach->link != MACHINE_NO_REG)
		next->known &= ~slow_bit(mach->link);
	return STEP_OK;
}

static enum step by_row(struct walk *w, const struct cfi_row *row, struct registers *next)
{
	struct evaluation m = { .w = w, .r = &w->regs };
	const struct cfi_part *p = &row->part[CFI_ROW_CFA];
	const struct machine *mach = w->machine;
	const unsigned int column = w->arch->return_column;
	struct value cfa;

	if (!slow_evaluate(&m, row->op + p->first, p->n, &cfa))
		return m.fault ? walk_fault(w, m.fault) : walk_cut(w, CUT_BAD_CFI);
	m.cfa = &cfa.v;
	for (unsigned int i = 0; i < mach->nr_regs; i++)
		if (caller_register(&m, row, i, &next->reg[i]))
			next->known |= slow_bit(i);
		else if (i == column)
			return m.fault ? walk_fault(w, m.fault) : walk_cut(w, CUT_BAD_CFI);
	if (!(next->known & slow_bit(mach->sp)))
		return walk_cut(w, CUT_BAD_CFI);
	return slow_returned(w, next, next->reg[column]);
}

static enum step slow_by_signal(struct walk *w, struct registers *next)
{
	const struct machine *mach = w->machine;

	for (unsigned int i = 0; i < mach->nr_regs; i++) {
		const uint64_t at = w->regs.reg[mach->sp] + w->arch->signal_at[i];

		if (!walk_read_any(w, at, 8, &next->reg[i]))
			return walk_fault(w, at);
	}
	next->known = slow_bit(mach->nr_regs) - 1;
	next->exact = true;
	return STEP_OK;
}

static enum step by_frame_pointer(struct walk *w, struct registers *next)
{
	const struct machine *mach = w->machine;
	uint64_t caller[3];
	enum step st = walk_fp(w, w->regs.reg[mach->sp], w->regs.reg[mach->fp], caller);

	next->reg[mach->pc] = caller[0];
	next->reg[mach->sp] = caller[1];
	next->reg[mach->fp] = caller[2];
	next->known = slow_bit(mach->pc) | slow_bit(mach->fp) | (w->arch->fp_ends_frame ? slow_bit(mach->sp) : 0);
	return st;
}

static enum step slow_by_leaf(struct walk *w, struct registers *next)
{
	const struct machine *mach = w->machine;
	uint64_t ra;

	*next = w->regs;
	next->exact = false;
	if (mach->link != MACHINE_NO_REG)
		return next->known & slow_bit(mach->link) ? slow_returned(w, next, next->reg[mach->link]) :
			walk_cut(w, CUT_BAD_FRAME);
	next->reg[mach->sp] += 8;
	if (!walk_read_any(w, w->regs.reg[mach->sp], 8, &ra))
		return walk_fault(w, w->regs.reg[mach->sp]);
	return slow_returned(w, next, ra);
}

static enum step by_asking(struct walk *w, struct image *im, uint64_t offset, struct registers *next)
{
	AUTO_FREE struct cfi_row *row = NULL;
	const int r = im->remote ? image_remote_row(im, offset, &row) : cfi_row_of(im, offset, &row);

	if (r == -EAGAIN)
		return walk_not_loaded(w);
	if (r)
		return walk_cut(w, CUT_BAD_CFI);
	return row ? by_row(w, row, next) : slow_by_leaf(w, next);
}

static enum step by_image(struct walk *w, const struct unwind_map *m, uint64_t offset, struct registers *next)
{
	struct rule rule = walk_rule(w, m, offset);
	const uint64_t began_ns = clock_mono_ns();
	enum step st;

	if (rule.kind == RULE_SIGNAL)
		return slow_by_signal(w, next);
	if (rule.kind == RULE_FP)
		return by_frame_pointer(w, next);
	/* Whoever reads a remote image looks after the time himself. */
	if (m->image->remote)
		return by_asking(w, m->image, offset, next);
	if (!walk_may_ask(w->u, m->image, began_ns))
		return walk_cut(w, CUT_BAD_CFI);
	st = by_asking(w, m->image, offset, next);
	walk_has_asked(w->u, m->image, began_ns);
	return st;
}

/* Where R, of a frame with that CFA, has its return address; 0 = in the link register. */
static uint64_t return_slot(const struct rule *r, uint64_t cfa)
{
	const uint64_t slot = cfa + (uint64_t)((int64_t)r->bp * 8);

	switch (r->arg & RULE_RA) {
	case RULE_RA_PUSHED: return cfa - 8;
	case RULE_RA_BESIDE: return slot + 8;
	case RULE_RA_SLOT: return slot;
	default: return 0;
	}
}

/* In code of which rules are all that is known (made.h): what else its caller's registers held is not told. */
static enum step by_made(struct walk *w, const struct rule *r, struct registers *next)
{
	const struct machine *mach = w->machine;
	const uint64_t cfa = w->regs.reg[r->kind == RULE_BP ? mach->fp : mach->sp] + (uint64_t)(int64_t)r->cfa;
	const uint64_t slot = cfa + (uint64_t)((int64_t)r->bp * 8), at = return_slot(r, cfa);
	uint64_t ra;

	if (r->kind != RULE_SP && r->kind != RULE_BP)
		return walk_cut(w, CUT_BAD_CFI);
	next->reg[mach->sp] = cfa;
	next->reg[mach->fp] = w->regs.reg[mach->fp];
	next->known = slow_bit(mach->sp) | slow_bit(mach->fp);
	if (r->bp != RULE_BP_SAME && (r->arg & RULE_RA) != RULE_RA_SLOT &&
	    !walk_read_any(w, slot, 8, &next->reg[mach->fp]))
		return walk_fault(w, slot);
	if (!at && !(mach->link != MACHINE_NO_REG && w->regs.known & slow_bit(mach->link)))
		return walk_cut(w, CUT_BAD_FRAME);
	if (!at)
		return slow_returned(w, next, w->regs.reg[mach->link]);
	return walk_read_any(w, at, 8, &ra) ? slow_returned(w, next, ra) : walk_fault(w, at);
}

/* One frame further with every register. */
static enum step slow_advance(struct walk *w)
{
	struct registers next = { .frame = w->regs.frame + 1 };
	uint64_t lookup = w->regs.reg[w->machine->pc] - !w->regs.exact;
	const struct unwind_map *m = walk_map(w, lookup);
	struct rule made;
	enum step st;

	if (!m)
		return walk_cut(w, CUT_NO_MAPPING);
	if (m->state == MAP_ANON && m->made && made_code_rule(m->made, lookup, &made))
		st = by_made(w, &made, &next);
	else if (m->state == MAP_READY)
		st = by_image(w, m, unwind_place(m, lookup), &next);
	else if (m->state == MAP_ANON)
		st = by_frame_pointer(w, &next);
	else
		st = slow_by_leaf(w, &next);
	if (st == STEP_OK) {
		next.frame = w->regs.frame + 1;
		w->regs = next;
	}
	return st;
}

static void registers_of_frame_0(struct walk *w)
{
	memcpy(w->regs.reg, w->in->regs, sizeof(w->regs.reg));
	w->regs.known = slow_bit(w->machine->nr_regs) - 1;
	w->regs.frame = 0;
	w->regs.exact = true;
}

enum step slow_step(struct walk *w)
{
	const struct machine *mach = w->machine;
	enum step st = STEP_OK;

	if (w->regs.known == 0)
		registers_of_frame_0(w);
	while (st == STEP_OK && w->regs.frame + 1 < w->out->n)
		st = slow_advance(w);
	if (st == STEP_OK && (w->regs.reg[mach->pc] != w->pc || (!w->sp_unknown && w->regs.reg[mach->sp] != w->sp)))
		return walk_cut(w, CUT_BAD_FRAME);
	if (st == STEP_OK)
		st = slow_advance(w);
	if (st != STEP_OK)
		return st;
	w->pc = w->regs.reg[mach->pc];
	w->sp = w->regs.reg[mach->sp];
	w->bp = w->regs.known & slow_bit(mach->fp) ? w->regs.reg[mach->fp] : 0;
	w->sp_unknown = !(w->regs.known & slow_bit(mach->sp));
	w->link_known = mach->link != MACHINE_NO_REG && w->regs.known & slow_bit(mach->link);
	w->link = w->link_known ? w->regs.reg[mach->link] : 0;
	w->exact = w->regs.exact;
	return STEP_OK;
}
