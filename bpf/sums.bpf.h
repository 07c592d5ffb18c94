/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sums.bpf.h - adds up short waits that were seen before, instead of reporting them.
 *
 * See struct sb_sum_key in wire.h. The key of a wait is everything that its place in a report
 * depends on: the thread, the user stack (walk.bpf.h; a copied one is unknown until user space has
 * unwound it), the kernel stack, call, state and node. A thread is on one CPU at a time, so nothing
 * here is atomic.
 */
#ifndef SBERF_BPF_SUMS_H
#define SBERF_BPF_SUMS_H

#include "maps.bpf.h"

enum summing {
	SUM_NONE,                /* it is not known, or there is no room */
	SUM_FIRST,               /* to be told */
	SUM_ADDED,
};

static const struct sb_sum no_sum;

static __always_inline struct sb_sum *find_sum(const struct sb_sum_key *key)
{
	return sums_turn & 1 ? bpf_map_lookup_elem(&odd_sums, key) : bpf_map_lookup_elem(&even_sums, key);
}

/* Makes the sum KEY. False when there is no room. */
static __always_inline bool make_sum(const struct sb_sum_key *key)
{
	return !(sums_turn & 1 ? bpf_map_update_elem(&odd_sums, key, &no_sum, BPF_NOEXIST)
			       : bpf_map_update_elem(&even_sums, key, &no_sum, BPF_NOEXIST));
}

/* The first of KEY could not be told. */
static __always_inline void drop_sum(const struct sb_sum_key *key)
{
	if (sums_turn & 1)
		bpf_map_delete_elem(&odd_sums, key);
	else
		bpf_map_delete_elem(&even_sums, key);
}

/* Which part of a sum a wait of LENGTH belongs to. Global: else all that follows is verified for each of them. */
__noinline int sb_sum_bucket(__u64 length)
{
	int at = 0;

	for (length >>= 10; at < SB_SUM_BUCKETS - 1; at++, length >>= 1)
		if (!length)
			break;
	return at;
}

/* The wait of TASK that ST says, of BLOCKED and RUNNABLE, ended NOW. */
static __always_inline void add_to_sum(struct sb_sum *sum, const struct task_struct *task,
				       const struct sb_task *st, __u64 now, __u64 blocked, __u64 runnable)
{
	__u32 at = sb_sum_bucket(blocked + runnable);
	struct sb_sum_part *p;

	barrier_var(at);
	p = &sum->part[at & (SB_SUM_BUCKETS - 1)];
	p->blocked_ns += blocked;
	p->runnable_ns += runnable;
	p->count++;
	sum->last_ns = now;
	if (blocked + runnable > sum->longest_blocked_ns + sum->longest_runnable_ns) {
		sum->longest_ns = now;
		sum->longest_blocked_ns = blocked;
		sum->longest_runnable_ns = runnable;
	}
	sum->pid = task->tgid;
	sum->node = st->node;
	sum->call = st->call;
	sum->state = st->state;
	sum->flags = st->flags;
	sum->cpu = st->cpu;
}

#endif
