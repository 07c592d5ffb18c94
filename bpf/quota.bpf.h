/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quota.bpf.h - whether a task that could run must wait until its cgroup has CPU time again (cpu.max).
 *
 * Since Linux 6.18 each thread of a group without time is kept from running on its way to user mode: it says so itself
 * when it leaves its CPU. Before, the group's part of the run queue of a CPU is taken off as a whole, with whoever is
 * in it or comes to it: preempted before, or woken meanwhile. That part counts the time for which it was off, so what
 * it counts while a task is in it tells for how long the task was kept.
 */
#ifndef SBERF_BPF_QUOTA_H
#define SBERF_BPF_QUOTA_H

#include "maps.bpf.h"

/* Not 0: TASK, if it could run, must wait until its cgroup has time again. Without a branch (see its users). */
static __always_inline __u32 throttled_by(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(task->se.cfs_rq) && bpf_core_field_exists(struct cfs_rq, throttle_count))
		return task->se.cfs_rq->throttle_count;
	return 0;
}

/* Do parts of run queues count what threads do not say themselves? */
static __always_inline bool quota_counts(void)
{
	return !bpf_core_field_exists(struct task_struct, throttled) &&
	       bpf_core_field_exists(struct sched_entity, cfs_rq) &&
	       bpf_core_field_exists(struct cfs_rq, throttle_count);
}

/* For how long RQ has been off its run queue, in ns: since 6.6 as long as somebody was in it. */
static __always_inline __u64 quota_off_ns(struct cfs_rq *rq)
{
	if (bpf_core_field_exists(rq->throttled_clock_self_time))
		return rq->throttled_clock_self_time;
	if (bpf_core_field_exists(rq->throttled_clock_pelt_time))
		return rq->throttled_clock_pelt_time;
	if (bpf_core_field_exists(rq->throttled_clock_task_time))
		return rq->throttled_clock_task_time;
	return 0;
}

/* TASK is runnable from now on. */
static __always_inline void quota_begin(struct sb_task *st, struct task_struct *task)
{
	if (!quota_counts())
		return;
	st->queue = (__u64)task->se.cfs_rq;
	st->queue_off_ns = quota_off_ns(task->se.cfs_rq);
}

/* TASK goes to the run queue of CPU, with what was counted so far. */
static __always_inline void quota_move(struct sb_task *st, struct task_struct *task, int cpu)
{
	struct cfs_rq *from = task->se.cfs_rq, **queues, *to = NULL;
	__u64 off_ns = 0;

	if (!quota_counts() || !bpf_core_field_exists(struct task_struct, sched_task_group) ||
	    !bpf_core_field_exists(struct task_group, cfs_rq) || st->queue != (__u64)from)
		return;
	queues = BPF_CORE_READ(task, sched_task_group, cfs_rq);
	bpf_probe_read_kernel(&to, sizeof(to), queues + cpu);
	if (bpf_core_field_exists(to->throttled_clock_self_time))
		bpf_core_read(&off_ns, sizeof(off_ns), &to->throttled_clock_self_time);
	else if (bpf_core_field_exists(to->throttled_clock_pelt_time))
		bpf_core_read(&off_ns, sizeof(off_ns), &to->throttled_clock_pelt_time);
	else if (bpf_core_field_exists(to->throttled_clock_task_time))
		bpf_core_read(&off_ns, sizeof(off_ns), &to->throttled_clock_task_time);
	st->queue = (__u64)to;
	st->queue_off_ns = off_ns - (quota_off_ns(from) - st->queue_off_ns);
}

/*
 * TASK could run for RUNNABLE ns and runs now: was it kept from it by the quota of its cgroup for most of that time?
 * What is counted begins when its queue was taken off, which may have been before it came.
 */
static __always_inline bool quota_kept(const struct sb_task *st, struct task_struct *task, __u64 runnable)
{
	__u64 off_ns;

	if (!quota_counts() || !runnable || st->queue != (__u64)task->se.cfs_rq)
		return false;
	off_ns = quota_off_ns(task->se.cfs_rq) - st->queue_off_ns;
	return (__s64)off_ns > 0 && off_ns >= runnable / 2;
}

#endif
