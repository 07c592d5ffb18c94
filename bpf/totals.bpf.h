/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * totals.bpf.h - exact totals of what each task of the target has spent, by call, in ns.
 *
 * One entry per task and call (struct sb_total_key). Only the CPU that switches a task writes its
 * entries, so nothing here is atomic; the sampler, which may interrupt a switch, leaves a task
 * alone that is being updated.
 */
#ifndef SBERF_BPF_TOTALS_H
#define SBERF_BPF_TOTALS_H

#include "maps.bpf.h"

static __always_inline struct sb_total *total_of(struct sb_cpu *c, struct task_struct *task, __s32 what)
{
	struct sb_total_key key = { .start_ns = task->start_time, .tid = task->pid, .what = what };
	struct sb_total *t = bpf_map_lookup_elem(&totals, &key), fresh = { .pid = task->tgid };

	if (t)
		return t;
	if (bpf_map_update_elem(&totals, &key, &fresh, BPF_NOEXIST) == 0)
		t = bpf_map_lookup_elem(&totals, &key);
	if (!t)
		c->lost[SB_LOST_TOTALS]++;
	return t;
}

/* TASK has run since ST says, up to NOW. Returns its entry, which may be NULL. */
static __always_inline struct sb_total *total_ran(struct sb_cpu *c, struct task_struct *task,
						  struct sb_task *st, __u64 now)
{
	struct sb_total *t = total_of(c, task, SB_TOTAL_RUN);

	/* The sampler, which may be an NMI, may have told more since NOW was read. Both clocks are this CPU's. */
	if (now < st->since_ns)
		now = st->since_ns;
	if (t) {
		t->ns += now - st->since_ns;
		t->count++;
	}
	st->since_ns = now;
	return t;
}

/* The same from the sampler, which may find a switch half done. */
static __always_inline void total_running(struct sb_cpu *c, struct task_struct *task, __u64 now)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (st && st->ready && st->on && !st->updating)
		total_ran(c, task, st, now);
}

/* A wait of BLOCKED and RUNNABLE ns is over. */
static __always_inline void total_waited(struct sb_cpu *c, struct task_struct *task, __s32 what,
					 __u64 blocked, __u64 runnable, __u64 period)
{
	struct sb_total *t = total_of(c, task, what);

	if (!t)
		return;
	if (blocked + runnable < min_wait_ns) {
		t->short_ns += blocked + runnable;
		t->short_count++;
	} else if (blocked + runnable >= period) {
		t->long_ns += blocked;
		t->long_runnable_ns += runnable;
		t->long_count++;
	} else {
		t->ns += blocked;
		t->runnable_ns += runnable;
		t->count++;
	}
}

#endif
