/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans.bpf.h - spans: the time from a hit of one probe to a hit of another one by the same thread.
 *
 * What has begun stands in a list of the task, which goes with it. An end belongs to the begin of its
 * span that came last, so spans may be nested, in themselves, too; those of different spans may
 * overlap. When too many are open, the oldest one is forgotten, and counted as lost: a begin whose
 * end never comes costs no other one. Nor is all that its thread does from then on inside of it: when
 * another one of its probe begins in the same frame of the stack, or in one above, it was left, as by an
 * error.
 *
 * Where probes in programs are in place for some of the time only (hits_scale), a span is within one
 * such slice: of what began before it, the end may have been missed.
 */
#ifndef SBERF_BPF_SPANS_H
#define SBERF_BPF_SPANS_H

#include "thin.bpf.h"
#include "told.bpf.h"

#define OPEN_SPANS 32u                   /* of one task; a power of two */

const volatile bool spanned = false;     /* some probe is a span */

/* By the number of the placed probe: spans that began, those that ended, and ends that had no begin. */
__u64 spans_begun[SB_PROBES] = { 0 };
__u64 spans_ended[SB_PROBES] = { 0 };
__u64 spans_unbegun[SB_PROBES] = { 0 };

struct open_span {
	__u64 begun_ns;
	__u64 sp;                        /* the user's stack pointer then; SPAN_LEFT */
	__u32 probe;                     /* 0 = none */
	__u16 slice;
	__u16 placed;                    /* it began in a program: at a place of the kind SB_BEGIN_*, + 1 */
};

#define SPAN_LEFT (~0ull)                /* nothing is inside of it any more, though its end may come */

struct open_spans {
	__u32 next;                      /* the place of the next one; what is before is older */
	__u32 nr;                        /* that are open */
	struct sb_inside told;
	struct open_span at[OPEN_SPANS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct open_spans);
} open_spans SEC(".maps");

/* The place so many BEFORE the next one of O. */
static __always_inline struct open_span *open_span_at(struct open_spans *o, __u32 before)
{
	__u32 at = (o->next - before) & (OPEN_SPANS - 1);

	barrier_var(at);
	return &o->at[at & (OPEN_SPANS - 1)];
}

static __always_inline void count_span(__u64 counts[SB_PROBES], __u32 probe)
{
	__sync_fetch_and_add(&counts[(probe - SB_PROBE_PLACED) & (SB_PROBES - 1)], 1);
}

/* Has SPAN an end to come, or is it of an earlier slice, and forgotten? */
static __always_inline bool is_open_span(const struct open_span *span)
{
	return span->probe && span->slice == (__u16)hits_slice;
}

/* The spans of PROBE in O that began in a frame of the stack which is not above SP. */
static __always_inline void leave_spans(struct open_spans *o, __u32 probe, __u64 sp)
{
	for (__u32 i = 1; o->nr && i <= OPEN_SPANS; i++) {
		struct open_span *span = open_span_at(o, i);

		if (span->probe == probe && span->sp <= sp)
			span->sp = SPAN_LEFT;
	}
}

/* TASK begins a span of PROBE; PLACED: that of open_span. */
static __always_inline void begin_span(struct sb_cpu *c, struct task_struct *task, __u32 probe, __u32 placed)
{
	struct open_spans *o = bpf_task_storage_get(&open_spans, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	const __u64 sp = regs->sp;
	struct open_span *span;

	if (!o) {
		__sync_fetch_and_add(&c->lost[SB_LOST_TASK_STATE], 1);
		lose_hit(probe, SB_HIT_LOST_WHOLE);
		return;
	}
	count_span(spans_begun, probe);
	/* What has ended at the end of the list makes room. */
	for (__u32 i = 0; i < OPEN_SPANS && o->nr && !is_open_span(open_span_at(o, 1)); i++) {
		o->nr -= !!open_span_at(o, 1)->probe;
		open_span_at(o, 1)->probe = 0;
		o->next--;
	}
	if (insides)
		leave_spans(o, probe, sp);
	span = open_span_at(o, 0);
	if (is_open_span(span)) {
		__sync_fetch_and_add(&c->lost[SB_LOST_OPEN], 1);
		lose_hit(span->probe, SB_HIT_LOST_WHOLE);
	}
	o->nr += !span->probe;
	span->probe = probe;
	span->slice = hits_slice;
	span->placed = placed;
	span->sp = sp;
	o->next++;
	note_begun();
	span->begun_ns = bpf_ktime_get_ns();
}

/*
 * TASK ends the span of PROBE that it has begun last. Returns when that was; 0 = there is none.
 * *RET_PLACED: that of open_span; *RET_TOLD: whether it was told of (told.bpf.h).
 */
static __always_inline __u64 end_span(struct task_struct *task, __u32 probe, __u32 *ret_placed, bool *ret_told)
{
	struct open_spans *o = bpf_task_storage_get(&open_spans, task, NULL, 0);

	for (__u32 i = 1; o && o->nr && i <= OPEN_SPANS; i++) {
		struct open_span *span = open_span_at(o, i);

		if (span->probe != probe || span->slice != (__u16)hits_slice)
			continue;
		count_span(spans_ended, probe);
		*ret_placed = span->placed;
		*ret_told = insides && take_told(&o->told, inside_of(probe, span->begun_ns));
		span->probe = 0;
		o->nr--;
		return span->begun_ns;
	}
	count_span(spans_unbegun, probe);
	return 0;
}

#endif
