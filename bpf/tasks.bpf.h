/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tasks.bpf.h - gives existing tasks their state, and lists those that wait.
 *
 * A task's state is created where memory can be allocated: at its fork, or by the iterator, which
 * user space runs at the start and then again and again to list open waits. So a task that joins
 * the target in another way is followed from the next run on.
 */
#ifndef SBERF_BPF_TASKS_H
#define SBERF_BPF_TASKS_H

#include "nodes.bpf.h"
#include "offcpu.bpf.h"

#define FOUND 0xff               /* low byte of the id of a wait that no switch of its task was seen for */

/* A task of the target made CHILD: it waits in the run queue from now on. */
static __always_inline void start_child(struct task_struct *child)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct sb_cpu *c = this_cpu();

	if (!st) {
		if (c)
			c->lost[SB_LOST_TASK_STATE]++;
		return;
	}
	st->since_ns = bpf_ktime_get_ns();
	begin_wait(st, child, SB_STATE_NEW, 0, st->since_ns, FOUND, bpf_get_smp_processor_id(), bpf_get_numa_node_id());
	st->call = SB_CALL_FAULT;
	st->ready = 1;
}

/* What TASK waits for, which was there before the capture: memory is not read. */
static __always_inline void seed_lock(struct sb_task *st, struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	if (st->call == SB_CALL_FUTEX && !(st->flags & SB_WAIT_COMPAT) &&
	    SB_FUTEX_WAITS >> (regs->si & SB_FUTEX_COMMAND & 31) & 1)
		st->lock = regs->di;
	/* Not as what it asked for: it may have got it meanwhile, which is told before this is noted. */
	if (kernel_locks && klock_before(task))
		st->lock = klock_before(task);
}

/*
 * TASK was there before the capture. It may switch while it is looked at: the switch programs leave
 * it alone until it is ready, and what was seen is checked again after that.
 */
static __always_inline void seed(struct sb_task *st, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 cpu = task_cpu(task);

	st->since_ns = now;
	if (task->on_cpu) {
		st->on = 1;
	} else {
		begin_wait(st, task, decode_state(task, false, task->__state), SB_WAIT_SEEDED, now, FOUND, cpu,
			   node_of(cpu));
		set_call(st, task);
		seed_lock(st, task);
	}
	st->ready = 1;
	barrier();
	if (!st->on && task->on_cpu) {
		st->since_ns = now;
		st->on = 1;
	}
}

/* The user's registers of TASK, which has no slot: its stack is read from outside. */
static __always_inline void put_open_regs(struct opening *p, struct task_struct *task)
{
	struct sb_open *o = &p->o;
	struct pt_regs *regs;

	if (task->flags & PF_KTHREAD || !has_user_side(task) || o->flags & SB_WAIT_COMPAT)
		return;
	regs = (void *)bpf_task_pt_regs(task);
	sb_regs_to_dwarf(regs, p->reg);
	o->nr_regs = p->reg[SB_DWARF_SP] ? SB_NR_REGS : 0;
	o->machine = SB_EM_MACHINE;
}

/* The true return addresses of TASK, whose stack is read from outside. */
static __always_inline void put_open_returns(struct opening *p, struct task_struct *task)
{
	struct return_instance *at = pending_return(task);
	__u32 n = 0;

	for (__u32 i = 0; i < SB_OPEN_RETURNS && at; i++) {
		p->back[2 * i] = at->stack;
		p->back[2 * i + 1] = at->orig_ret_vaddr;
		at = at->next;
		n++;
	}
	p->o.trampoline = trampoline_of(task);
	p->o.nr_returns = n;
}

/*
 * The kernel's stack of TASK, once in its wait: that takes microseconds, and it stays the same. Not
 * of waits that user space would not keep yet. Returns how many bytes.
 */
static __always_inline __u32 put_open_kernel(struct opening *p, const struct sb_task *st, struct task_struct *task)
{
	long got;

	if (!kernel_frames || st->kstack_id == st->id ||
	    (st->since_ns > open_kstack_ns && !(st->flags & SB_WAIT_SEEDED)))
		return 0;
	got = bpf_get_task_stack(task, p->kernel, sizeof(p->kernel), 0);
	if (got <= 0 || got > (long)sizeof(p->kernel))
		return 0;
	p->o.nr_kernel = (__u32)got / 8;
	return got;
}

/* TASK comes to the target while it runs. */
static __always_inline void start_running(struct task_struct *task)
{
	struct sb_task *st = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct sb_cpu *c = this_cpu();

	if (st && !st->ready)
		seed(st, task);
	else if (!st && c)
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
}

static __always_inline void list(struct seq_file *seq, struct sb_task *st, struct task_struct *task)
{
	__u32 zero = 0, bytes;
	struct opening *p = bpf_map_lookup_elem(&opening, &zero);
	long full;
	__u8 state;

	if (!p)
		return;
	p->o = (struct sb_open){
		.id = st->id, .out_ns = st->since_ns, .waking_ns = st->waking_ns, .start_ns = task->start_time,
		.cgroup_id = cgroup_id(task), .exe_id = exe_id(task), .pid = task->tgid,
		.tid = task->pid, .cpu = st->cpu,
		.node = st->node, .call = st->call, .state = st->state, .flags = st->flags,
	};
	/* The freezer of cgroup v1 leaves those that sleep where they are, since 6.1, and so does who thaws them. */
	state = decode_state(task, false, task->__state);
	if (state != SB_STATE_PREEMPTED && (state == SB_STATE_FROZEN || st->state == SB_STATE_FROZEN))
		p->o.state = state;
	if ((st->waking_ns || st->state == SB_STATE_PREEMPTED) && throttled_by(task))
		p->o.flags |= SB_WAIT_THROTTLED;
	__builtin_memcpy(p->o.comm, task->comm, sizeof(p->o.comm));
	if (st->slot) {
		p->o.slot = st->slot - 1;
	} else {
		p->o.flags |= SB_WAIT_NO_STACK;
		put_open_regs(p, task);
		put_open_returns(p, task);
	}
	if (kernel_locks && st->flags & SB_WAIT_SEEDED && is_kernel_lock(st->lock))
		put_klock(&p->o.lock, st->lock);
	bytes = put_open_kernel(p, st, task);
	/* It ran meanwhile: not of interest any more. */
	if (st->on || st->id != p->o.id)
		return;
	/* It waits for something else now, and nobody was told as the capture has stopped: this is not of that wait. */
	if (times_left(task) != st->left) {
		p->o.nr_regs = p->o.nr_returns = p->o.nr_kernel = bytes = 0;
		p->o.lock.address = 0;
	}
	/* When there is no room for one of these, all of them are written again, to the next buffer. */
	full = bpf_seq_write(seq, &p->o, sizeof(p->o));
	if (p->o.nr_regs)
		full |= bpf_seq_write(seq, p->reg, sizeof(p->reg));
	if (bytes)
		full |= bpf_seq_write(seq, p->kernel, bytes);
	if (p->o.nr_returns)
		full |= bpf_seq_write(seq, p->back, sizeof(p->back));
	if (bytes && !full)
		st->kstack_id = p->o.id;
}

SEC("iter/task")
int sb_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sb_task *st;

	if (!task || !task->pid || !wanted_other(task))
		return 0;
	st = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!st) {
		struct sb_cpu *c = this_cpu();

		st = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (!st) {
			if (c)
				__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
			return 0;
		}
		if (!task->exit_state)
			seed(st, task);
	}
	if (st->ready && !st->on && bpf_ktime_get_ns() - st->since_ns >= open_min_ns)
		list(ctx->meta->seq, st, task);
	return 0;
}

#endif
