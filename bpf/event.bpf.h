/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.bpf.h - one record for a hit of any probe: which, what it weighs, its arguments, and the
 * stacks of the task that hit it.
 *
 * A program of a probe fills a struct hit and calls tell_hit(). It comes in two, as all that takes
 * stacks: PROBE_PROGRAMS() makes both.
 */
#ifndef SBERF_BPF_EVENT_H
#define SBERF_BPF_EVENT_H

#include "entered.bpf.h"
#include "record.bpf.h"
#include "target.bpf.h"

struct hit {
	__u32 probe;             /* SB_PROBE_* */
	__u32 nr;                /* of arg */
	bool call;               /* a system call, which has no frames of interest in the kernel */
	__u32 text;              /* which of them is a string, + 1; 0 = none */
	__u64 text_addr;         /* that argument */
	__u64 value;             /* unless it has a begin: then it is the time since then */
	__u64 begun_ns;
	__u64 arg[SB_ARGS_MAX];
};

/*
 * Has the event of H at its place in S, with room for all arguments, so that what follows has a
 * constant offset.
 */
static __always_inline void put_hit(struct scratch *s, const struct hit *hit, struct task_struct *task, __u64 now)
{
	struct sb_part_event *p = put_head(s->rec, SB_REC_EVENT, task, now);
	struct sb_part_task *t = (void *)(s->rec + sizeof(struct sb_hdr));
	__u64 *arg = (void *)(p + 1);

	bpf_get_current_comm(t->comm, sizeof(t->comm));
	p->part.size = EVENT_BYTES;
	p->part.type = SB_PART_EVENT;
	p->part.flags = 0;
	p->probe = hit->probe;
	p->nr = hit->nr;
	p->unread = 0;
	p->value = hit->begun_ns ? now - hit->begun_ns : hit->value;
	p->count = 1;
	p->begun_ns = hit->begun_ns;
	for (unsigned int i = 0; i < SB_ARGS_MAX; i++)
		arg[i] = hit->arg[i];
}

/*
 * The string at user address ADDR, of argument ARG, at OFF. Returns the offset behind it; where
 * nothing can be read, that is told.
 */
static __always_inline __u32 put_text(struct scratch *s, __u32 off, __u32 arg, __u64 addr)
{
	struct sb_part_event *event = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES);
	struct sb_part_text *p;
	__u32 bytes;
	long got;

	barrier_var(off);
	if (off > RECORD_MAX - TEXT_BYTES)
		return off;
	p = (void *)(s->rec + off);
	got = bpf_probe_read_user_str(p + 1, SB_TEXT_MAX, (void *)addr);
	if (got <= 0 || got > SB_TEXT_MAX) {
		event->unread |= 1u << (arg & 15);
		return off;
	}
	bytes = ((__u32)got - 1 + 7) & ~7u;
	p->part.size = sizeof(*p) + bytes;
	p->part.type = SB_PART_TEXT;
	p->part.flags = got == SB_TEXT_MAX ? SB_TEXT_CUT : 0;
	p->arg = arg;
	p->got = got - 1;
	p->pad = 0;
	return off + sizeof(*p) + bytes;
}

/* Puts what a trace wants of the system call that the current task has made at OFF. Returns the offset behind it. */
static __always_inline __u32 put_call_texts(struct scratch *s, __u32 off, struct task_struct *task);

/*
 * The current task, which is of the target, hits HIT. REGS: where its user's side is, for a probe
 * in its own code; NULL: it has entered the kernel, whose stack is of interest, too.
 */
static __always_inline int tell_hit(void *ctx, const struct hit *hit, struct sb_ctx_regs *regs, bool walk)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	struct sb_cpu *c = this_cpu();
	__u32 off = EVENT_HEAD_BYTES, place = 0;
	struct scratch *s = c ? take_probe_scratch(c, &place) : NULL;
	struct sb_hdr *h;

	if (!s)
		return 0;
	h = (void *)s->rec;
	put_hit(s, hit, task, now);
	h->flags |= regs ? 0 : SB_F_KERNEL;
	if (regs)
		off = put_probed(s, place, off, regs, task, now, walk);
	else if (has_user(h, task))
		off = put_entered(s, place, off, task, now, walk);
	if (!regs && kernel_frames && !hit->call)
		off = put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	if (hit->text)
		off = put_text(s, off, hit->text - 1, hit->text_addr);
	if (tracing && hit->call)
		off = put_call_texts(s, off, task);
	send_scratch(c, s, off);
	give_scratch(s);
	return 0;
}

/* NAME and NAME_walk, in SECTION: BODY(ctx, whether stacks are walked by learnt rules). */
#define PROBE_PROGRAMS(section, name, body) \
	SEC(section) \
	int name(void *ctx) \
	{ \
		return body(ctx, false); \
	} \
	SEC(section) \
	int name##_walk(void *ctx) \
	{ \
		return body(ctx, true); \
	}

#endif
