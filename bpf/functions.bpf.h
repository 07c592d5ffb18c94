/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.bpf.h - functions of programs from their entry to their return: each call, with its
 * arguments, its result and the time between.
 *
 * A program at the entry notes the call in the task's own list, which the program at the return
 * takes it from. Calls belong together by the slot of their return address: that of a call is below
 * those of all that have not returned. So the calls below, or at, the slot of one that begins or
 * ends have been left without a return, by longjmp() or an exception; only where a function was
 * jumped to by another one that is watched, as compilers do for a call at the end, do both have one
 * slot, and there the trampoline stands already (returns.bpf.h). The list goes with its task, so a
 * thread may end in a call.
 *
 * A program that looks at its own return addresses would not survive a return probe. There the
 * instructions that leave the function are probed instead (src/probe/leaves.h): at each of them the
 * stack pointer is the slot again. One that jumps to another function ends the call, so both have not
 * one slot at a time.
 *
 * When a function has returned, its frame is gone; the stack that is told begins with it all the
 * same, as at its entry.
 */
#ifndef SBERF_BPF_FUNCTIONS_H
#define SBERF_BPF_FUNCTIONS_H

#include "event.bpf.h"

#define OPEN_CALLS 48u                   /* of one task: 6 KB in all */

struct open_call {
	__u64 begun_ns;
	__u64 pc, slot;                  /* the place of the probe, and where the return address is, */
	__u64 back;                      /* which this was at the entry */
	__u64 arg[SB_CALL_ARGS];
	/* named values, which are read at the entry: the function may change them, and what leads to them */
	__u64 value[SB_CALL_LOADS];
	__u32 probe;
	__u16 values;                    /* VALUES_* */
	__u16 begin;                     /* SB_BEGIN_* */
};

#define VALUES_NONE 0u
#define VALUES_READ 1u
#define VALUES_UNREAD 2u                 /* one of them cannot be read */

struct open_calls {
	__u32 nr, slice;                 /* hits_slice at the last one */
	struct sb_inside told;
	struct open_call at[OPEN_CALLS]; /* outermost first */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct open_calls);
} open_calls SEC(".maps");

/* The call of O that began last; NULL = there is none. */
static __always_inline struct open_call *last_call(struct open_calls *o)
{
	__u32 last = o->nr - 1;

	barrier_var(last);
	if (last >= OPEN_CALLS)
		return NULL;
	barrier_var(last);
	return &o->at[last];
}

/*
 * Forgets the calls of O that began in an earlier slice: they may have ended unseen, and others may have their
 * places on the stack.
 */
static __always_inline void forget_slice(struct open_calls *o)
{
	if (o->slice == hits_slice)
		return;
	o->nr = 0;
	o->slice = hits_slice;
}

#define KEEP_NONE 0u
#define KEEP_ALL 0xffffffffu

/*
 * Takes the calls off O that were left: those below SLOT, and at SLOT those that are not of the probe
 * KEEP (KEEP_NONE and KEEP_ALL are no numbers of probes).
 */
static __always_inline void take_left(struct open_calls *o, __u64 slot, __u32 keep)
{
	for (__u32 i = 0; i < OPEN_CALLS; i++) {
		struct open_call *last = last_call(o);

		if (!last || last->slot > slot || (last->slot == slot && (keep == KEEP_ALL || last->probe == keep)))
			return;
		o->nr--;
	}
}

/* The same, and C counts them; but not between slices, as the ends of calls may not be seen then. */
static __always_inline void drop_left(struct sb_cpu *c, struct open_calls *o, __u64 slot, __u32 keep)
{
	const __u32 had = o->nr;

	take_left(o, slot, keep);
	if (hits_scale && o->nr < had)
		__sync_fetch_and_add(&c->left, had - o->nr);
}

#define LEFT_NEAR (1u << 20)             /* a stack pointer further away is on another stack */

/*
 * Was CALL of TASK, which is current and has the stack pointer SP, left without a return? Then SP is above its slot, or
 * another call has put its return address there. What runs on another stack has left nothing.
 */
static __always_inline bool was_left(const struct open_call *call, struct task_struct *task, __u64 sp)
{
	const __u64 above = sp - call->slot;
	__u64 word;

	if (above && above < LEFT_NEAR)
		return true;
	word = user_word(call->slot);
	return word && word != call->back && word != trampoline_of(task);
}

/* Reads the named values of CALL, which SET says. */
static __always_inline void read_values(struct sb_cpu *c, struct open_call *call, __u32 set)
{
	__u32 place = 0;
	struct scratch *s = take_probe_scratch(c, &place);
	struct evaluation *ev = s ? (void *)s->rec : NULL;

	call->values = VALUES_UNREAD;
	if (!ev)
		return;
	ev->base[SB_LOAD_NOTHING] = 0;
	ev->when = LOADS_EARLY;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_LOADS; i++)
		ev->input[SB_INPUT_LOAD + i] = 0;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		ev->base[SB_LOAD_ARG + i] = call->arg[i];
	if (load_values(place, set)) {
		call->values = VALUES_READ;
#pragma unroll
		for (unsigned int i = 0; i < SB_CALL_LOADS; i++)
			call->value[i] = ev->input[SB_INPUT_LOAD + i];
	}
	give_scratch(s);
}

/*
 * Notes in O a call that begins with the registers REGS and goes BACK to there, at a place that has COOKIE; when there
 * is no room, that is counted.
 */
static __always_inline void note_call(struct sb_cpu *c, struct open_calls *o, struct sb_ctx_regs *regs, __u64 back,
				      __u64 cookie)
{
	const __u32 set = SB_COOKIE_LOADS(cookie);
	__u32 nr = o->nr;
	struct open_call *call;

	barrier_var(nr);
	if (nr >= OPEN_CALLS) {
		__sync_fetch_and_add(&c->lost[SB_LOST_OPEN], 1);
		lose_hit(SB_COOKIE_PROBE(cookie), SB_HIT_LOST_WHOLE);
		return;
	}
	barrier_var(nr);
	call = &o->at[nr];
	call->probe = SB_COOKIE_PROBE(cookie);
	call->values = VALUES_NONE;
	call->begin = SB_COOKIE_BEGIN(cookie);
	call->pc = regs->ip;
	call->slot = regs->sp;
	call->back = back;
	sb_regs_to_args(regs, call->arg);
	if (filtered && set)
		read_values(c, call, set);
	/* It begins when all of this is done. */
	call->begun_ns = 0;
	o->nr = nr + 1;
	note_begun();
	call->begun_ns = bpf_ktime_get_ns();
}

SEC("kprobe")
int sb_func_enter(struct sb_ctx_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 slot = regs->sp, back = user_word(slot);
	struct sb_cpu *c = this_cpu();
	struct open_calls *o;

	if (!c || !wanted(task, task->tgid, task->pid))
		return 0;
	o = bpf_task_storage_get(&open_calls, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!o) {
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
		lose_hit(SB_COOKIE_PROBE(bpf_get_attach_cookie(regs)), SB_HIT_LOST_WHOLE);
		return 0;
	}
	forget_slice(o);
	drop_left(c, o, slot, back == pending_trampoline(task) ? KEEP_ALL : KEEP_NONE);
	note_call(c, o, regs, back, bpf_get_attach_cookie(regs));
	return 0;
}

/* REGS: those of the caller, to which the function has just returned, or of the instruction that leaves it. */
static __always_inline int on_func_return(struct sb_ctx_regs *regs, bool walk)
{
	const __u64 now = bpf_ktime_get_ns();
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct open_calls *o = bpf_task_storage_get(&open_calls, task, NULL, 0);
	const __u64 cookie = bpf_get_attach_cookie(regs);
	const __u32 leaves = SB_COOKIE_LEAVES(cookie);
	const __u64 slot = leaves ? regs->sp : regs->sp - sizeof(slot);
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .placed = true,
		.nr = leaves == SB_LEAVES_JUMP ? SB_CALL_ARGS : SB_CALL_ARGS + 1,
		.slot = slot, .return_to = leaves ? 0 : regs->ip
	};
	struct sb_cpu *c = this_cpu();
	struct open_call *call;

	if (!c || !o)
		return 0;
	forget_slice(o);
	drop_left(c, o, slot, leaves ? KEEP_ALL : hit.probe);
	call = last_call(o);
	/* Else it began before its entry was watched. */
	if (!call || call->slot != slot || call->probe != hit.probe)
		return 0;
	hit.begun_ns = call->begun_ns;
	hit.now_ns = now;
	hit.own_ns = own_ns(call->begin, leaves ? SB_END_PLACE : SB_END_RETURN);
	hit.told = insides && take_told(&o->told, inside_of(call->probe, call->begun_ns));
	hit.pc = call->pc;
	if (filtered) {
		hit.loaded = call->values;
		hit.loads = SB_COOKIE_LOADS(cookie);
		hit.unread = call->values == VALUES_UNREAD;
#pragma unroll
		for (unsigned int i = 0; i < SB_CALL_LOADS; i++)
			hit.named[i] = call->value[i];
	}
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		hit.arg[i] = call->arg[i];
	/* One that jumps to another function has none yet. */
	if (leaves != SB_LEAVES_JUMP)
		hit.arg[SB_CALL_ARGS] = sb_regs_result(regs);
	o->nr--;
	return tell_hit(regs, &hit, regs, walk);
}

PROBE_PROGRAMS("kprobe", sb_func_return, on_func_return)

#endif
