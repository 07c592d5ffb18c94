/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * followed.bpf.h - calls of functions of the kernel that are followed: one at a time of each task, from when it begins
 * and meets its condition until it returns. Probes are at all places of interest inside of it: at basic blocks of the
 * function, or where functions begin and return that it calls. Others come by there as well, and what is not within
 * a call that is followed is passed over, at the price of a look at the task.
 *
 * A hit is within the call when its stack pointer is below where the call's return address is, on the same stack: so
 * interrupts, which have stacks of their own, are not of it.
 */
#ifndef SBERF_BPF_FOLLOWED_H
#define SBERF_BPF_FOLLOWED_H

#include "event.bpf.h"

#define FOLLOWED_NEAR 32768u             /* no stack of the kernel is larger */

struct followed {
	__u64 slot;                      /* where its return address is; 0 = none is followed */
	__u32 probe;
	__u32 depth;                     /* of what is called: calls of the function itself that have not returned */
	__u32 number;                    /* of the function */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct followed);
} followed SEC(".maps");

/* Where calls by pointers led, which were within calls that are followed; and how many found no room there. */
struct sb_pointed pointed[SB_POINTED];
__u64 pointed_full = 0;
#define POINTED_TRIES 16u

/* Registers, by number. An interrupt does not run a program of this kind meanwhile. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[SB_NR_REGS]);
} pointing SEC(".maps");

/* Is a place with the stack pointer SP within the call F of PROBE? */
static __always_inline bool is_within(const struct followed *f, __u32 probe, __u64 sp)
{
	return f && f->slot && f->probe == probe && f->slot - sp < FOLLOWED_NEAR;
}

/*
 * Does SP, which is not within the call F of TASK, belong to an interrupt that came within that call? Then it stands on
 * another stack than that of the task, where the call is.
 */
static __always_inline bool is_interrupt(const struct followed *f, const struct task_struct *task, __u64 sp)
{
	const __u64 stack = (__u64)task->stack;

	return f->slot && f->slot - stack < FOLLOWED_NEAR && sp - stack >= FOLLOWED_NEAR;
}

/*
 * Puts the stacks of TASK, which calls what is followed, behind the head of the record in S, at PLACE. That is rare
 * enough for a copy of the user's. Returns the offset behind them.
 */
static __always_inline __u32 put_callers(struct scratch *s, __u32 place, struct sb_ctx_regs *regs,
					 struct task_struct *task, __u64 now)
{
	struct sb_hdr *h = (void *)s->rec;
	__u32 off = EVENT_HEAD_BYTES;

	if (has_user(h, task))
		off = put_entered(s, place, off, task, now, false);
	return kernel_frames ? put_addrs(s, off, regs, SB_PART_KSTACK, 0) : off;
}

/*
 * Tells HIT, of TASK, with the registers REGS. BEGINS: it is a call that is to be followed if it meets its condition,
 * and not too many are told already; STACKS: it is told with its stacks then. Returns whether it was told.
 */
static __always_inline bool tell_followed(struct sb_ctx_regs *regs, struct hit *hit, struct task_struct *task,
					  bool begins, bool stacks, __u64 now)
{
	__u32 off = EVENT_HEAD_BYTES;
	struct weight weight = { .value = 1, .count = 1, .own = 1 };
	struct sb_cpu *c = this_cpu();
	__u32 place = 0;
	struct scratch *s = c ? take_probe_scratch(c, &place) : NULL;
	bool told = false;

	if (!s) {
		lose_hit(hit->probe, SB_HIT_LOST_WHOLE);
		return false;
	}
	if (begins && ((filtered && !is_wanted_hit(c, s, place, regs, NULL, hit, &weight, task)) ||
		       !weigh_hit(c, hit, false, &weight, task, now))) {
		give_scratch(s);
		return false;
	}
	put_hit(s, hit, &weight, task, now);
	((struct sb_hdr *)s->rec)->flags |= SB_F_KERNEL;
	if (stacks && begins && !no_callers) {
		off = put_callers(s, place, regs, task, now);
	} else {
		((struct sb_hdr *)s->rec)->flags |= SB_F_NO_USER;
		((struct sb_part_event *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES))->part.flags |=
			begins ? 0 : SB_EVENT_TOLD;
	}
	if (prints)
		off = put_prints(place, off, hit->loads);
	told = send_scratch(c, s, off);
	if (!told)
		lose_hit(hit->probe, SB_HIT_LOST_WHOLE);
	give_scratch(s);
	return told;
}

/* There is no memory for a call of PROBE. */
static __always_inline void lose_call(__u32 probe)
{
	struct sb_cpu *c = this_cpu();

	if (c)
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
	lose_hit(probe, SB_HIT_LOST_WHOLE);
}

/* REGS: the kernel's own, at a place of a followed function, or, with RETURNED, behind the call of it. */
static __always_inline int follow_call(struct sb_ctx_regs *regs, bool returned)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 now = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(regs);
	const __u64 sp = returned ? regs->sp - sizeof(__u64) : regs->sp;
	const bool root = cookie & SB_COOKIE_ROOT;
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .loads = SB_COOKIE_LOADS(cookie), .value = 1, .nr = SB_BRANCH_ARGS,
	};
	struct followed *f;
	bool within, told;
	__u64 seen;

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	seen = see_hit(hit.probe - SB_PROBE_PLACED);
	f = bpf_task_storage_get(&followed, task, NULL, root && !returned ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	within = is_within(f, hit.probe, sp);
	if (!f && root && !returned)
		lose_call(hit.probe);
	if (!f || (!within && (!root || returned || is_interrupt(f, task, sp))))
		return 0;
	sb_regs_to_args(regs, hit.arg);
	hit.arg[SB_BRANCH_RESULT] = sb_regs_result(regs);
	hit.arg[SB_BRANCH_SP] = regs->sp;
	hit.arg[SB_BRANCH_PC] = regs->ip;
	hit.arg[SB_BRANCH_NUMBER] = SB_COOKIE_TEXT(cookie);
	hit.arg[SB_BRANCH_RETURNED] = returned;
	/* One that begins where another one did has no other above it: that was left without a return. */
	if (within && root && !returned && f->slot == sp)
		within = false;
	told = tell_followed(regs, &hit, task, !within, !returned, now);
	if (!within)
		f->slot = 0;
	if (!within && told) {
		f->slot = sp;
		f->probe = hit.probe;
	} else if (f->slot == sp && (returned || cookie & SB_COOKIE_LEFT)) {
		f->slot = 0;
	}
	time_hit(hit.probe - SB_PROBE_PLACED, seen, now, told);
	return 0;
}

/*
 * The same where a function begins that is called below a followed one, or that itself, or, with RETURNED, behind the
 * call of it. How the registers are there that are given to programs for many functions differs between kernels, by
 * less than a frame: so the end of the call is not told by the stack pointer, but by the calls that have not returned.
 */
static __always_inline int follow_called(struct sb_ctx_regs *regs, bool returned)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 now = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(regs), sp = regs->sp;
	const bool root = cookie & SB_COOKIE_ROOT;
	struct hit hit = {
		.probe = SB_COOKIE_PROBE(cookie), .loads = SB_COOKIE_LOADS(cookie), .value = 1, .nr = SB_BRANCH_ARGS,
	};
	struct followed *f;
	bool within, told;
	__u64 seen;

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	seen = see_hit(hit.probe - SB_PROBE_PLACED);
	f = bpf_task_storage_get(&followed, task, NULL, root && !returned ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (!f && root && !returned)
		lose_call(hit.probe);
	if (!f)
		return 0;
	within = is_within(f, hit.probe, sp - (returned ? sizeof(__u64) : 0));
	/* If it begins where the same one did, or above, the return was not seen. Another one there was jumped to. */
	if (root && !returned && (f->slot < sp || (f->slot == sp && f->number == SB_COOKIE_TEXT(cookie))))
		within = false;
	if (!within && (!root || returned || is_interrupt(f, task, sp)))
		return 0;
	sb_regs_to_args(regs, hit.arg);
	hit.arg[SB_BRANCH_RESULT] = sb_regs_result(regs);
	hit.arg[SB_BRANCH_SP] = sp;
	hit.arg[SB_BRANCH_PC] = regs->ip;
	hit.arg[SB_BRANCH_NUMBER] = SB_COOKIE_TEXT(cookie);
	hit.arg[SB_BRANCH_RETURNED] = returned;
	told = tell_followed(regs, &hit, task, !within, !returned, now);
	if (!within) {
		f->slot = told ? sp : 0;
		f->probe = hit.probe;
		f->number = SB_COOKIE_TEXT(cookie);
		f->depth = 0;
	}
	if (root && !returned)
		f->depth++;
	if (root && returned && f->depth && !--f->depth)
		f->slot = 0;
	time_hit(hit.probe - SB_PROBE_PLACED, seen, now, told);
	return 0;
}

SEC("kprobe")
int sb_called(struct sb_ctx_regs *regs)
{
	return follow_called(regs, false);
}

SEC("kprobe")
int sb_called_ret(struct sb_ctx_regs *regs)
{
	return follow_called(regs, true);
}

/* Counts a call by the pointer number NR to where TO begins. */
static __always_inline void count_pointed(__u64 to, __u32 nr)
{
	const __u64 key = SB_POINTED_KEY(to, nr);
	const __u32 first = (__u32)((key * 0x9e3779b97f4a7c15ull) >> 40);

	for (__u32 i = 0; i < POINTED_TRIES; i++) {
		struct sb_pointed *at = &pointed[(first + i) & (SB_POINTED - 1)];
		__u64 there = at->key;

		if (!there)
			there = __sync_val_compare_and_swap(&at->key, 0, key);
		if (there && there != key)
			continue;
		__sync_fetch_and_add(&at->count, 1);
		return;
	}
	__sync_fetch_and_add(&pointed_full, 1);
}

/* A call by a pointer is next, in a function that is called within a followed one, or is that. */
SEC("kprobe")
int sb_pointer(struct sb_ctx_regs *regs)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const __u64 now = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(regs);
	const __u32 probe = SB_COOKIE_PROBE(cookie), zero = 0;
	struct followed *f;
	__u64 *v, seen;

	if (!wanted(task, task->tgid, task->pid))
		return 0;
	seen = see_hit(probe - SB_PROBE_PLACED);
	f = bpf_task_storage_get(&followed, task, NULL, 0);
	v = bpf_map_lookup_elem(&pointing, &zero);
	if (!v || !is_within(f, probe, regs->sp))
		return 0;
	sb_regs_to_dwarf(regs, v);
	count_pointed(v[SB_COOKIE_TEXT(cookie) >> 12 & 15], SB_COOKIE_TEXT(cookie) & (SB_POINTERS - 1));
	time_hit(probe - SB_PROBE_PLACED, seen, now, false);
	return 0;
}

SEC("kprobe")
int sb_followed(struct sb_ctx_regs *regs)
{
	return follow_call(regs, false);
}

SEC("kprobe")
int sb_followed_ret(struct sb_ctx_regs *regs)
{
	return follow_call(regs, true);
}

#endif
