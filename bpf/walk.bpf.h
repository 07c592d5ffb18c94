/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.bpf.h - walking a user stack in the kernel half, by rules that user space has learnt.
 *
 * One step takes a frame to its caller, exactly as src/unwind/unwind.c does it; the walk ends at a
 * root, or gives up at whatever is not plain, and then the stack is copied instead. So what comes
 * out is either a whole chain or none, and user space learns from the copy what was missing. Only
 * of a stack with too many frames the nearest are told: unless they are tiny, no copy would have
 * more.
 *
 * The functions are global: the verifier looks at each once and alone, so the loop costs it some
 * instructions a turn, and needs neither bpf_loop() nor tail calls. They find their state, of which
 * each CPU has two, by its number.
 */
#ifndef SBERF_BPF_WALK_H
#define SBERF_BPF_WALK_H

#include "record.bpf.h"
#include "space.bpf.h"

/* Answers beside SB_WALK_*. */
#define WALK_ROOT SB_WALK_NR             /* there is no caller */
#define WALK_STRANGER (SB_WALK_NR + 1)   /* SB_WALK_NO_SPACE, and nothing was ever known that was not right */
#define WALK_SWITCH (SB_WALK_NR + 2)     /* the step is one to another stack: sb_walk_switch() */
#define WALK_TURN 32u                    /* steps that sb_walk_turn() takes */
#define WALK_GAP_MAX (1ull << 30)        /* a frame larger than that is nonsense */
#define WALK_BYTES (WALK_HEAD_BYTES + 8 * SB_WALK_MAX)

/* The number of a walk of this CPU: of the sampler, which may interrupt a switch, or of a switch. */
#define WALK_OF_SAMPLER(cpu) (2 * (cpu))
#define WALK_OF_SWITCH(cpu) (2 * (cpu) + 1)

_Static_assert(SB_WALK_MAX % WALK_TURN == 0, "turns come to the longest walk");
_Static_assert(HEAD_BYTES + REGS_BYTES + WALK_BYTES + ADDRS_BYTES < RECORD_MAX, "a record holds the longest walk");

/* The word of the user's stack at ADDR, read with those above it. 0, or SB_WALK_NO_READ. */
static __always_inline int walk_read(struct walk *w, __u64 addr, __u64 *ret)
{
	__u64 at = (addr - w->window_at) / 8;
	__u32 n;

	if (addr & 7)
		return bpf_probe_read_user(ret, 8, (void *)addr) ? SB_WALK_NO_READ : 0;
	if (addr < w->window_at || at >= w->window_nr) {
		n = (PAGE_BYTES - (addr & (PAGE_BYTES - 1))) / 8;
		if (n > WINDOW_WORDS)
			n = WINDOW_WORDS;
		barrier_var(n);
		if (n > WINDOW_WORDS)
			return SB_WALK_NO_READ;
		w->window_nr = 0;
		if (bpf_probe_read_user(w->window, n * 8, (void *)addr))
			return SB_WALK_NO_READ;
		w->window_at = addr;
		w->window_nr = n;
		at = 0;
	}
	barrier_var(at);
	if (at >= WINDOW_WORDS)
		return SB_WALK_NO_READ;
	*ret = w->window[at];
	return 0;
}

/*
 * The two searches do without branches, which would be as many paths for the verifier; what is
 * behind the last item compares greater than anything.
 */

/* The mapping of SPACE that may hold PC: the last one that begins at or below it. An index. */
__noinline int sb_find_map(__u32 space, __u64 pc)
{
	struct sb_space *s = bpf_map_lookup_elem(&spaces, &space);
	__u32 at = 0;

	if (!s)
		return 0;
	for (__u32 step = SB_SPACE_MAPS / 2; step; step >>= 1) {
		/* Addresses of user space have no highest bit, so that of the difference says which is greater. */
		__u64 below = ~(pc - (s->map[(at + step) & (SB_SPACE_MAPS - 1)].start & ~(1ull << 63))) >> 63;

		at += step * (__u32)below;
		barrier_var(at);
	}
	return at & (SB_SPACE_MAPS - 1);
}

/*
 * The index of the rule for PLACE in PAGE: first the group of rows that it is in, by the head of
 * the page. As a row is ordered by its place first, one comparison will do.
 */
__noinline int sb_find_row(__u32 page, __u32 place)
{
	struct sb_page *p = bpf_map_lookup_elem(&pages, &page);
	const __u64 want = SB_ROW(place, 0xffff), from = place;
	__u32 at = 0;

	if (!p)
		return 0;
	for (__u32 step = SB_GROUPS / 2; step; step >>= 1) {
		at += step * (__u32)(~(from - p->first[(at + step) & (SB_GROUPS - 1)]) >> 63);
		barrier_var(at);
	}
	at *= SB_GROUP;
	for (__u32 step = SB_GROUP / 2; step; step >>= 1) {
		at += step * (__u32)(~(want - p->row[(at + step) & (SB_ROWS - 1)]) >> 63);
		barrier_var(at);
	}
	return p->row[at & (SB_ROWS - 1)] & 0xffff;
}

/*
 * The page of KEY, by where it was last time: one cache line instead of the several of a hash.
 * *RET_INDEX is where. NULL: there is none.
 */
static __always_inline struct sb_page *find_page(__u64 key, __u32 *ret_index)
{
	volatile __u32 *hint = &page_hint[key * MIX >> (64 - HINT_BITS)];
	__u32 at = *hint, *index;
	struct sb_page *p = bpf_map_lookup_elem(&pages, &at);

	if (!p || p->key != key) {
		index = bpf_map_lookup_elem(&page_of, &key);
		p = index ? bpf_map_lookup_elem(&pages, index) : NULL;
		if (!p)
			return NULL;
		*hint = at = *index;
	}
	*ret_index = at;
	return p;
}

/* Looks the rule for the place OFFSET of MODULE up, to *RET. 0 or SB_WALK_*. */
static __always_inline int look_up_rule(struct walk *w, __u64 module, __u64 offset, struct sb_rule *ret)
{
	__u64 key = SB_PAGE_KEY(module, offset);
	__u32 index = 0, row;
	struct sb_page *p = find_page(key, &index);
	struct sb_rule *r;

	if (!p)
		return SB_WALK_NO_PAGE;
	if (p->key != key)
		return SB_WALK_RACE;
	row = sb_find_row(index, offset & (SB_TEXT_BYTES - 1));
	r = bpf_map_lookup_elem(&rules, &row);
	if (!r)
		return SB_WALK_NO_RULE;
	*ret = *r;
	barrier();
	/* Neither the row nor the rule is believed of a page that went meanwhile. */
	if (p->key != key)
		return SB_WALK_RACE;
	p->used_ns = w->now;
	return 0;
}

static __always_inline bool recall(const volatile struct recent *k, __u64 place, struct sb_rule *ret)
{
	const __u64 rule = k->rule;

	if ((k->place ^ rule * MIX) != place)
		return false;
	*(__u64 *)ret = rule;
	return true;
}

/*
 * Asks for what the last walk by the number WHICH went by. Half of that will be needed: who runs
 * for a millisecond has mostly the same callers. It has driven it out of the caches, though, and
 * one rule after the other, each of which is needed to find the next, would be waited for. Best
 * asked right behind the look-up of the innermost frame's rule, which is seldom known: that is one
 * wait after the other, in which the processor goes on to what does not depend on it.
 */
__noinline int sb_look_ahead(__u32 which)
{
	const struct walk *w = bpf_map_lookup_elem(&walks, &which);

	for (__u32 i = 0; w && i < AHEAD_MAX && i < w->ahead_nr; i++)
		(void)*(const volatile __u64 *)&recent[w->ahead[i] & ((1u << RECENT_BITS) - 1)]->rule;
	return 0;
}

/*
 * The rule for the place OFFSET of MODULE to *RET. 0 or SB_WALK_*. What was looked up is kept for
 * all walks on all CPUs: a module is never another one, and what its file says of a place is never
 * something else, so a rule that was right stays right, also when its page gives way. It is kept
 * for a while only, after which the page hears again that it is of use. CPUs write without asking
 * each other: an entry of which two wrote a half each fits no place. The one that is driven out
 * takes the second place.
 */
static __always_inline int find_rule(struct walk *w, __u64 module, __u64 offset, struct sb_rule *ret)
{
	__u64 place = (module << SB_OFFSET_BITS | offset) ^ (w->now >> RECENT_NS_SHIFT) * MIX, rule;
	__u32 at = place * MIX >> (64 - RECENT_BITS), nr = w->nr;
	volatile struct recent *k = recent[at], *other = k + 1;
	int why;

	barrier_var(nr);
	if (nr < AHEAD_MAX)
		w->ahead[nr] = at;
	if (recall(k, place, ret) || recall(other, place, ret))
		return 0;
	why = look_up_rule(w, module, offset, ret);
	if (!why) {
		other->rule = k->rule;
		other->place = k->place;
		rule = *(__u64 *)ret;
		k->rule = rule;
		k->place = place ^ rule * MIX;
	}
	return why;
}

/* The caller by its return address at AT; BP is the caller's. 0 or an answer. */
static __always_inline int to_caller(struct walk *w, __u64 cfa, __u64 at, __u64 bp)
{
	__u64 ra, replaced;

	if (cfa <= w->sp || (cfa & 7) || cfa - w->sp > WALK_GAP_MAX)
		return SB_WALK_BAD;
	if (at == w->returned_slot)
		ra = w->returned_to;
	else if (walk_read(w, at, &ra))
		return SB_WALK_NO_READ;
	if (ra == w->trampoline) {
		replaced = sb_true_return(at);
		ra = replaced ? replaced : ra;
	}
	w->pc = ra;
	w->sp = cfa;
	w->bp = bp;
	w->exact = 0;
	return ra ? 0 : WALK_ROOT;
}

static __always_inline int by_cfa(struct walk *w, const struct sb_rule *r, __u64 cfa)
{
	__u64 bp = w->bp, slot = cfa + (__s64)r->bp * 8, at = cfa - 8;
	const __u8 ra = r->arg & SB_RULE_RA;

	if (cfa <= w->sp || (cfa & 7) || cfa - w->sp > WALK_GAP_MAX)
		return SB_WALK_BAD;
	if (ra) {
		if (ra == SB_RULE_RA_LINK)
			return SB_WALK_NO_RULE;
		at = slot + (ra == SB_RULE_RA_BESIDE ? 8 : 0);
		if (at < w->sp)
			return SB_WALK_BAD;
	}
	/* A slot that was given up may lie below the stack; then the register has its old value back already. */
	if (r->bp != SB_RULE_BP_SAME && ra != SB_RULE_RA_SLOT && slot >= w->low && walk_read(w, slot, &bp)) {
		if (slot >= w->sp)
			return SB_WALK_NO_READ;
		bp = w->bp;
	}
	return to_caller(w, cfa, at, bp);
}

static __always_inline int by_drap(struct walk *w, const struct sb_rule *r)
{
	__u64 cfa, bp;

	if (walk_read(w, w->bp + (__s64)r->cfa, &cfa) || walk_read(w, w->bp, &bp))
		return SB_WALK_NO_READ;
	return to_caller(w, cfa, cfa - 8, bp);
}

/* There is no mark for the root of a chain of frame pointers: where it ends, the walk has failed. */
static __always_inline int by_frame_pointer(struct walk *w)
{
	__u64 bp, at = w->bp;
	int why;

	if (at < w->sp || (at & 7))
		return SB_WALK_BAD;
	if (walk_read(w, at, &bp))
		return SB_WALK_NO_READ;
	why = to_caller(w, at + 16, at + 8, bp);
	return why == WALK_ROOT ? SB_WALK_BAD : why;
}

static __always_inline int by_signal(struct walk *w)
{
	__u64 old = w->sp, sp, bp, pc;

	if (walk_read(w, old + SB_SIGNAL_BP_AT, &bp) || walk_read(w, old + SB_SIGNAL_SP_AT, &sp) ||
	    walk_read(w, old + SB_SIGNAL_PC_AT, &pc))
		return SB_WALK_NO_READ;
	if (sp <= old && old - sp < SB_STACK_MAX)
		return SB_WALK_BAD;
	w->pc = pc;
	w->sp = sp;
	w->bp = bp;
	w->low = sp - SB_RED_ZONE;
	w->exact = 1;
	w->args |= SB_RULE_PLACED;
	return 0;
}

static __always_inline __u64 user_word(__u64 addr)
{
	__u64 v = 0;

	return bpf_probe_read_user(&v, sizeof(v), (void *)addr) ? 0 : v;
}

/* Goes on at PC, with SP, on another stack. */
static __always_inline int to_stack(struct walk *w, __u64 pc, __u64 sp)
{
	if (!pc || !sp || sp & 7)
		return SB_WALK_BAD;
	w->pc = pc;
	w->sp = sp;
	w->low = sp - SB_RED_ZONE;
	w->exact = 0;
	return 0;
}

/* To the caller of a function whose return address is at SP, or (FRAMED) bp, and then that. */
static __always_inline int to_caller_at(struct walk *w, __u64 sp, bool framed)
{
	if (framed) {
		w->bp = user_word(sp);
		sp += 8;
	}
	return to_stack(w, user_word(sp), sp + 8);
}

/* The goroutine G goes on where it keeps that itself. */
static __always_inline int to_goroutine(struct walk *w, __u64 g)
{
	return to_stack(w, user_word(g + SB_GO_PC), user_word(g + SB_GO_SP));
}

/* From asmcgocall() to its caller: by the goroutine that it keeps, or by the stack pointer. */
static __always_inline int from_call(struct walk *w, const struct sb_rule *r)
{
	__u64 g = user_word(w->sp + r->bp), sp = user_word(w->sp + r->cfa);

	if (g)
		sp = user_word(g + SB_GO_STACK_END) - sp;
	return to_caller_at(w, sp, r->arg == SB_SWITCH_CALL_FRAMED);
}

/* From mcall(): its goroutine is the caller until it is given up; what the thread does then is its own. */
static __always_inline int from_park(struct walk *w, const struct sb_rule *r)
{
	__u64 g = user_word(w->sp), m = user_word(g + SB_GO_M);

	if (!g)
		return SB_WALK_BAD;
	return m && user_word(m + r->bp) == g ? to_goroutine(w, g) : WALK_ROOT;
}

/* From cgocallback() to its frame on the thread's own stack, or on that of the one before, and to who called there. */
static __always_inline int from_back(struct walk *w, const struct sb_rule *r, __u64 m)
{
	__u64 frame = w->back_sp ? w->back_sp : user_word(user_word(m + SB_GO_G0) + SB_GO_SP),
		before = user_word(frame), bp;
	int why;

	bp = user_word(frame + r->bp - 8);
	why = to_stack(w, user_word(frame + r->bp), frame + r->bp + 8);
	if (why)
		return why;
	w->bp = bp;
	w->back_sp = before;
	return 0;
}

/* By the rule R, whose kind is SB_RULE_SWITCH. 0 or an answer. */
static __always_inline int by_switch(struct walk *w, const struct sb_rule *r)
{
	__u64 g, m;

	if (r->arg == SB_SWITCH_BP)
		return to_caller_at(w, w->bp, true);
	if (w->exact)
		return SB_WALK_NO_RULE;
	if (r->arg == SB_SWITCH_CALL || r->arg == SB_SWITCH_CALL_FRAMED)
		return from_call(w, r);
	if (r->arg == SB_SWITCH_PARK)
		return from_park(w, r);
	if (r->arg == SB_SWITCH_UNKNOWN)
		return SB_WALK_NO_RULE;
	g = user_word(sb_thread_pointer(plain((struct task_struct *)bpf_get_current_task_btf())) + (__s64)r->cfa);
	m = user_word(g + SB_GO_M);
	if (!g || !m)
		return SB_WALK_NO_RULE;
	if (r->arg == SB_SWITCH_BACK)
		return from_back(w, r, m);
	/* Is the thread on its own stack at all? */
	if (user_word(m + SB_GO_G0) != g)
		return SB_WALK_NO_RULE;
	g = user_word(m + r->bp);
	if (!g)
		return SB_WALK_NO_RULE;
	if (r->arg == SB_SWITCH_MORE)
		return to_goroutine(w, g);
	return to_caller_at(w, user_word(g + SB_GO_SP), r->arg == SB_SWITCH_UP_FRAMED);
}

static __always_inline int by_rule(struct walk *w, const struct sb_rule *r)
{
	__u64 base = w->sp + (__s64)r->cfa;

	switch (r->kind) {
	case SB_RULE_SP:
		break;
	case SB_RULE_BP:
		base = w->bp + (__s64)r->cfa;
		break;
	case SB_RULE_PLT:
		base += (w->pc & SB_PLT_MASK) >= r->arg ? 8 : 0;
		break;
	case SB_RULE_DRAP:
		return by_drap(w, r);
	case SB_RULE_END:
		return WALK_ROOT;
	case SB_RULE_SIGNAL:
		return by_signal(w);
	case SB_RULE_FP:
		return by_frame_pointer(w);
	default:
		return SB_WALK_NO_RULE;
	}
	return by_cfa(w, r, base);
}

static __always_inline const struct sb_map *map_at(const struct sb_space *sp, __u32 at)
{
	barrier_var(at);
	return &sp->map[at & (SB_SPACE_MAPS - 1)];
}

/*
 * The mapping of SP, which is the space of W, that holds PC: one of the last two, or what a search
 * finds. NULL: there is none.
 */
static __always_inline const struct sb_map *find_map(struct walk *w, const struct sb_space *sp, __u64 pc)
{
	const struct sb_map *m = map_at(sp, w->map);
	__u32 before = w->map_before;

	if (pc >= m->start && pc < m->end)
		return m;
	w->map_before = w->map;
	w->map = before;
	m = map_at(sp, before);
	if (pc >= m->start && pc < m->end)
		return m;
	w->map = sb_find_map(w->space, pc);
	m = map_at(sp, w->map);
	return pc >= m->start && pc < m->end ? m : NULL;
}

/*
 * A step by a rule ended with WHY: its frame counts, and CHECK is that of the walk with it. Where
 * it cannot go on it stands as before.
 */
static __always_inline int walk_stepped(struct walk *w, int why, __u64 check)
{
	if (why && why != WALK_ROOT)
		return why;
	w->check = check;
	/* else NR is kept on the stack, where the verifier of 6.1 forgets its bound before it is used */
	barrier();
	w->nr++;
	return why;
}

/* The step of the walk WHICH that sb_walk_step() left over: to another stack. 0, WALK_ROOT or SB_WALK_*. */
__noinline int sb_walk_switch(__u32 which)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct sb_rule r;

	if (!w)
		return SB_WALK_BAD;
	r = w->rule;
	return walk_stepped(w, by_switch(w, &r), w->switch_check);
}

/* Notes the frame at which the walk WHICH stands and goes to its caller. 0, WALK_ROOT, WALK_SWITCH or SB_WALK_*. */
__noinline int sb_walk_step(__u32 which)
{
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct sb_space *sp;
	struct sb_rule r = { 0 };
	const struct sb_map *m;
	__u64 lookup, offset, module;
	__u32 nr;
	int why;

	if (!w)
		return SB_WALK_BAD;
	sp = bpf_map_lookup_elem(&spaces, &w->space);
	if (!sp)
		return SB_WALK_NO_SPACE;
	lookup = w->pc - !w->exact;
	m = find_map(w, sp, lookup);
	if (!m)
		return SB_WALK_NO_MAP;
	offset = lookup - m->start + m->pgoff;
	if (m->module & SB_MAP_FP) {
		/* What a relative has made is not known as this process's. */
		if (sp->id != w->id)
			return SB_WALK_NO_MAP;
		r.kind = SB_RULE_FP;
	} else {
		why = find_rule(w, m->module, offset, &r);
		if (why)
			return why;
	}
	nr = w->nr;
	if (!nr)
		sb_look_ahead(which);
	barrier_var(nr);
	if (nr >= SB_WALK_MAX)
		return SB_WALK_DEEP;
	w->frame[nr] = w->pc;
	w->args |= r.arg;
	module = m->module;
	if (r.kind == SB_RULE_SWITCH) {
		w->rule = r;
		w->switch_check = sb_check(w->check, module, offset);
		return WALK_SWITCH;
	}
	why = by_rule(w, &r);
	return walk_stepped(w, why, sb_check(w->check, module, offset));
}

/*
 * Takes up to WALK_TURN steps of the walk WHICH, and returns the answer of the last one. One loop
 * over all steps would cost the verifier the square of their number: it marks the counter as
 * precise in each turn, and where it cannot look back through a call (in Linux 6.1 it cannot) it
 * does so in all states of the turns before. That was half of the time that loading the programs
 * took there.
 */
__noinline int sb_walk_turn(__u32 which)
{
	int why = 0;

	for (__u32 i = 0; i < WALK_TURN; i++) {
		why = sb_walk_step(which);
		/* From here and not from there, as what calls each other has 512 bytes of stack in all. */
		if (why == WALK_SWITCH)
			why = sb_walk_switch(which);
		if (why)
			break;
	}
	return why;
}

static __always_inline volatile struct kin *kin_at(__u64 kin)
{
	return &kins[kin * MIX >> (64 - KIN_BITS)];
}

/* Is SP the space of the memory ID, and not being written? *RET_SEQ is its sequence number. */
static __always_inline bool is_space_of(const struct sb_space *sp, __u64 id, __u32 *ret_seq)
{
	*ret_seq = *(const volatile __u32 *)&sp->seq;
	barrier();
	return !(*ret_seq & 1) && sp->id == id;
}

/*
 * The space that TASK, whose memory W knows, is walked by: its own, or while it has none that of a
 * relative. A process of which what is known turned out to be wrong has one that is nobody's.
 * *RET_SEQ is its sequence number. An index, or minus an answer.
 */
static __always_inline __s64 find_space(const struct walk *w, struct task_struct *task, __u32 *ret_seq)
{
	__u32 tgid = task->tgid, at = w->space, *index;
	struct sb_space *sp = bpf_map_lookup_elem(&spaces, &at);
	__u64 id = w->id, kin = w->kin;
	volatile struct kin *k = kin_at(kin);

	if (sp && is_space_of(sp, id, ret_seq))
		return at;                               /* as for the last walk */
	index = bpf_map_lookup_elem(&space_of, &tgid);
	at = index ? *(volatile __u32 *)index : 0;       /* read once: user space may give it away meanwhile */
	sp = index ? bpf_map_lookup_elem(&spaces, &at) : NULL;
	if (sp) {
		*ret_seq = *(volatile __u32 *)&sp->seq;
		barrier();
		if (*ret_seq & 1)
			return -SB_WALK_RACE;
		if (!sp->id)
			return -SB_WALK_NO_SPACE;
		if (sp->id == id)
			return at;
	}
	at = k->index;
	id = k->id;
	if (!kin || k->tag != KIN_TAG(kin, id, at))
		return -WALK_STRANGER;
	sp = bpf_map_lookup_elem(&spaces, &at);
	if (!sp)
		return -WALK_STRANGER;
	return is_space_of(sp, id, ret_seq) ? at : -WALK_STRANGER;
}

/*
 * W came to its root by the space SP, which is AT: if it is of its own memory, its relatives may
 * use it, unless they have one of as many mappings.
 */
static __always_inline void show_kin(struct sb_space *sp, const struct walk *w, __u32 at)
{
	__u64 kin = w->kin, id = w->id, old_id;
	volatile struct kin *k = kin_at(kin);
	__u32 old_at = k->index;
	struct sb_space *theirs;

	if (sp->kin || sp->id != id)
		return;
	sp->kin = kin | 1;
	old_id = k->id;
	theirs = k->tag == KIN_TAG(kin, old_id, old_at) ? bpf_map_lookup_elem(&spaces, &old_at) : NULL;
	if (!kin || (theirs && theirs->id == old_id && theirs->nr >= sp->nr))
		return;
	k->index = at;
	k->id = id;
	k->tag = KIN_TAG(kin, id, at);
}

/* Walks from the registers V, which are those of TASK. 0 when it came to a root, SB_WALK_*, or WALK_STRANGER. */
static __always_inline int walk_stack(__u32 which, struct walk *w, const __u64 *v, struct task_struct *task, __u64 now)
{
	__u32 seq = 0, index;
	struct sb_space *sp;
	int why = SB_WALK_DEEP;
	__s64 at;

	know_memory(w, task);
	at = find_space(w, task, &seq);
	if (at < 0)
		return -at;
	index = at;
	sp = bpf_map_lookup_elem(&spaces, &index);
	if (!sp)
		return SB_WALK_NO_SPACE;
	w->pc = v[SB_DWARF_PC];
	w->sp = v[SB_DWARF_SP];
	w->bp = v[SB_DWARF_BP];
	w->low = w->sp - SB_RED_ZONE;
	w->check = 0;
	w->now = now;
	w->window_nr = 0;
	w->space = index;
	w->exact = 1;
	w->nr = 0;
	w->args = 0;
	w->back_sp = 0;
	w->trampoline = pending_trampoline(task);
	for (__u32 i = 0; i < SB_WALK_MAX / WALK_TURN; i++) {
		why = sb_walk_turn(which);
		if (why)
			break;
	}
	barrier();
	w->ahead_nr = w->nr;
	if (*(volatile __u32 *)&sp->seq != seq)
		return SB_WALK_RACE;
	sp->used_ns = now;
	if (why == WALK_ROOT)
		show_kin(sp, w, index);
	return why == WALK_ROOT ? 0 : why ? why : SB_WALK_DEEP;
}

/* The frames of W, at most MAX, to A, as FLAGS say. Returns the bytes of that part, 0 = there was no room. */
static __always_inline __u32 put_frames(struct sb_part_addrs *a, struct walk *w, __u32 max, __u16 flags)
{
	const __u32 nr = w->nr;
	__u32 bytes = nr * 8;

	/* What is compared is what is used: the verifier of 6.1 forgets what it knew of a value that was spilled. */
	barrier_var(bytes);
	if (nr > max || bytes > max * 8 || bpf_probe_read_kernel(a + 1, bytes, w->frame))
		return 0;
	a->part.size = sizeof(*a) + nr * 8;
	a->part.type = SB_PART_WALKED;
	a->part.flags = flags | (w->args & SB_RULE_PLACED ? SB_ADDRS_PLACED : 0) |
			(w->args & SB_RULE_NO_TABLE ? SB_ADDRS_NO_TABLE : 0);
	a->nr = nr;
	a->error = 0;
	return sizeof(*a) + nr * 8;
}

/* Says to REC where W stopped, with at most MAX frames before. Returns the bytes that were added. */
static __always_inline __u32 put_stop(__u8 *rec, struct walk *w, __u32 max)
{
	struct sb_part_stop *p = (void *)rec;

	p->part.size = sizeof(*p);
	p->part.type = SB_PART_STOP;
	p->part.flags = w->exact ? SB_STOP_EXACT : 0;
	p->pc = w->pc;
	p->sp = w->sp;
	p->bp = w->bp;
	return sizeof(*p) + put_frames((void *)(p + 1), w, max, SB_ADDRS_STOPPED);
}

/* Did a walk that ended because of WHY stop at a frame that somebody else may go on from? */
static __always_inline bool has_stopped(int why)
{
	return why == SB_WALK_NO_MAP || why == SB_WALK_NO_PAGE || why == SB_WALK_NO_RULE || why == SB_WALK_NO_READ ||
		why == SB_WALK_BAD;
}

/*
 * The stack of TASK, which is current, by rules, or the reason why not, to REC in the record of H;
 * V are the registers that it was entered with. The walk WHICH is free. There are MAX frames of
 * room. Returns the bytes that were added; *RET_WALKED: no copy is needed. If one is, *RET_STOP is
 * the stack pointer of where the walk stopped, 0 = where it began.
 */
static __always_inline __u32 put_walk(struct sb_hdr *h, __u8 *rec, __u32 max, __u32 which, struct task_struct *task,
				      const __u64 *v, __u64 now, bool *ret_walked, __u64 *ret_stop)
{
	struct sb_part_walk *p = (void *)rec;
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	int why = w ? walk_stack(which, w, v, task, now) : SB_WALK_NO_SPACE;
	__u32 bytes;

	if (why == WALK_STRANGER) {
		h->flags |= SB_F_STRANGER;
		why = SB_WALK_NO_SPACE;
	}
	p->part.size = sizeof(*p);
	p->part.type = SB_PART_WALK;
	p->part.flags = why;
	p->space = w ? w->id : 0;
	p->check = w ? w->check : 0;
	*ret_walked = false;
	*ret_stop = 0;
	if (!w)
		return sizeof(*p);
	/* The frame of a callback of Go that it came by last cannot be told. */
	if (has_stopped(why) && w->nr && !w->back_sp) {
		*ret_stop = w->sp;
		return sizeof(*p) + put_stop(rec + sizeof(*p), w, max);
	}
	if (why && why != SB_WALK_DEEP)
		return sizeof(*p);
	bytes = put_frames((void *)(p + 1), w, max, SB_ADDRS_RULES | (why ? SB_ADDRS_FULL : 0));
	if (!bytes) {
		p->part.flags = SB_WALK_DEEP;
		return sizeof(*p);
	}
	*ret_walked = !verify_every || bpf_get_prandom_u32() % verify_every;
	return sizeof(*p) + bytes;
}

#endif
