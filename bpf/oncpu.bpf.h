/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oncpu.bpf.h - which task runs, with which stacks: one record per sample of a task of the target.
 *
 * The sampler is attached to a perf event on each CPU. User registers and stack bytes are taken wherever the sample lands: in user
 * mode from the event's context, else from the frame that the entry to the kernel left. When waits are followed, it also brings
 * the task's exact running time up to date, so that a task which never leaves its CPU has one.
 */
#ifndef SBERF_BPF_ONCPU_H
#define SBERF_BPF_ONCPU_H

#include "record.bpf.h"
#include "target.bpf.h"
#include "totals.bpf.h"

/* Registers and stack of the user's side. Returns the offset behind what was added. */
static __always_inline __u32 put_user(struct scratch *s, __u32 off, struct sb_perf_ctx *ctx, struct task_struct *task,
				      bool user)
{
	struct sb_hdr *h = (void *)s->rec;
	struct sb_part_task *t = (void *)(h + 1);
	struct sb_part_regs *r = (void *)(s->rec + HEAD_BYTES);
	__u64 *v = (void *)(r + 1);
	__u32 got = 0, end;
	bool ignored;

	if (user) {
		if (sb_regs_compat(&ctx->regs))
			h->flags |= SB_F_COMPAT;
		sb_regs_to_dwarf(&ctx->regs, v);
		barrier();       /* else clang merges the loads of both branches into one through a computed address */
	} else {
		struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

		if (sb_regs_compat(regs))
			h->flags |= SB_F_COMPAT;
		sb_regs_to_dwarf(regs, v);
	}
	if (!finish_regs(r, h, SB_REGS_FULL | (user ? 0 : SB_REGS_SYSCALL)))
		return off;
	end = off + REGS_BYTES;
	if (frame_pointers)
		return put_addrs(s, end, ctx, SB_PART_WALKED, BPF_F_USER_STACK);
	end = put_stacks(bpf_get_smp_processor_id(), end, 2 * SEGMENT_BYTES, h, t->exe_id, task, v[SB_DWARF_SP], 0, &ignored, &got);
	if (!got && !user && BPF_CORE_READ_BITFIELD(task, in_execve)) {
		/* exec has dropped the old memory, and these are the registers of the program that is gone. */
		h->flags = (h->flags & ~SB_F_ALTSTACK) | SB_F_NO_USER;
		return off;
	}
	return end;
}

/* Builds the record in S and sends it. */
static __always_inline void sample(struct scratch *s, struct sb_cpu *c, struct sb_perf_ctx *ctx, struct task_struct *task,
				   __u64 now, __u64 since)
{
	struct sb_part_sample *p = put_head(s->rec, SB_REC_SAMPLE, task, now);
	struct sb_hdr *h = (void *)s->rec;
	bool user = sb_ctx_user_mode(ctx);
	__u32 off = HEAD_BYTES;

	bpf_get_current_comm(((struct sb_part_task *)(h + 1))->comm, 16);
	p->part.size = sizeof(*p);
	p->part.type = SB_PART_SAMPLE;
	p->part.flags = 0;
	p->period = ctx->sample_period;
	p->ip = ctx->regs.ip;
	p->since_ns = since;
	if (!user)
		h->flags |= SB_F_KERNEL;
	if (task->flags & PF_KTHREAD)
		h->flags |= SB_F_KTHREAD;
	else if (!task->mm)
		h->flags |= SB_F_NO_USER;
	else
		off = put_user(s, off, ctx, task, user);
	if (!user && kernel_frames)
		off = put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	barrier_var(off);
	if (off > RECORD_MAX)
		return;
	h->size = off;
	if (send(c, s->rec, off))
		c->samples++;
}

SEC("perf_event")
int sb_oncpu(struct sb_perf_ctx *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 cpu = bpf_get_smp_processor_id(), tid = task->pid;
	__u64 now = bpf_ktime_get_ns(), since;
	struct sb_cpu *c = this_cpu();
	struct scratch *s;

	if (!c)
		return 0;
	since = c->last_ns ? now - c->last_ns : 0;
	c->last_ns = now;
	c->runs++;
	if (!tid || !wanted(task, task->tgid, tid))
		return 0;
	if (off_cpu)
		total_running(c, task, now);
	s = bpf_map_lookup_elem(&scratches, &cpu);
	if (!s)
		return 0;
	if (s->busy) {
		c->lost[SB_LOST_NESTED]++;
		return 0;
	}
	s->busy = 1;
	sample(s, c, ctx, task, now, since);
	s->busy = 0;
	return 0;
}

#endif
