// SPDX-License-Identifier: BSD-2-Clause
/*
 * unwind.c - the fast path of unwinding: pc, sp and bp, one remembered rule a frame.
 *
 * Each turn of the loop looks at one frame: which mapping holds it, which rule belongs to the
 * place, and where the rule leads. A frame is looked up by its own pc when something runs there
 * (frame 0, what a signal interrupted) and by the byte before the return address otherwise, because
 * a call may be the last instruction of its function. Nothing is believed: the caller's sp must be
 * higher than ours and aligned, what is read must have been copied from the stack that sp is on,
 * and only a signal frame may lead to another stack. Return addresses are taken without what signs
 * them.
 */
#include "config.h"

#include "unwind/unwind.h"
#include "base/clock.h"
#include "bpf/wire.h"
#include "unwind/image_remote.h"
#include "unwind/walk.h"

#include <errno.h>
#include <stdlib.h>

#define CODE_ALIGNMENT 16u               /* of nearly all functions */
#define PAGE 4096u                       /* no page is smaller, and others are multiples of it */
#define GAP_MAX (1ull << 30)             /* a frame larger than that is nonsense */
#define SAME_STACK_GAP (1ull << 20)      /* an sp this little above the copied bytes is on the same stack */

/*
 * What libdw is asked about a file takes a microsecond or two, and some tens in the largest
 * functions of compilers. A file that is made for it takes ten thousand, as often as somebody comes
 * by another of its places; such files together get a part of the time.
 */
#define DEAR_NS (50 * NSEC_PER_USEC)     /* on average, of a file ... */
#define DEAR_FREE_NS (200 * NSEC_PER_MSEC)       /* ... beside what finding its functions takes, once */
#define DEAR_COSTS 8u                    /* they get an eighth of the time ... */
#define DEAR_OVER_NS (4 * NSEC_PER_SEC)  /* ... of so long before */

struct unwinder {
	struct rule_table rules;
	struct unwind_stats stats;
	uint64_t dear_ns;                /* up to when the time for such files is used up */
	bool tables_only, fp_only, no_callers;
};

static bool unwind_is_dear(const struct image *im)
{
	return im->asked_ns > DEAR_FREE_NS + im->asked * DEAR_NS;
}

bool walk_may_ask(const struct unwinder *u, const struct image *im, uint64_t now_ns)
{
	return now_ns >= u->dear_ns || !unwind_is_dear(im);
}

void walk_has_asked(struct unwinder *u, struct image *im, uint64_t began_ns)
{
	const uint64_t took_ns = clock_mono_ns() - began_ns;

	im->asked++;
	im->asked_ns += took_ns;
	if (unwind_is_dear(im))
		u->dear_ns = (u->dear_ns + DEAR_OVER_NS < began_ns ? began_ns - DEAR_OVER_NS : u->dear_ns) +
			took_ns * DEAR_COSTS;
}

struct unwinder *unwinder_new(void)
{
	return calloc(1, sizeof(struct unwinder));
}

void unwinder_use_tables_only(struct unwinder *u)
{
	u->tables_only = true;
}

void unwinder_use_frame_pointers_only(struct unwinder *u)
{
	u->fp_only = true;
}

void unwinder_use_no_callers(struct unwinder *u)
{
	u->no_callers = true;
}

void unwinder_free(struct unwinder *u)
{
	if (u)
		rule_table_free(&u->rules);
	free(u);
}

void unwinder_stats(const struct unwinder *u, struct unwind_stats *ret)
{
	*ret = u->stats;
	ret->bytes = sizeof(*u) + rule_table_bytes(&u->rules);
}

enum step walk_cut(struct walk *w, enum cut_reason why)
{
	w->out->cut = why;
	return STEP_CUT;
}

enum step walk_not_loaded(struct walk *w)
{
	w->out->loading = true;
	return walk_cut(w, CUT_NOT_LOADED);
}

/* The highest segment of the current stack that begins at or below ADDR; NULL = there is none. */
static const struct raw_segment *segment_below(const struct walk *w, uint64_t addr)
{
	const struct raw_segment *best = NULL;

	for (uint32_t i = 0; i < w->in->nr_segments; i++) {
		const struct raw_segment *s = &w->in->segment[i];

		if (s->interrupted == w->interrupted && s->addr <= addr && (!best || s->addr > best->addr))
			best = s;
	}
	return best;
}

/* Is ADDR, which was not copied, in a page that could not be read? Else it is behind all that was to be copied. */
static bool is_unreadable(const struct walk *w, uint64_t addr)
{
	const struct raw_segment *s = segment_below(w, addr);

	return !s || !w->bytes || (s->unreadable && (s->want <= s->len || addr - s->addr < s->want));
}

bool walk_turn_to(struct walk *w, uint64_t addr)
{
	for (uint32_t i = 0; i < w->in->nr_segments; i++) {
		const struct raw_segment *s = &w->in->segment[i];

		if (s->interrupted != w->interrupted || addr < s->addr || addr - s->addr >= s->len ||
		    s->len - (addr - s->addr) < 8)
			continue;
		w->lo = s->addr;
		w->hi = s->addr + s->len;
		w->bytes = s->bytes;
		return true;
	}
	return false;
}

enum step walk_fault(struct walk *w, uint64_t addr)
{
	if (addr < w->floor || addr - w->floor > GAP_MAX)
		return walk_cut(w, CUT_BAD_FRAME);
	w->out->fault = addr;
	if (is_unreadable(w, addr))
		return walk_cut(w, CUT_STACK_UNREADABLE);
	w->top = addr + 8;       /* so that the next copy is made long enough */
	return walk_cut(w, CUT_STACK_SIZE);
}

bool walk_read_any(struct walk *w, uint64_t addr, unsigned int size, uint64_t *ret)
{
	for (uint32_t i = 0; i < w->in->nr_segments; i++) {
		const struct raw_segment *s = &w->in->segment[i];

		if (addr < s->addr || addr - s->addr >= s->len || s->len - (addr - s->addr) < size)
			continue;
		*ret = 0;
		memcpy(ret, s->bytes + (addr - s->addr), size);
		if (s->bytes == w->bytes && addr + size > w->top)
			w->top = addr + size;
		return true;
	}
	return false;
}

/* What was copied of the stack that SP is on, there; just behind it if there is nothing else. */
static const struct raw_segment *segment_of(const struct unwind_input *in, uint64_t sp)
{
	const struct raw_segment *before = NULL;

	for (uint32_t i = 0; i < in->nr_segments; i++) {
		const struct raw_segment *seg = &in->segment[i];

		if (sp < seg->addr || sp - seg->addr > seg->len)
			continue;
		if (sp - seg->addr < seg->len)
			return seg;
		before = before ? before : seg;
	}
	return before;
}

/* The stack that sp is on becomes the current one; without a copy of it, one that has no bytes. */
static void enter_stack(struct walk *w)
{
	const struct raw_segment *s = segment_of(w->in, w->sp);

	w->used = w->used > w->top - w->base ? w->used : w->top - w->base;
	w->base = w->top = w->sp;
	w->lo = s ? s->addr : w->sp;
	w->hi = s ? s->addr + s->len : w->sp;
	w->bytes = s ? s->bytes : NULL;
	w->interrupted = s ? s->interrupted : w->interrupted;
	w->floor = w->lo;
}

const struct unwind_map *walk_map(struct walk *w, uint64_t pc)
{
	struct unwind_map *m;

	for (unsigned int i = 0; i < w->nr_maps; i++) {
		m = &w->map[w->last_map];
		if (pc >= m->start && pc < m->end)
			return m;
		w->last_map = w->last_map + 1 < w->nr_maps ? w->last_map + 1 : 0;
	}
	if (w->nr_maps < WALK_MAPS)
		w->last_map = w->nr_maps;
	m = &w->map[w->last_map];
	if (!w->space->find(w->space->ctx, pc, m) || pc < m->start || pc >= m->end) {
		m->start = m->end = 0;   /* may have been overwritten: no longer remembered */
		return NULL;
	}
	/* Code of another machine is no code here. */
	if (w->arch && m->state == MAP_READY && m->image->arch != w->arch)
		m->state = MAP_SPECIAL;
	if (w->last_map == w->nr_maps)
		w->nr_maps++;
	return m;
}

/*
 * A return address that nobody's call left may be the first byte of a function: makecontext() and
 * clone trampolines put it on the stack. It counts only when that function says that it has no
 * caller.
 */
static bool starts_root(struct image *im, uint64_t vaddr)
{
	AUTO_FREE Dwarf_Frame *row = image_row(im, vaddr);

	return row && im->arch->rule(row, false).kind == RULE_END;
}

/* What Go's own table says of VADDR, up to *RET_END. */
static bool go_rule(const struct image *im, uint64_t vaddr, struct rule *ret, uint64_t *ret_end)
{
	uint32_t frame;

	if (!go_frame_size(im->go_table, vaddr, &frame, ret_end) || frame >= INT32_MAX - 8)
		return false;
	*ret = (struct rule){ .kind = RULE_SP, .bp = RULE_BP_SAME, .cfa = (int32_t)frame + 8 };
	return true;
}

static struct rule rule_without_row(struct image *im, uint64_t vaddr)
{
	const struct frames *frames;
	struct rule rule;
	uint64_t end;

	if (image_mark(im, MARK_SIGRETURN, vaddr) || image_mark(im, MARK_SIGRETURN, vaddr + 1))
		return (struct rule){ .kind = RULE_SIGNAL, .arg = RULE_PLACED };
	if (image_mark(im, MARK_CONTEXT, vaddr + 1) || starts_root(im, vaddr + 1))
		return (struct rule){ .kind = RULE_END, .arg = RULE_PLACED };
	if (image_mark(im, MARK_ROOT, vaddr + 1))
		return (struct rule){ .kind = RULE_END };
	if (vaddr >= im->entry && vaddr < im->entry_end)
		return (struct rule){ .kind = RULE_END };
	if (image_mark(im, MARK_CLONE, vaddr))
		return (struct rule){ .kind = RULE_CLONE };
	if (vaddr >= im->plt.start && vaddr < im->plt.end)
		return im->arch->plt(vaddr - im->plt.start);
	if (go_rule(im, vaddr, &rule, &end))
		return rule;
	frames = image_frames(im, vaddr, &end);
	if (frames)
		return frames->rule;
	if (im->go || image_mark(im, MARK_FP, vaddr))
		return (struct rule){ .kind = RULE_FP, .arg = RULE_NO_TABLE };
	return (struct rule){ .kind = RULE_NONE };
}

/*
 * [START, BEHIND) is something else than what goes on from VADDR up to *END, which becomes less.
 * False: VADDR is in it.
 */
static bool unwind_goes_on(uint64_t vaddr, uint64_t *end, uint64_t start, uint64_t behind)
{
	if (behind <= vaddr || start >= *end)
		return true;
	if (start <= vaddr)
		return false;
	*end = start;
	return true;
}

/*
 * Does rule_without_row() look for something that may be at VADDR, or the byte behind it? If not,
 * *END is where that begins.
 */
static bool is_marked(const struct image *im, uint64_t vaddr, uint64_t *end)
{
	for (size_t i = 0; i < im->marks.n; i++)
		if (im->marks.v[i].kind != MARK_FP &&
		    !unwind_goes_on(vaddr, end, im->marks.v[i].range.start - 1, im->marks.v[i].range.end))
			return true;
	return !unwind_goes_on(vaddr, end, im->plt.start, im->plt.end) ||
	       (im->entry_end && !unwind_goes_on(vaddr, end, im->entry, im->entry_end));
}

struct rule walk_rule_until(struct image *im, uint64_t vaddr, uint64_t *ret_end)
{
	const struct mark *fp = im->go || im->debug ? NULL : image_mark(im, MARK_FP, vaddr);
	uint64_t until = UINT64_MAX, end = UINT64_MAX;
	const struct frames *frames = image_frames(im, vaddr, &end);
	struct rule rule = { .kind = RULE_NONE };

	*ret_end = vaddr + 1;
	/* Asking about the byte behind each place would cost as much again: functions begin at such addresses. */
	if (is_marked(im, vaddr, &until) || (frames && im->debug) ||
	    ((vaddr + 1) % CODE_ALIGNMENT == 0 && starts_root(im, vaddr + 1)))
		return rule_without_row(im, vaddr);
	if (frames) {
		rule = frames->rule;
		end = frames->range.end;
	} else if (fp) {
		rule = (struct rule){ .kind = RULE_FP, .arg = RULE_NO_TABLE };
		end = fp->range.end < end ? fp->range.end : end;
	} else if (im->go_table) {
		go_rule(im, vaddr, &rule, &end);
	}
	if (end < until)
		until = end - starts_root(im, end);
	if (until <= vaddr)
		return rule_without_row(im, vaddr);      /* the byte before a function without caller */
	*ret_end = until;
	return rule;
}

struct rule walk_learn(struct image *im, uint64_t offset)
{
	AUTO_FREE Dwarf_Frame *row = NULL;
	struct rule rule;
	uint64_t vaddr;
	bool signal;

	if (!im->arch || !image_vaddr(im, offset, &vaddr))
		return (struct rule){ .kind = RULE_NONE };
	/*
	 * Go describes the functions that switch stacks too, but what it says is true on one side
	 * of the switch only.
	 */
	if (image_go_rule(im, vaddr, &rule))
		return rule;
	row = image_row(im, vaddr);
	if (!row)
		return rule_without_row(im, vaddr);
	if (dwarf_frame_info(row, NULL, NULL, &signal) != im->arch->return_column)
		return (struct rule){ .kind = RULE_BAD };
	return im->arch->rule(row, signal);
}

/* The same of a remote image: under KEY, 0 = none, it is remembered when it has come. */
static struct rule walk_rule_remote(struct walk *w, struct image *im, uint64_t offset, uint64_t key)
{
	struct rule r;
	const int err = image_remote_rule(im, offset, &r);

	if (err == -EAGAIN)
		w->out->loading = true;
	if (err)
		return (struct rule){ .kind = RULE_BAD };
	if (key)
		rule_add(&w->u->rules, key, r);
	return r;
}

struct rule walk_rule(struct walk *w, const struct unwind_map *m, uint64_t offset)
{
	struct unwinder *u = w->u;
	uint64_t key;
	bool has_key = rule_key(m->module, offset, &key);
	const struct rule *known = has_key ? rule_find(&u->rules, key) : NULL;
	uint64_t began_ns;
	struct rule r;

	if (known) {
		u->stats.rule_hits++;
		return *known;
	}
	u->stats.rule_misses++;
	if (m->image->remote)
		return walk_rule_remote(w, m->image, offset, has_key ? key : 0);
	began_ns = clock_mono_ns();
	if (!walk_may_ask(u, m->image, began_ns))
		return (struct rule){ .kind = RULE_BAD };
	r = walk_learn(m->image, offset);
	walk_has_asked(u, m->image, began_ns);
	if (has_key)
		rule_add(&u->rules, key, r);
	return r;
}

enum step walk_fp(struct walk *w, uint64_t sp, uint64_t bp, uint64_t ret[3])
{
	if (bp == 0)
		return walk_cut(w, CUT_FP_END);
	if (bp < sp || bp % 8 || bp - sp > GAP_MAX)
		return walk_cut(w, CUT_BAD_FRAME);
	if (!walk_read_any(w, bp, 8, &ret[2]))
		return walk_fault(w, bp);
	if (!walk_read_any(w, bp + 8, 8, &ret[0]))
		return walk_fault(w, bp + 8);
	ret[0] &= w->machine->code_bits;
	ret[1] = bp + 16;
	return ret[0] ? STEP_OK : walk_cut(w, CUT_FP_END);
}

/* The caller, whose registers these are. */
static inline enum step to_frame(struct walk *w, uint64_t pc, uint64_t sp, uint64_t bp)
{
	w->pc = pc & w->machine->code_bits;
	w->sp = sp;
	w->bp = bp;
	w->exact = false;
	return w->pc ? STEP_OK : STEP_ROOT;      /* a return to 0 is impossible: whoever made this stack ended it so */
}

/* The caller by its return address at CFA - 8. BP is the caller's. */
static inline enum step to_caller(struct walk *w, uint64_t cfa, uint64_t bp)
{
	uint64_t ra;

	if (cfa <= w->sp || cfa % 8)
		return walk_cut(w, CUT_BAD_FRAME);
	if (!walk_read(w, cfa - 8, &ra))
		return walk_fault(w, cfa - 8);
	if (cfa > w->top)
		w->top = cfa;
	return to_frame(w, ra, cfa, bp);
}

/* The caller by the link register, which only the frame that runs has not lost to what it called. */
static enum step by_link(struct walk *w, uint64_t cfa, uint64_t bp)
{
	if (!w->exact || !w->link_known || cfa < w->sp || cfa % 8)
		return walk_cut(w, CUT_BAD_FRAME);
	return to_frame(w, w->link, cfa, bp);
}

/*
 * The caller by a return address that is elsewhere than where x86-64 pushes it. BP: the caller's,
 * if R has it in a register or a slot of its own.
 */
static enum step by_place(struct walk *w, const struct rule *r, uint64_t cfa, uint64_t bp)
{
	const uint64_t at = cfa + (uint64_t)((int64_t)r->bp * 8) + ((r->arg & RULE_RA) == RULE_RA_BESIDE ? 8 : 0);
	uint64_t ra;

	if ((r->arg & RULE_RA) == RULE_RA_LINK)
		return by_link(w, cfa, bp);
	if (cfa <= w->sp || cfa % 8 || at < w->sp)
		return walk_cut(w, CUT_BAD_FRAME);
	if (!walk_read(w, at, &ra))
		return walk_fault(w, at);
	if (at + 8 > w->top)
		w->top = at + 8;
	return to_frame(w, ra, cfa, bp);
}

static inline enum step by_cfa(struct walk *w, const struct rule *r, uint64_t cfa)
{
	const uint8_t ra = r->arg & RULE_RA;
	uint64_t bp = w->bp;

	/* A slot that was given up may lie below what was copied; then the register has its old value back already. */
	if (r->bp != RULE_BP_SAME && ra != RULE_RA_SLOT) {
		uint64_t slot = cfa + (uint64_t)((int64_t)r->bp * 8);

		if (!walk_read(w, slot, &bp) && slot >= w->sp)
			return walk_fault(w, slot);
	}
	return ra == RULE_RA_PUSHED ? to_caller(w, cfa, bp) : by_place(w, r, cfa, bp);
}

static enum step by_drap(struct walk *w, const struct rule *r)
{
	uint64_t cfa, bp;

	if (!walk_read(w, w->bp + (uint64_t)(int64_t)r->cfa, &cfa))
		return walk_fault(w, w->bp + (uint64_t)(int64_t)r->cfa);
	if (!walk_read(w, w->bp, &bp))
		return walk_fault(w, w->bp);
	return to_caller(w, cfa, bp);
}

/* The register REG of what a signal interrupted, where its handler returns to. */
static bool read_interrupted(struct walk *w, unsigned int reg, uint64_t *ret)
{
	return walk_read(w, w->sp + w->arch->signal_at[reg], ret);
}

static enum step unwind_by_signal(struct walk *w)
{
	const struct machine *m = w->machine;
	const uint64_t old = w->sp, last = w->sp + w->arch->signal_at[m->pc];
	uint64_t pc, sp, bp;

	if (w->sp_unknown)
		return walk_cut(w, CUT_BAD_FRAME);
	if (!read_interrupted(w, m->pc, &pc))
		return walk_fault(w, last);
	if (!read_interrupted(w, m->sp, &sp) || !read_interrupted(w, m->fp, &bp))
		return walk_fault(w, w->sp);
	w->link_known = m->link != MACHINE_NO_REG && read_interrupted(w, m->link, &w->link);
	if (last + 8 > w->top)
		w->top = last + 8;
	w->pc = pc;
	w->sp = sp;
	w->bp = bp;
	w->exact = true;
	if (sp >= w->lo && sp < w->hi)
		return sp > old ? STEP_OK : walk_cut(w, CUT_BAD_FRAME);
	if (sp >= w->hi && sp - w->hi <= SAME_STACK_GAP && !is_unreadable(w, sp) && !segment_of(w->in, sp))
		return STEP_OK;  /* the same stack, beyond the copy: the next read says so */
	enter_stack(w);
	return STEP_OK;
}

static enum step by_fp(struct walk *w)
{
	uint64_t caller[3];
	enum step st = walk_fp(w, w->sp, w->bp, caller);

	w->mixed = true;
	w->u->stats.fp_frames++;
	if (st != STEP_OK)
		return st;
	w->pc = caller[0];
	w->sp = caller[1];
	w->bp = caller[2];
	w->exact = false;
	w->sp_unknown = !w->arch->fp_ends_frame;
	return STEP_OK;
}

/* Could PC be a return address? It must lie in code that the walk can go on from. */
static bool plausible_return(struct walk *w, uint64_t pc)
{
	const struct unwind_map *m = walk_map(w, pc - 1);
	enum rule_kind kind;

	if (!m)
		return false;
	if (m->state != MAP_READY) {
		w->out->loading |= m->state == MAP_LOADING;      /* then it is known */
		return m->state == MAP_ANON;
	}
	kind = walk_rule(w, m, unwind_place(m, pc - 1)).kind;
	return kind != RULE_NONE && kind != RULE_BAD;
}

/*
 * Code without any information that has nothing on its stack but a frame, to which bp points. The
 * bp of anybody else is above the return address of this one, so it cannot be at sp. gcc's
 * crtstuff.c has such code in each object, to run its destructors.
 */
static enum step by_lone_frame(struct walk *w)
{
	uint64_t ra, bp;

	if (w->bp != w->sp)
		return walk_cut(w, CUT_NO_CFI);
	if (!walk_read(w, w->sp, &bp) || !walk_read(w, w->sp + 8, &ra))
		return walk_fault(w, w->sp);
	return plausible_return(w, ra & w->machine->code_bits) ? to_caller(w, w->sp + 16, bp) : walk_cut(w, CUT_NO_CFI);
}

/* Code without any information. Where it runs, it may be a leaf that has not touched sp. */
static enum step unwind_by_leaf(struct walk *w)
{
	uint64_t ra;

	w->mixed = true;
	if (!w->exact)
		return by_lone_frame(w);
	if (w->machine->link != MACHINE_NO_REG)
		return w->link_known && plausible_return(w, w->link & w->machine->code_bits) ?
			by_link(w, w->sp, w->bp) : by_lone_frame(w);
	if (!walk_read(w, w->sp, &ra))
		return walk_fault(w, w->sp);
	return plausible_return(w, ra) ? to_caller(w, w->sp + 8, w->bp) : by_lone_frame(w);
}

static enum step by_slow(struct walk *w)
{
	uint64_t old_sp = w->sp, old_pc = w->pc;
	enum step st;

	w->u->stats.slow_frames++;
	st = slow_step(w);
	if (st != STEP_OK)
		return st;
	if (w->exact) {
		enter_stack(w);
		return STEP_OK;
	}
	if (w->sp > w->top && w->sp <= w->hi)
		w->top = w->sp;
	/* vfork keeps its return address in a register: sp may stay for one frame, if pc moves. */
	if (w->sp < old_sp || (w->sp == old_sp && w->pc == old_pc) || w->sp % 8)
		return walk_cut(w, CUT_BAD_FRAME);
	return w->pc ? STEP_OK : STEP_ROOT;
}

static bool in_new_thread(const struct walk *w)
{
	return w->exact && w->out->n == 1 && w->in->regs[w->machine->result] == 0;
}

/*
 * The caller is on another stack. Only when it is not, as asmcgocall() of Go may be called on the
 * right one already, tells what was copied where it is; the kernel half can look.
 */
static enum step by_switch(struct walk *w, const struct rule *r)
{
	const bool framed = r->arg == SB_SWITCH_CALL_FRAMED;
	uint64_t g, sp, bp = w->bp;

	/* It may not have been changed, or both are in the copy. */
	if (r->arg == SB_SWITCH_BP && bp >= w->sp && walk_read(w, bp, &g))
		return to_caller(w, bp + 16, g);
	if ((r->arg != SB_SWITCH_CALL && !framed) || w->exact)
		return walk_cut(w, CUT_STACK_SWITCH);
	if (!walk_read(w, w->sp + (uint64_t)r->bp, &g) || !walk_read(w, w->sp + (uint64_t)r->cfa, &sp))
		return walk_fault(w, w->sp);
	if (g)
		return walk_cut(w, CUT_STACK_SWITCH);
	if (framed && !walk_read(w, sp, &bp))
		return walk_fault(w, sp);
	return to_caller(w, sp + (framed ? 16 : 8), bp);
}

static inline enum step by_rule(struct walk *w, const struct rule *r)
{
	switch ((enum rule_kind)r->kind) {
	case RULE_SP:
		if (w->sp_unknown)
			/* such code keeps the frame pointer, or nobody could have come here by it */
			return by_fp(w);
		return by_cfa(w, r, w->sp + (uint64_t)(int64_t)r->cfa);
	case RULE_BP:
		w->sp_unknown = false;
		return by_cfa(w, r, w->bp + (uint64_t)(int64_t)r->cfa);
	case RULE_PLT:
		return by_cfa(w, r, w->sp + (uint64_t)(int64_t)r->cfa + ((w->pc & 15) >= r->arg ? 8 : 0));
	case RULE_DRAP:
		return by_drap(w, r);
	case RULE_END:
		return STEP_ROOT;
	case RULE_SIGNAL:
		return unwind_by_signal(w);
	case RULE_CLONE:
		return in_new_thread(w) ? STEP_ROOT : unwind_by_leaf(w);
	case RULE_FP:
		return by_fp(w);
	case RULE_NONE:
		return unwind_by_leaf(w);
	case RULE_SLOW:
		return by_slow(w);
	case RULE_SWITCH:
		return by_switch(w, r);
	case RULE_BAD:
		break;
	}
	return walk_cut(w, w->out->loading ? CUT_NOT_LOADED : CUT_BAD_CFI);
}

static inline void unwind_emit(struct chain *c, module_id module, uint64_t offset, bool no_table)
{
	c->frame[c->n++] = (struct frame){ .module = module, .flags = no_table ? FRAME_F_NO_TABLE : 0,
					   .offset = offset };
}

/* A frame in something that has no image. */
static enum step by_state(struct walk *w, const struct unwind_map *m, uint64_t lookup)
{
	unwind_emit(w->out, m->module, unwind_place(m, lookup), m->state != MAP_LOADING && m->state != MAP_NO_FILE);
	if (w->u->tables_only && m->state != MAP_LOADING && m->state != MAP_NO_FILE)
		return walk_cut(w, CUT_NO_CFI);
	switch (m->state) {
	case MAP_ANON:
		return by_fp(w);
	case MAP_SPECIAL:
	case MAP_PROBES:
		return unwind_by_leaf(w);
	case MAP_LOADING:
		return walk_not_loaded(w);
	default:
		return walk_cut(w, CUT_NO_FILE);
	}
}

/*
 * Is PC what return probes put in place of return addresses: the start of their page? The byte
 * before is no part of it.
 */
static bool is_return_probe(struct walk *w, uint64_t pc)
{
	const struct unwind_map *m = pc % PAGE ? NULL : walk_map(w, pc);

	return m && m->state == MAP_PROBES && pc == m->start;
}

/* Looks at the frame at w->pc, adds it to the chain, and goes to its caller. */
static inline enum step one_frame(struct walk *w)
{
	uint64_t lookup = w->pc - !w->exact, offset;
	const struct unwind_map *m;
	struct rule r;

	if (!w->exact && is_return_probe(w, w->pc)) {
		w->module = ID_NONE;
		return walk_cut(w, CUT_URETPROBE);
	}
	m = walk_map(w, lookup);
	w->module = m ? m->module : ID_NONE;
	if (!m)
		return walk_cut(w, CUT_NO_MAPPING);
	if (w->out->n == CHAIN_MAX)
		return walk_cut(w, CUT_FRAME_LIMIT);
	if (w->u->fp_only && m->state != MAP_LOADING) {
		unwind_emit(w->out, m->module, unwind_place(m, lookup), true);
		return by_fp(w);
	}
	if (m->state == MAP_ANON && m->made && made_code_rule(m->made, lookup, &r)) {
		unwind_emit(w->out, m->module, unwind_place(m, lookup), false);
		return by_rule(w, &r);
	}
	if (m->state != MAP_READY)
		return by_state(w, m, lookup);
	offset = lookup - m->start + m->pgoff;
	r = walk_rule(w, m, offset);
	/* Where no call left the return address, the place itself is meant. */
	unwind_emit(w->out, m->module, offset + ((r.arg & RULE_PLACED) && !w->exact), rule_is_guess(&r));
	if (w->u->tables_only && rule_is_guess(&r))
		return walk_cut(w, CUT_NO_CFI);
	return by_rule(w, &r);
}

static void walk_stack(struct walk *w)
{
	struct chain *c = w->out;
	enum step st;

	do
		st = one_frame(w);
	while (st == STEP_OK);
	if (st == STEP_ROOT)
		c->cut = CUT_COMPLETE;
	c->cut_module = c->cut == CUT_COMPLETE ? ID_NONE : w->module;
	c->method = w->mixed ? METHOD_MIXED : METHOD_CFI;
	if (w->top - w->base > w->used)
		w->used = w->top - w->base;
	c->bytes_used = w->used < UINT32_MAX ? (uint32_t)w->used : UINT32_MAX;
}

/* Addresses that the kernel half found by frame pointers, or in branch records. */
static void take_walked(struct walk *w)
{
	struct chain *c = w->out;
	bool root = false;

	c->method = w->in->recorded ? METHOD_RECORDS : METHOD_KERNEL;
	c->cut = w->in->recorded ? CUT_RECORDS_END : CUT_FP_END;
	for (uint32_t i = 0; i < w->in->nr_walked; i++) {
		uint64_t lookup = w->in->walked[i] - (i > 0);
		const struct unwind_map *m = walk_map(w, lookup);
		uint64_t offset;

		if (!m && is_return_probe(w, w->in->walked[i])) {
			c->cut_module = ID_NONE;
			c->cut = CUT_URETPROBE;
			return;
		}
		c->cut_module = m ? m->module : ID_NONE;
		if (!m || c->n == CHAIN_MAX) {
			c->cut = m ? CUT_FRAME_LIMIT : CUT_NO_MAPPING;
			return;
		}
		offset = unwind_place(m, lookup);
		root = m->state == MAP_READY && walk_rule(w, m, offset).kind == RULE_END;
		c->loading |= m->state == MAP_LOADING;
		unwind_emit(c, m->module, offset, false);
	}
	if (root) {
		c->cut = CUT_COMPLETE;
		c->cut_module = ID_NONE;
	}
}

/* What is in M, where the kernel half came by, is not there yet: nothing is taken. False. */
static bool take_later(struct walk *w, const struct unwind_map *m)
{
	w->out->n = 0;
	w->out->cut_module = m->module;
	(void)walk_not_loaded(w);
	return false;
}

/*
 * The places that the kernel half walked by rules. It says which ones it took the rules of; when
 * those are not what is mapped there now, it walked by rules of another file, and nothing of it is
 * believed: false, with no frame in the chain. The same when one is being loaded.
 */
static bool take_places(struct walk *w)
{
	struct chain *c = w->out;
	uint64_t check = 0;

	for (uint32_t i = 0; i < w->in->nr_walked && c->n < CHAIN_MAX; i++) {
		uint64_t lookup = w->in->walked[i] - !w->exact, offset;
		const struct unwind_map *m = walk_map(w, lookup);
		struct rule r = { .kind = RULE_SP };

		if (m && m->state == MAP_LOADING)
			return take_later(w, m);
		/* It followed frame pointers through what is known better since. */
		if (!m || (m->state != MAP_READY && m->state != MAP_ANON) || (m->state == MAP_ANON && m->made))
			break;
		offset = unwind_place(m, lookup);
		w->u->stats.fp_frames += m->state == MAP_ANON;
		if ((w->in->placed || w->in->no_table) && m->state == MAP_READY)
			r = walk_rule(w, m, offset);
		if (c->loading)
			return take_later(w, m);
		check = sb_check(check, m->module, offset);
		unwind_emit(c, m->module, offset + ((r.arg & RULE_PLACED) && !w->exact),
			    m->state == MAP_ANON || rule_is_guess(&r));
		w->exact = r.kind == RULE_SIGNAL;
	}
	if (c->n == w->in->nr_walked && (check == w->in->walk_check || w->in->unchecked))
		return true;
	c->n = 0;
	c->stale = true;
	return false;
}

/* A chain that the kernel half walked by rules, whole or as far as there was room. */
static void take_ruled(struct walk *w)
{
	w->out->method = METHOD_RULES;
	if (take_places(w))
		w->out->cut = w->in->walked_full ? CUT_FRAME_LIMIT : CUT_COMPLETE;
	else if (w->out->stale)
		w->out->cut = CUT_STALE;
}

/*
 * Goes on from where the kernel half stopped, of which pc, sp and bp are known. False when what it
 * says of the way up to there is not to be believed.
 */
static bool walk_from_stop(struct walk *w)
{
	const struct raw_stop *stop = &w->in->stop;
	const struct machine *m = w->machine;
	const uint64_t first_sp = w->sp;

	if (!take_places(w))
		return false;
	w->pc = w->regs.reg[m->pc] = stop->pc;
	w->sp = w->regs.reg[m->sp] = stop->sp;
	w->bp = w->regs.reg[m->fp] = stop->bp;
	w->exact = w->regs.exact = stop->exact;
	w->link_known = false;
	w->regs.known = 1ull << m->pc | 1ull << m->sp | 1ull << m->fp;
	w->regs.frame = w->out->n;
	enter_stack(w);
	if (first_sp <= w->base)
		w->base = first_sp;
	walk_stack(w);
	return true;
}

/* Did the walk come to C because there was not enough of the stack? */
static bool is_short(const struct chain *c)
{
	return c->cut == CUT_STACK_SIZE || c->cut == CUT_STACK_UNREADABLE;
}

static enum cut_reason why_no_stack(const struct unwind_input *in)
{
	if (in->kthread)
		return CUT_COMPLETE;
	return in->compat ? CUT_COMPAT : CUT_NO_REGS;
}

/* Those that frame 0 runs with. */
static void walk_from_regs(struct walk *w)
{
	const struct machine *m = w->machine;
	const uint64_t *regs = w->in->regs;

	w->pc = m ? regs[m->pc] : 0;
	w->sp = m ? regs[m->sp] : 0;
	w->bp = m ? regs[m->fp] : 0;
	w->link_known = m && m->link != MACHINE_NO_REG;
	w->link = w->link_known ? regs[m->link] : 0;
}

void walk_begin(struct walk *w, struct unwinder *u, const struct unwind_space *space, const struct unwind_input *in,
		struct chain *out)
{
	out->n = 0;
	out->cut = CUT_COMPLETE;
	out->cut_module = ID_NONE;
	out->method = METHOD_NONE;
	out->bytes_used = 0;
	out->fault = 0;
	out->stale = out->loading = false;
	w->u = u;
	w->space = space;
	w->in = in;
	w->out = out;
	w->arch = unwind_arch_of(in->machine);
	w->machine = w->arch && in->nr_regs >= machine_of(in->machine)->nr_regs ? machine_of(in->machine) : NULL;
	walk_from_regs(w);
	w->exact = true;
	w->sp_unknown = false;
	w->mixed = false;
	w->base = w->top = w->used = 0;
	w->interrupted = false;
	w->regs.known = 0;
	w->nr_maps = w->last_map = 0;
	enter_stack(w);
}

enum step walk_frame(struct walk *w)
{
	return one_frame(w);
}

/*
 * By what was copied of the stack from its beginning on. Where that does not do, from where the
 * kernel half stopped, unless that is not as far: of that frame only pc, sp and bp are known, and
 * its rule may need more.
 */
static void walk_copy(struct walk *w, struct unwinder *u, const struct unwind_space *space,
		      const struct unwind_input *in)
{
	struct chain *c = w->out;
	uint32_t came;
	bool stale;

	walk_stack(w);
	if (!in->stopped || !in->nr_walked || !is_short(c))
		return;
	came = c->n;
	walk_begin(w, u, space, in, c);
	if ((walk_from_stop(w) && (c->cut == CUT_COMPLETE || c->n >= came)) || c->loading)
		return;
	stale = c->stale;
	walk_begin(w, u, space, in, c);
	walk_stack(w);
	c->stale = stale;
}

/* The innermost frame, as if it had no caller. */
static void take_innermost(struct walk *w)
{
	const struct unwind_map *m = walk_map(w, w->pc);

	if (!m)
		w->out->cut = CUT_NO_MAPPING;
	else if (m->state == MAP_LOADING)
		(void)walk_not_loaded(w);
	if (m)
		unwind_emit(w->out, m->module, unwind_place(m, w->pc), false);
}

void unwind_sample(struct unwinder *u, const struct unwind_space *space, const struct unwind_input *in,
		   struct chain *ret)
{
	struct walk w;

	u->stats.samples++;
	walk_begin(&w, u, space, in, ret);
	if (in->nr_walked && in->ruled)
		take_ruled(&w);
	else if (in->nr_walked && !in->stopped)
		take_walked(&w);
	else if (w.machine && !in->kthread && !in->compat)
		u->no_callers ? take_innermost(&w) : walk_copy(&w, u, space, in);
	else
		ret->cut = why_no_stack(in);
	u->stats.frames += ret->n;
}
