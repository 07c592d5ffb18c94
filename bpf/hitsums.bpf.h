/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitsums.bpf.h - adds up hits of probes that were seen before, instead of reporting them: as
 * sums.bpf.h does of waits. What the hits of a sum share is the thread, the probe and the user
 * stack, as far as it was walked by rules.
 */
#ifndef SBERF_BPF_HITSUMS_H
#define SBERF_BPF_HITSUMS_H

#include "kstack.bpf.h"
#include "sums.bpf.h"

const volatile bool sum_hits = false;
/* probes whose hits only count, by their number; user space sets it, at any time */
__u64 hits_counted = 0;
__u32 hits_turn = 0;                     /* even or odd: where sums go */

/* Preallocated: a probe may be where memory cannot be had. User space sets their size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct sb_sum_key);
	__type(value, struct sb_sum);
} even_hits SEC(".maps"), odd_hits SEC(".maps");

/*
 * A call of this length and longer is told by itself: in a sum it would be in the last part, with all
 * that are longer. So the parts are a histogram of all that are summed.
 */
#define HIT_LONG_NS (1000ull << (SB_SUM_BUCKETS - 2))

/* What a hit weighs, and since when if that is a time. */
struct weight {
	__u64 value, begun_ns;   /* value: of all hits that are told together */
	__u64 count;             /* of these */
	__u64 own;               /* what it weighs itself */
};

static __always_inline void add_hit(struct sb_sum *sum, const struct task_struct *task, __u32 probe,
				    const struct weight *weight, __u64 now)
{
	/* By powers of two of 1,000 ns, as lengths are told apart everywhere else (model/wait.h). */
	__u32 at = sb_sum_bucket(weight->own * 128 / 125);
	struct sb_sum_part *p;

	barrier_var(at);
	p = &sum->part[at & (SB_SUM_BUCKETS - 1)];
	p->blocked_ns += weight->value;
	p->runnable_ns += weight->count - 1;     /* hits that it stands for beside itself */
	p->count += weight->count;
	sum->last_ns = now;
	if (weight->own > sum->longest_blocked_ns) {
		sum->longest_ns = now;
		sum->longest_blocked_ns = weight->own;
	}
	sum->pid = task->tgid;
	sum->node = bpf_get_numa_node_id();
	sum->call = probe;
	sum->cpu = bpf_get_smp_processor_id();
}

/*
 * Adds a hit of PROBE, whose stack the walk P has, and TAKEN stands for what was read with it (plan.bpf.h), to
 * its sum: SUM_ADDED. SUM_FIRST: it is to be told, with *RET; SUM_NONE: as all others.
 */
static __always_inline enum summing sum_hit(struct sb_cpu *c, const struct sb_part_walk *p, struct task_struct *task,
					    __u32 probe, __u64 taken, const struct weight *weight, __u64 now,
					    struct sb_sum_key *ret)
{
	struct sb_sum *sum;

	if (weight->begun_ns && weight->own >= HIT_LONG_NS)
		return SUM_NONE;
	*ret = (struct sb_sum_key){
		.start_ns = task->start_time, .tid = task->pid,
		.id = sum_fold(sum_fold(sum_fold(p->check, p->space), probe), taken) | 1,
	};
	sum = hits_turn & 1 ? bpf_map_lookup_elem(&odd_hits, ret) : bpf_map_lookup_elem(&even_hits, ret);
	if (sum) {
		add_hit(sum, task, probe, weight, now);
		return SUM_ADDED;
	}
	if (!(hits_turn & 1 ? bpf_map_update_elem(&odd_hits, ret, &no_sum, BPF_NOEXIST)
			    : bpf_map_update_elem(&even_hits, ret, &no_sum, BPF_NOEXIST)))
		return SUM_FIRST;
	return SUM_NONE;
}

/* The first of KEY could not be told. */
static __always_inline void drop_hits(const struct sb_sum_key *key)
{
	if (hits_turn & 1)
		bpf_map_delete_elem(&odd_hits, key);
	else
		bpf_map_delete_elem(&even_hits, key);
}

#endif
