/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nodes.bpf.h - the NUMA node that a task is on, its home node, and its moves by the scheduler.
 *
 * Task switches (offcpu.bpf.h) show that a task came back on another node than it left. The
 * scheduler may also move it several times while it waits: sched_migrate_task reports each move.
 */
#ifndef SBERF_BPF_NODES_H
#define SBERF_BPF_NODES_H

#include "quota.bpf.h"
#include "target.bpf.h"
#include "totals.bpf.h"

/*
 * Before 5.16 x86 and others kept it in the task itself (bcf9033e5449, "sched: move CPU field back
 * into thread_info").
 */
struct task_struct___cpu {
	__u32 cpu;
} __attribute__((preserve_access_index));

/* The CPU that TASK is on, or was last. */
static __always_inline __u32 task_cpu(struct task_struct *task)
{
	struct task_struct___cpu *old = (void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return task->thread_info.cpu;
	return bpf_core_field_exists(old->cpu) ? BPF_CORE_READ(old, cpu) : 0;
}

static __always_inline __u32 node_of(__u32 cpu)
{
	__u32 *node = bpf_map_lookup_elem(&cpu_node, &cpu);

	return node ? *node : 0;
}

/* Before the task is moved, as it is woken or with its run queue locked. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sb_migrate, struct task_struct *task, int dest_cpu)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, task, NULL, 0);
	struct sb_cpu *c = this_cpu();
	struct sb_total *t;

	if (st && st->ready && !st->on)
		quota_move(st, task, dest_cpu);
	if (!c || !many_nodes || node_of(task_cpu(task)) == node_of(dest_cpu) || !wanted_other(task))
		return 0;
	t = total_of(c, task, SB_TOTAL_RUN);
	if (t)
		__sync_fetch_and_add(&t->kernel_moves, 1);
	return 0;
}

/* The memory policy that TASK has for itself. */
static __always_inline void put_policy(struct sb_home *h, struct task_struct *task)
{
	struct mempolicy *policy;

	if (!bpf_core_field_exists(task->mempolicy))
		return;
	policy = task->mempolicy;
	if (!policy || !bpf_core_field_exists(policy->nodes.bits))
		return;
	h->policy = policy->mode;
	h->flags = policy->flags;
	h->nodes[0] = policy->nodes.bits[0];
	if (bpf_core_field_size(policy->nodes.bits) > sizeof(__u64))
		h->nodes[1] = policy->nodes.bits[1];
}

/* Lists the nodes of every task of the target. */
SEC("iter/task")
int sb_homes(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sb_home h = { .home = -1 };

	if (!task || !task->pid || !wanted_other(task))
		return 0;
	h.start_ns = task->start_time;
	h.pid = task->tgid;
	h.tid = task->pid;
	h.node = node_of(task_cpu(task));
	if (bpf_core_field_exists(task->numa_preferred_nid))
		h.home = task->numa_preferred_nid;
	put_policy(&h, task);
	bpf_seq_write(ctx->meta->seq, &h, sizeof(h));
	return 0;
}

#endif
