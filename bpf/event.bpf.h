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
#include "filter.bpf.h"
#include "hitsums.bpf.h"
#include "mapped.bpf.h"
#include "owncost.bpf.h"
#include "prints.bpf.h"
#include "spans.bpf.h"
#include "thin.bpf.h"
#include "record.bpf.h"
#include "target.bpf.h"

struct hit {
	__u32 probe;             /* SB_PROBE_* */
	__u32 span;              /* SB_SPAN_* */
	__u32 nr;                /* of arg */
	bool placed;             /* in the task's own code */
	bool call;               /* a system call, which has no frames of interest in the kernel */
	bool user;               /* what user code brought about: the same */
	bool mapped;             /* its first argument is an address; a trace wants to know what is there */
	bool told;               /* samples or waits were told to be inside of it */
	bool words;              /* its arguments are an array of words at CTX: read if somebody looks at them */
	bool record;             /* CTX is a record: the same */
	bool noted;              /* they may stand where a note says: the same */
	bool stranger;           /* the task is not of the target: its stack is of no interest */
	bool part;               /* it is within a call that is followed, and counts by its begin: the same */
	__u32 look;              /* of a system call: take_look() */
	__u32 unread_args;       /* which of arg could not be read, as a mask */
	__u16 text;              /* which of them is a string, + 1; 0 = none */
	__u16 loads;             /* SB_COOKIE_LOADS() */
	__u64 text_addr;         /* that argument */
	struct task_struct *to;  /* its name is a text, of argument SB_SIGNAL_PID; NULL = none is */
	__u64 value;             /* unless it has a begin: then it is the time since then */
	__u64 begun_ns;
	__u64 now_ns;            /* of what has a begin, when it ended; 0 = now */
	__u64 own_ns;            /* of that time, what the probes took; of a span tell_hit() knows it */
	__u32 site;              /* where a span may begin: SB_BEGIN_* */
	/*
	 * of a function that ends: the place of its probe, where its return address is, and which that
	 * was, if it has returned; 0 = of something else, or it is about to return
	 */
	__u64 pc, slot, return_to;
	bool loaded;             /* its named values were read before: */
	bool unread;             /* one of them could not be */
	__u64 named[SB_CALL_LOADS];
	__u64 arg[SB_ARGS_MAX];
};

/* What expressions about HIT can ask for. */
static __always_inline void put_inputs(struct evaluation *ev, const struct hit *hit, const struct weight *weight,
				       struct task_struct *task)
{
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS + 1; i++)
		ev->input[SB_INPUT_ARG + i] = hit->arg[i];
	ev->input[SB_INPUT_LATENCY] = weight->begun_ns ? weight->value : 0;
	ev->input[SB_INPUT_PID] = task->tgid;
	ev->input[SB_INPUT_TID] = task->pid;
	ev->input[SB_INPUT_CPU] = bpf_get_smp_processor_id();
	/* Kernels without f3f213497797 leave what is behind the name as it was. */
	ev->comm[0] = ev->comm[1] = 0;
	bpf_get_current_comm(ev->comm, sizeof(ev->comm));
}

/* What loads of HIT can start from. CTX and REGS: as of is_wanted_hit(). */
static __always_inline void put_bases(struct evaluation *ev, void *ctx, struct sb_ctx_regs *regs,
				      const struct hit *hit)
{
	__u64 *reg = &ev->base[SB_LOAD_REG];

	ev->base[SB_LOAD_NOTHING] = 0;
	ev->base[SB_LOAD_RECORD] = (__u64)ctx;
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS + 1; i++)
		ev->base[SB_LOAD_ARG + i] = hit->arg[i];
	if (regs)
		sb_regs_to_dwarf(regs, reg);
}

/*
 * Finds the named values of HIT, at PLACE, for the evaluation EV. False when one of them cannot be read. CTX and
 * REGS: as of is_wanted_hit().
 */
static __always_inline bool find_values(struct evaluation *ev, __u32 place, void *ctx, struct sb_ctx_regs *regs,
					const struct hit *hit)
{
	if (hit->loaded) {
#pragma unroll
		for (unsigned int i = 0; i < SB_CALL_LOADS; i++)
			ev->input[SB_INPUT_LOAD + i] = hit->named[i];
		if (hit->unread)
			return false;
	}
	if (!hit->loads)
		return true;
	ev->when = hit->loaded ? LOADS_LATE : LOADS_ALL;
	put_bases(ev, ctx, hit->loaded ? NULL : regs, hit);
	return load_values(place, hit->loads);
}

/*
 * Is HIT, whose record is to be made in S, at PLACE, to be told? If a sum is to be told, that becomes its WEIGHT.
 * CTX: of a tracepoint its record. REGS: at a place in the task's code; NULL = it is somewhere else. A hit of which
 * something cannot be read, C counts.
 */
static __always_inline bool is_wanted_hit(struct sb_cpu *c, struct scratch *s, __u32 place, void *ctx,
					  struct sb_ctx_regs *regs, const struct hit *hit, struct weight *weight,
					  struct task_struct *task)
{
	__u32 key = hit->probe - SB_PROBE_PLACED + (hit->span == SB_SPAN_BEGIN ? SB_PROBES : 0);
	const struct sb_filter *f = bpf_map_lookup_elem(&filters, &key);
	struct evaluation *ev = (void *)s->rec;
	__s64 sum;

	if (!f || (!f->when[0].op && !f->sum[0].op))
		return true;
	put_inputs(ev, hit, weight, task);
	if (!find_values(ev, place, ctx, regs, hit)) {
		__sync_fetch_and_add(&c->lost[SB_LOST_VALUE], 1);
		lose_hit(hit->probe, SB_HIT_LOST_VALUE);
		return false;
	}
	if (f->when[0].op && !evaluate(ev, place, key, 0))
		return false;
	if (f->sum[0].op) {
		sum = evaluate(ev, place, key, SB_STEPS);
		weight->value = sum > 0 ? sum : 0;
		weight->begun_ns = 0;
	}
	return true;
}

/*
 * The arguments of HIT, at PLACE in the task's code, become those of a static probe, if it is one: where its note says.
 * REGS: as of is_wanted_hit().
 */
static __always_inline void find_args(struct scratch *s, __u32 place, struct sb_ctx_regs *regs, struct hit *hit)
{
	const __u32 at = hit->loads;
	const struct sb_loads *set = at ? bpf_map_lookup_elem(&loads, &at) : NULL;
	const __u32 args = set ? set->args : 0;
	struct evaluation *ev = (void *)s->rec;
	int r = 1;

	if (!args)
		return;
	hit->nr = 0;
	ev->when = LOADS_ALL;
	put_bases(ev, regs, regs, hit);
	for (__u32 i = 0; i < SB_CALL_ARGS && r; i++) {
		r = sb_load_value(place, args, i);
		hit->nr += r != 0;
		if (r < 0)
			hit->unread_args |= 1u << i;
	}
#pragma unroll
	for (unsigned int i = 0; i < SB_CALL_ARGS; i++)
		hit->arg[i] = ev->input[SB_INPUT_LOAD + i];
}

/*
 * Has the event of H at its place in S, with room for all arguments, so that what follows has a
 * constant offset.
 */
static __always_inline void put_hit(struct scratch *s, const struct hit *hit, const struct weight *weight,
				    struct task_struct *task, __u64 now)
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
	p->unread = hit->unread_args;
	p->value = weight->value;
	p->count = weight->count;
	p->begun_ns = weight->begun_ns;
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

/* The begin of the record at CTX, at OFF. Returns the offset behind it. */
static __always_inline __u32 put_record(struct scratch *s, __u32 off, const void *ctx)
{
	struct sb_part_text *p;

	barrier_var(off);
	if (off > RECORD_MAX - TEXT_BYTES)
		return off;
	p = (void *)(s->rec + off);
	if (bpf_probe_read_kernel(p + 1, SB_RECORD_BYTES, ctx))
		return off;
	p->part.size = sizeof(*p) + SB_RECORD_BYTES;
	p->part.type = SB_PART_TEXT;
	p->part.flags = 0;
	p->arg = SB_TEXT_RECORD;
	p->got = SB_RECORD_BYTES;
	p->pad = 0;
	return off + sizeof(*p) + SB_RECORD_BYTES;
}

/* The arguments of the hit in S are the words at CTX. */
static __always_inline void put_words(struct scratch *s, const void *ctx)
{
	__u64 *arg = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES + sizeof(struct sb_part_event));

	if (bpf_probe_read_kernel(arg, SB_CALL_ARGS * sizeof(*arg), ctx))
		arg[0] = 0;
}

/* The name of the task OF, as that of argument ARG, at OFF. Returns the offset behind it. */
static __always_inline __u32 put_comm(struct scratch *s, __u32 off, __u32 arg, const struct task_struct *of)
{
	struct sb_part_text *p;
	__u32 got = 0;
	char *to;

	barrier_var(off);
	if (off > RECORD_MAX - TEXT_BYTES)
		return off;
	p = (void *)(s->rec + off);
	to = (char *)(p + 1);
#pragma unroll
	for (unsigned int i = 0; i < sizeof(of->comm); i++) {
		to[i] = of->comm[i];
		if (to[i] && got == i)
			got = i + 1;
	}
	p->part.type = SB_PART_TEXT;
	p->part.flags = 0;
	p->part.size = sizeof(*p) + ((got + 7) & ~7u);
	p->arg = arg;
	p->got = got;
	p->pad = 0;
	return off + sizeof(*p) + ((got + 7) & ~7u);
}

/* Puts what a trace wants of the system call that the current task has made at OFF. Returns the offset behind it. */
static __always_inline __u32 put_call_texts(struct scratch *s, __u32 off, struct task_struct *task);

/* Do hits of PROBE count, however long they took? */
static __always_inline bool only_counts(__u32 probe)
{
	return probe >= SB_PROBE_PLACED && hits_counted >> ((probe - SB_PROBE_PLACED) & 63) & 1;
}

/* Says at OFF that hits like this one are summed, as ID. Returns the offset behind it. */
static __always_inline __u32 put_sum(struct scratch *s, __u32 off, __u64 id)
{
	struct sb_part_sum *p;

	barrier_var(off);
	if (off > RECORD_MAX - sizeof(*p))
		return off;
	p = (void *)(s->rec + off);
	p->part.size = sizeof(*p);
	p->part.type = SB_PART_SUM;
	p->part.flags = 0;
	p->id = id;
	return off + sizeof(*p);
}

/*
 * The walk by rules of the hit in S, of OFF bytes, if that has the whole stack, and nothing else than
 * it tells hits of this thread apart.
 */
static __always_inline const struct sb_part_walk *whole_walk(struct scratch *s, __u32 off)
{
	const struct sb_part_walk *p = (void *)(s->rec + EVENT_HEAD_BYTES + REGS_BYTES);

	return off > EVENT_HEAD_BYTES + REGS_BYTES + sizeof(*p) && p->part.type == SB_PART_WALK &&
		!p->part.flags ? p : NULL;
}

/*
 * Sends the record of a hit of the placed probe KEY in S, of OFF bytes, for it and those before it that
 * found no room. If there is none now, it joins them.
 */
static __always_inline bool send_placed(struct sb_cpu *c, struct scratch *s, __u32 off, __u32 key,
					struct weight *weight)
{
	struct sb_part_event *event = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES);

	if (take_untold(key, weight)) {
		event->value = weight->value;
		event->count = weight->count;
	}
	((struct sb_hdr *)s->rec)->size = off;
	if (send(c, s->rec, off, RECORD_MAX, SB_LOST_HIT_STACK))
		return true;
	keep_untold(key, weight);
	lose_hit(SB_PROBE_PLACED + key, SB_HIT_LOST_STACK);
	return false;
}

/* Sends what HIT, whose record is in S, was called with, and nothing else. What finds no room is not seen. */
static __always_inline void send_args(struct sb_cpu *c, struct scratch *s, const struct hit *hit,
				      struct task_struct *task)
{
	struct sb_part_event *event = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES);
	__u32 off = EVENT_HEAD_BYTES;

	event->part.flags |= SB_EVENT_ARGS;
	if (hit->call)
		off = put_call_texts(s, off, task);
	if (hit->to)
		off = put_comm(s, off, SB_SIGNAL_PID, hit->to);
	if (hit->mapped)
		off = put_mapped(s, off, task, SB_FAULT_ADDRESS, hit->arg[SB_FAULT_ADDRESS]);
	((struct sb_hdr *)s->rec)->size = off;
	((struct sb_hdr *)s->rec)->flags |= SB_F_NO_USER;
	send(c, s->rec, off, RECORD_MAX, SB_LOST_ARGS);
}

/* Sends the record of HIT in S, of OFF bytes, or adds it to those like it. SUMMED: that may be done. */
static __always_inline void send_hit(struct sb_cpu *c, struct scratch *s, __u32 place, __u32 off,
				     const struct hit *hit,
				     struct weight *weight, struct task_struct *task, __u64 now, bool summed,
				     __u32 look)
{
	const bool kept = hit->probe >= SB_PROBE_PLACED && !tracing;
	struct sb_part_event *event = (void *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES);
	bool sent;
	const struct sb_part_walk *p = summed && sum_hits ? whole_walk(s, off) : NULL;
	enum summing how = SUM_NONE;
	struct sb_sum_key key;

	if (p)
		how = sum_hit(c, p, task, hit->probe - SB_PROBE_PLACED, taken_fold(place), weight, now, &key);
	if (look)
		event->part.flags |= SB_EVENT_LOOK | (look - 1) << SB_EVENT_LOOK_AT;
	if (how == SUM_ADDED) {
		if (look)
			send_args(c, s, hit, task);
		return;
	}
	if (how == SUM_FIRST)
		off = put_sum(s, off, key.id);
	sent = kept ? send_placed(c, s, off, hit->probe - SB_PROBE_PLACED, weight) : send_scratch(c, s, off);
	if (!sent && !kept)
		lose_hit(hit->probe, SB_HIT_LOST_WHOLE);
	if (!sent && how == SUM_FIRST)
		drop_hits(&key);
}

/* Is HIT, of WEIGHT, told now, since it is wanted? If so WEIGHT is what is told with it. */
static __always_inline bool weigh_hit(struct sb_cpu *c, const struct hit *hit, bool scaled, struct weight *weight,
				      struct task_struct *task, __u64 now)
{
	__u32 thin;

	if (spanned && hit->span == SB_SPAN_BEGIN) {
		begin_span(c, task, hit->probe, hit->placed ? hit->site + 1 : 0);
		return false;
	}
	if (weight->begun_ns && only_counts(hit->probe))
		weight->value = 1;
	weight->own = weight->value;
	if (scaled) {
		weight->count = hits_scale;
		weight->value *= weight->count;
	}
	if (hit->probe < SB_PROBE_PLACED)
		return true;
	thin = thin_of(hit->probe - SB_PROBE_PLACED);
	return (!thinned && !thin) || is_told_hit(hit->probe - SB_PROBE_PLACED, thin, weight, now);
}

/* The same as tell_hit(), NOW. Returns whether the hit was told, or summed. */
static __always_inline bool take_hit(void *ctx, struct hit *hit, struct sb_ctx_regs *regs, bool walk, __u64 now)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const bool ends = spanned && hit->span == SB_SPAN_END;
	const bool over = ends && (!hit->placed || hits_scale);
	bool told = hit->told, unwanted = false, kept = false;
	__u32 begun_at = 0;
	const __u64 begun_ns = over ? end_span(task, hit->probe, &begun_at, &told) : hit->begun_ns;
	/* It stands for some, as what is in programs is there for some of the time. */
	const bool scaled = hit->placed || begun_at;
	const __u64 own = hit->placed && begun_at ? own_ns(begun_at - 1, SB_END_PLACE) : hit->own_ns;
	struct weight weight = { .value = hit->value, .begun_ns = begun_ns, .count = 1 };
	__u32 off = EVENT_HEAD_BYTES, place = 0, look = 0;
	struct sb_cpu *c = this_cpu();
	struct scratch *s;
	struct sb_hdr *h;

	if (begun_ns)
		weight.value = now - begun_ns > own ? now - begun_ns - own : 0;
	if (!c || (ends && !begun_ns) || (scaled && !hits_scale))
		return false;
	const __u64 took = weight.value;

	/* Most hits of a probe that is told seldom need no buffer. */
	if (!filtered)
		kept = !weigh_hit(c, hit, scaled, &weight, task, now);
	if (kept && !(insides && told))
		return false;
	s = take_probe_scratch(c, &place);
	if (!s) {
		if (kept)
			return false;
		if (!filtered && hit->probe >= SB_PROBE_PLACED)
			keep_untold(hit->probe - SB_PROBE_PLACED, &weight);
		lose_hit(hit->probe, filtered ? SB_HIT_LOST_WHOLE : SB_HIT_LOST_STACK);
		return false;
	}

	if (filtered && !is_wanted_hit(c, s, place, ctx, regs, hit, &weight, task))
		unwanted = true;
	if (insides && told)
		tell_ended(c, s, task, inside_of(hit->probe, begun_ns), took, unwanted, now);
	if (filtered && !unwanted)
		kept = !weigh_hit(c, hit, scaled, &weight, task, now);
	if (unwanted || kept) {
		give_scratch(s);
		return false;
	}
	if (looking && hit->probe >= SB_PROBE_PLACED)
		look = hit->call ? hit->look : take_look(hit->probe);
	if ((tracing || look) && hit->noted)
		find_args(s, place, regs, hit);
	h = (void *)s->rec;
	put_hit(s, hit, &weight, task, now);
	h->flags |= hit->placed ? 0 : SB_F_KERNEL;
	if (hit->part)
		((struct sb_part_event *)(s->rec + EVENT_HEAD_BYTES - EVENT_BYTES))->part.flags |= SB_EVENT_TOLD;
	if (hit->stranger || hit->part)
		h->flags |= SB_F_NO_USER;
	else if (hit->placed)
		off = put_probed(s, place, off, regs, task, now, walk, &(struct returned){
				 hit->pc, hit->slot, hit->return_to });
	else if (has_user(h, task))
		off = put_entered(s, place, off, task, now, walk);
	if (!hit->placed && kernel_frames && !hit->call && !hit->user)
		off = put_addrs(s, off, ctx, SB_PART_KSTACK, 0);
	if (hit->text)
		off = put_text(s, off, hit->text - 1, hit->text_addr);
	if (hit->to)
		off = put_comm(s, off, SB_SIGNAL_PID, hit->to);
	if ((tracing || look) && hit->mapped)
		off = put_mapped(s, off, task, SB_FAULT_ADDRESS, hit->arg[SB_FAULT_ADDRESS]);
	if ((tracing || look) && hit->call)
		off = put_call_texts(s, off, task);
	if ((tracing || look) && hit->words)
		put_words(s, ctx);
	if ((tracing || look) && hit->record)
		off = put_record(s, off, ctx);
	if (prints && tracing)
		off = put_prints(place, off, hit->loads);
	send_hit(c, s, place, off, hit, &weight, task, now,
		 walk && (hit->placed || hit->call || hit->user) && hit->probe >= SB_PROBE_PLACED,
		 look);
	give_scratch(s);
	return true;
}

/*
 * The current task, which is of the target, hits HIT. REGS: where its user's side is, when it is placed
 * in its own code; else it has entered the kernel, whose stack is of interest, too.
 */
static __always_inline int tell_hit(void *ctx, struct hit *hit, struct sb_ctx_regs *regs, bool walk)
{
	const __u64 now = hit->now_ns ? hit->now_ns : bpf_ktime_get_ns();
	const __u32 key = hit->probe - SB_PROBE_PLACED;
	const __u64 seen = hit->probe >= SB_PROBE_PLACED ? see_hit(key) : 0;
	bool told;

	if (looking)
		turn_looks(hit->probe, now);
	told = take_hit(ctx, hit, regs, walk, now);
	time_hit(key, seen, now, told);
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
