/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oncpu.bpf.h - which task runs, with which stacks: one record per sample of a task of the target.
 *
 * The sampler is attached to a perf event on each CPU. User registers and stack bytes are taken
 * wherever the sample lands: in user mode from the event's context, else from the frame that the
 * entry to the kernel left. When waits are followed, it also brings the task's exact running time
 * up to date, so that a task which never leaves its CPU has one.
 */
#ifndef SBERF_BPF_ONCPU_H
#define SBERF_BPF_ONCPU_H

#include "hops.bpf.h"
#include "inside.bpf.h"
#include "plan.bpf.h"
#include "record.bpf.h"
#include "target.bpf.h"
#include "totals.bpf.h"
#include "walk.bpf.h"

/* The user's registers where an NMI interrupted TASK at the gate of a system call. False as finish_regs(). */
static __always_inline bool put_gate_regs(struct sb_part_regs *r, struct sb_hdr *h, struct sb_perf_ctx *ctx,
					  struct task_struct *task)
{
	struct pt_regs *before = (void *)bpf_task_pt_regs(task);
	__u64 *v = (void *)(r + 1);

	/*
	 * The code segment is the kernel's by now; that of the entry before tells as well what kind
	 * of program this is.
	 */
	if (sb_regs_compat(before))
		h->flags |= SB_F_COMPAT;
	sb_regs_to_dwarf(&ctx->regs, v);
	barrier();
	v[SB_DWARF_PC] = v[SB_DWARF_CX];
	return finish_regs(r, h, task, SB_REGS_FULL | SB_REGS_SYSCALL);
}

/*
 * Has TASK, interrupted in the kernel with SP, no whole frame of its entry yet? The barrier keeps
 * clang from subtracting pointers.
 */
static __always_inline bool is_entering(struct task_struct *task, __u64 sp)
{
	__u64 frame = (__u64)bpf_task_pt_regs(task), low = sp - SB_FRAME_BYTES;

	barrier_var(low);
	return (sp > frame && low <= frame) || sb_on_entry_stack(sp);
}

/*
 * The user's pc and, by the records of calls that have not returned, its callers, at OFF: in place of each record where
 * its call is. Returns the offset behind them.
 */
static __always_inline __u32 put_records(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx, __u64 pc)
{
	struct sb_part_addrs *a;
	__u64 *at;
	long got;
	__u32 nr;

	barrier_var(off);
	if (off > RECORD_MAX - ADDRS_BYTES)
		return off;
	a = (void *)(s->rec + off);
	at = (void *)(a + 1);
	got = bpf_read_branch_records((void *)ctx, at, SB_CALL_RECORDS * sizeof(struct sb_record), 0);
	nr = got > 0 ? (__u32)got / sizeof(struct sb_record) : 0;
	if (nr > SB_CALL_RECORDS)
		nr = SB_CALL_RECORDS;
	/* An address is never put where a record is that was not read yet. */
#pragma unroll
	for (__u32 i = 0; i < SB_CALL_RECORDS; i++) {
		const __u64 from = at[3 * i];

		if (!i)
			at[0] = pc;
		at[i + 1] = from + 1;
	}
	a->error = 0;
	a->nr = nr + 1;
	a->part.size = sizeof(*a) + (nr + 1) * 8;
	a->part.type = SB_PART_WALKED;
	a->part.flags = SB_ADDRS_RECORDS | (nr >= call_records ? SB_ADDRS_FULL : 0);
	return off + sizeof(*a) + (nr + 1) * 8;
}

/* The stack of TASK, whose registers the record in S has, at OFF. Returns the offset behind it. */
static __always_inline __u32 put_user_stack(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx,
					    struct task_struct *task, bool walk, __u64 now)
{
	const __u64 *v = (void *)(s->rec + HEAD_BYTES + sizeof(struct sb_part_regs));
	struct sb_hdr *h = (void *)s->rec;
	struct copying c = { .room = STACK_ROOM };
	bool walked;

	if (call_records)
		return put_records(s, off, ctx, v[SB_DWARF_PC]);
	if (frame_pointers)
		return put_addrs(s, off, ctx, SB_PART_WALKED, BPF_F_USER_STACK);
	if (walk) {
		off += put_walk(h, s->rec + HEAD_BYTES + REGS_BYTES, SB_WALK_MAX,
				WALK_OF_SAMPLER(bpf_get_smp_processor_id()), task, v, now, &walked, &c.stop);
		if (walked)
			return off;
	}
	c.sp = v[SB_DWARF_SP];
	return put_stacks(bpf_get_smp_processor_id(), off, h, task, &c);
}

/* Registers and stack of the user's side. Returns the offset behind what was added. */
static __always_inline __u32 put_user(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx, struct task_struct *task,
				      bool user, bool walk, __u64 now)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_regs *r = (void *)(s->rec + HEAD_BYTES);
	__u64 *v = (void *)(r + 1);

	if (user) {
		if (sb_regs_compat(&ctx->regs))
			h->flags |= SB_F_COMPAT;
		sb_regs_to_dwarf(&ctx->regs, v);
		barrier();       /* else clang merges the loads of both branches into one through a computed address */
		if (!finish_regs(r, h, task, SB_REGS_FULL))
			return off;
	} else if (sb_at_gate(ctx->regs.sp)) {
		if (!put_gate_regs(r, h, ctx, task))
			return off;
	} else if (is_entering(task, ctx->regs.sp)) {
		h->flags |= SB_F_NO_USER;
		return off;
	} else if (!put_entry_regs(r, h, task)) {
		return off;
	}
	off += REGS_BYTES;
	if (no_callers)
		return off;
	return put_taken(bpf_get_smp_processor_id(), put_user_stack(s, off, ctx, task, walk, now), v);
}

/* The kernel's stack at OFF. Returns the offset behind it. */
static __always_inline __u32 put_kernel(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx, struct task_struct *task)
{
	__u32 which = WALK_OF_SAMPLER(bpf_get_smp_processor_id());
	struct walk *w = bpf_map_lookup_elem(&walks, &which);
	struct sb_part_addrs *a;

	barrier_var(off);
	if (!w || off > RECORD_MAX - ADDRS_BYTES)
		return off;
	a = (void *)(s->rec + off);
	/* the verifier of 6.1 remembers how far that leads at most, but not of OFF, if they are put away */
	barrier_var(a);
	return off + put_kstack(a, w, running_kstack(which, w, ctx, task, ctx->regs.ip, ctx->regs.sp));
}

/* Where in the kernel the sample landed, at OFF: all of its stack that is asked for. Returns the offset behind it. */
static __always_inline __u32 put_kernel_leaf(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx)
{
	struct sb_part_addrs *a;

	barrier_var(off);
	if (off > RECORD_MAX - ADDRS_BYTES)
		return off;
	a = (void *)(s->rec + off);
	*(__u64 *)(a + 1) = ctx->regs.ip;
	return off + finish_addrs(a, 8, SB_PART_KSTACK);
}

/*
 * Has this CPU, on which TASK is, been busy since this was asked last? An idle CPU is not sampled,
 * so a long time between two samples tells nothing of the rate unless it was. An idle task has left
 * by the time that something else is sampled, and each leaving is counted (kernel/sched/core.c,
 * __schedule()). The run queue, which knows its idle task, is found from TASK: by its symbol only
 * kernels know it that keep symbols of data (CONFIG_KALLSYMS_ALL).
 */
static __always_inline bool stayed_busy(struct sb_cpu *c, struct task_struct *task)
{
	__u64 before = c->idled;
	struct task_struct *idle;

	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(struct cfs_rq, rq))
		return false;
	idle = plain(task)->se.cfs_rq->rq->idle;
	c->idled = idle->nvcsw + idle->nivcsw + 1;
	return c->idled == before;
}

/* Builds a record of KIND and PERIOD in S: where the task was interrupted, with its stacks. Returns its size. */
static __always_inline __u32 put_sample(struct scratch *s, __u16 kind, struct sb_perf_ctx *ctx,
					struct task_struct *task, __u64 now,
					__u64 period, __u64 since, bool busy, bool walk)
{
	struct sb_part_sample *p = put_head(s->rec, kind, task, now);
	struct sb_hdr *h = (void *)s->rec;
	bool user = sb_ctx_user_mode(ctx);
	__u32 off = HEAD_BYTES;

	bpf_get_current_comm(((struct sb_part_task *)(h + 1))->comm, 16);
	p->part.size = sizeof(*p);
	p->part.type = SB_PART_SAMPLE;
	p->part.flags = busy ? SB_SAMPLE_BUSY : 0;
	p->period = period;
	p->ip = ctx->regs.ip;
	p->since_ns = since;
	if (insides && calls_began && kind == SB_REC_SAMPLE)
		sb_look_inside(&p->inside, true);
	else
		__builtin_memset(&p->inside, 0, sizeof(p->inside));
	if (!user)
		h->flags |= SB_F_KERNEL;
	if (!user && kernel_leaf) {
		h->flags |= task->flags & PF_KTHREAD ? SB_F_KTHREAD : SB_F_NO_USER;
		return put_kernel_leaf(s, off, ctx);
	}
	if (has_user(h, task))
		off = put_user(s, off, ctx, task, user, walk, now);
	if (!user && kernel_frames)
		off = walk && kind == SB_REC_SAMPLE ? put_kernel(s, off, ctx, task) :
			put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	return off;
}

/* Adds ADDR at OFF. Returns the offset behind it. */
static __always_inline __u32 put_addr(struct scratch *s, __u32 off, __u64 addr)
{
	struct sb_part_addr *a;

	barrier_var(off);
	if (off > RECORD_MAX - sizeof(*a))
		return off;
	a = (void *)(s->rec + off);
	a->part.size = sizeof(*a);
	a->part.type = SB_PART_ADDR;
	a->part.flags = 0;
	a->addr = addr;
	return off + sizeof(*a);
}

static __always_inline int sample(struct sb_perf_ctx *ctx, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 tid = task->pid;
	__u64 now = bpf_ktime_get_ns(), since;
	struct sb_cpu *c = this_cpu();
	struct scratch *s;
	bool busy;

	if (!c)
		return 0;
	since = c->last_ns ? now - c->last_ns : 0;
	c->last_ns = now;
	c->runs++;
	busy = stayed_busy(c, task);
	if (!tid || !wanted_again(c, task, tid))
		return 0;
	if (off_cpu && following)
		total_running(c, task, now);
	s = take_scratch(c, SB_LOST_NESTED);
	if (!s)
		return 0;
	if (send_scratch(c, s, put_sample(s, SB_REC_SAMPLE, ctx, task, now, ctx->sample_period, since, busy, walk)))
		c->samples++;
	give_scratch(s);
	return 0;
}

SEC("perf_event")
int sb_oncpu(struct sb_perf_ctx *ctx)
{
	return sample(ctx, false);
}

/*
 * The same, with stacks walked by learnt rules where these do; a program of its own, so that the
 * other one does not depend on it.
 */
SEC("perf_event")
int sb_oncpu_walk(struct sb_perf_ctx *ctx)
{
	return sample(ctx, true);
}

#endif
