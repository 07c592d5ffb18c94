/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inside.bpf.h - which calls of probes a task is in when a sample or a wait of it is told: functions,
 * system calls and spans that have begun and not ended.
 *
 * Of each probe it is the outermost call, so a function that calls itself is one call. Of more than
 * SB_INSIDE_MAX probes at once the first ones are named.
 */
#ifndef SBERF_BPF_INSIDE_H
#define SBERF_BPF_INSIDE_H

#include "calls.bpf.h"
#include "functions.bpf.h"
#include "spans.bpf.h"
#include "told.bpf.h"

/*
 * What is found. In a map, since the verifier would follow each way in which these numbers can come about.
 * Two for each CPU: an interrupt may sample while a switch is under way.
 */
struct looking {
	__u64 seen;                      /* probes of which a call is among these, as a mask */
	__u64 nr;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct looking);
} lookings SEC(".maps");

/* The call of PROBE that began at BEGUN_NS, to TO, unless one of that probe is there, or all that there is room for. */
static __always_inline void add_inside(struct looking *l, struct sb_inside *to, __u32 probe, __u64 begun_ns)
{
	const __u64 bit = 1ull << ((probe - SB_PROBE_PLACED) & 63), nr = l->nr;

	if (!begun_ns || l->seen & bit || nr >= SB_INSIDE_MAX)
		return;
	l->seen |= bit;
	to->call[nr & (SB_INSIDE_MAX - 1)] = inside_of(probe, begun_ns);
	l->nr = nr + 1;
}

/* Calls that were left by longjmp() or an exception are on O until the next one begins or ends. */
static __always_inline void look_at_calls(struct looking *l, struct sb_inside *to, const struct open_calls *o,
					  struct task_struct *task)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	if (o->slice != hits_slice)
		return;
	for (__u32 i = 0; i < OPEN_CALLS && i < o->nr; i++) {
		if (was_left(&o->at[i], task, regs->sp))
			return;
		add_inside(l, to, o->at[i].probe, o->at[i].begun_ns);
	}
}

static __always_inline void look_at_spans(struct looking *l, struct sb_inside *to, struct open_spans *o)
{
	for (__u32 i = OPEN_SPANS; o->nr && i > 0; i--) {
		const struct open_span *span = open_span_at(o, i);

		if (is_open_span(span) && span->sp != SPAN_LEFT)
			add_inside(l, to, span->probe, span->begun_ns);
	}
}

/*
 * Finds the calls that the current task is in, and notes, if they are TOLD, that they are. Global: the
 * verifier looks at it once. TO is in a map.
 */
__noinline int sb_look_inside(struct sb_inside *to, bool told)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 key = told;
	struct looking *l = bpf_map_lookup_elem(&lookings, &key);
	struct open_calls *funcs = NULL;
	struct open_spans *spans = NULL;
	struct call *call = NULL;

	if (!to || !l)
		return 0;
	__builtin_memset(to, 0, sizeof(*to));
	l->seen = l->nr = 0;
	/* What is in programs is not there now: nobody knows. */
	if (insides & SB_INSIDE_FUNCTIONS && !hits_scale) {
		to->call[0] = SB_INSIDE_UNKNOWN;
		return 0;
	}
	if (insides & SB_INSIDE_FUNCTIONS)
		funcs = bpf_task_storage_get(&open_calls, task, NULL, 0);
	if (insides & SB_INSIDE_SPANS)
		spans = bpf_task_storage_get(&open_spans, task, NULL, 0);
	if (insides & SB_INSIDE_CALLS)
		call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (funcs)
		look_at_calls(l, to, funcs, task);
	if (spans)
		look_at_spans(l, to, spans);
	if (call && call->begun_ns)
		add_inside(l, to, call->probe, call->begun_ns);
	if (!told || !l->nr)
		return 0;
	if (funcs)
		note_told(&funcs->told, to);
	if (spans)
		note_told(&spans->told, to);
	if (call)
		note_told(&call->told, to);
	return 0;
}

/* TASK, which need not be current, was told to be INSIDE calls. */
static __always_inline void tell_inside(struct task_struct *task, const struct sb_inside *inside)
{
	struct open_calls *funcs = NULL;
	struct open_spans *spans = NULL;
	struct call *call = NULL;

	if (!inside->call[0] || inside->call[0] == SB_INSIDE_UNKNOWN)
		return;
	if (insides & SB_INSIDE_FUNCTIONS)
		funcs = bpf_task_storage_get(&open_calls, task, NULL, 0);
	if (insides & SB_INSIDE_SPANS)
		spans = bpf_task_storage_get(&open_spans, task, NULL, 0);
	if (insides & SB_INSIDE_CALLS)
		call = bpf_task_storage_get(&calls, task, NULL, 0);
	if (funcs)
		note_told(&funcs->told, inside);
	if (spans)
		note_told(&spans->told, inside);
	if (call)
		note_told(&call->told, inside);
}

#endif
