/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.c - see filter.h. Two things need a look at all facts before the first can be judged, and only where they matter:
 *
 * A wait that was still open when it was told may have ended since. A thread has one wait at a time, so it has ended when
 * something else is known of the thread from a later slice. (What is provisional and of another kind says nothing: it may be
 * running time from before the wait that no sample stands for yet.)
 *
 * A thread is one *of a pool* when POOL_BUSY_PERCENT or less of its time in the range asked for goes into anything but idling.
 */
#include "config.h"

#include "profile/filter.h"

#include "profile/slice.h"
#include "profile/threads.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_BUSY_PERCENT 10u
#define NAME_MAX_MATCHED 256u        /* a thread's name has 15 bytes; in a recording it can have any length */

/* What a wait says, beside FACT_*: it idles in a pool, if its stack waits on a condition. */
#define WAIT_POOL 0x20u
#define WAIT_RUNNABLE_ONLY 0x40u     /* was never blocked */

static bool call_asked(const struct query *q, const uint32_t *compat, uint32_t call)
{
	for (uint32_t i = 0; i < q->nr_calls && i < QUERY_CALLS_MAX; i++)
		if (call == q->calls[i] || (compat[i] != CALL_NONE && call == compat[i]))
			return true;
	return !q->nr_calls;
}

static uint8_t judge_wait(const struct query *q, const uint32_t *compat, const struct wait *w)
{
	const enum wait_class class = wait_class_of(w->call, w->state, q->arch);
	uint8_t r = 0;

	if ((!q->states || (w->state < 32 && q->states >> w->state & 1)) && call_asked(q, compat, w->call))
		r |= FACT_IN;
	if (class == WAIT_CLASS_EVENT || class == WAIT_CLASS_SLEEP || w->state == WAIT_IDLE)
		r |= FACT_IDLE;
	else if (class == WAIT_CLASS_LOCK && call_is_futex(w->call, q->arch))
		r |= WAIT_POOL;
	if (w->flags & EVENT_F_OPEN)
		r |= FACT_OPEN;
	if (w->flags & EVENT_F_EXTRAPOLATED)
		r |= FACT_DOUBT;
	if (w->state == WAIT_PREEMPTED || w->state == WAIT_NEW)
		r |= WAIT_RUNNABLE_ONLY;
	return r;
}

/* Judges all waits; *RET is what any of them is. */
static bool judge_waits(struct filter *f, unsigned int *ret)
{
	uint32_t compat[QUERY_CALLS_MAX];

	f->wait = malloc(f->waits);
	if (!f->wait)
		return false;
	for (uint32_t i = 0; i < QUERY_CALLS_MAX; i++)
		compat[i] = i < f->q->nr_calls ? call_compat(f->q->calls[i], f->q->arch) : CALL_NONE;
	*ret = 0;
	for (wait_id id = 0; id < f->waits; id++)
		*ret |= f->wait[id] = judge_wait(f->q, compat, dict_get_wait(f->d, id));
	return true;
}

static bool thread_matches(const struct dict *d, const char *pattern, thread_id id)
{
	const struct thread *t = dict_get_thread(d, id);
	const struct strtab *st = dict_strings(d);
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", (int)t->tid);
	if (!fnmatch(pattern, tid, 0))
		return true;
	return strtab_len(st, t->comm) < NAME_MAX_MATCHED && !fnmatch(pattern, strtab_get(st, t->comm), 0);
}

static bool judge_threads(struct filter *f)
{
	char pattern[QUERY_THREAD_MAX];

	if (f->thread)
		return true;
	f->thread = malloc(f->threads + 1ul);
	if (!f->thread)
		return false;
	snprintf(pattern, sizeof(pattern), "%.*s", (int)sizeof(pattern) - 1, f->q->thread);
	for (thread_id id = 0; id < f->threads; id++)
		f->thread[id] = !pattern[0] || thread_matches(f->d, pattern, id) ? FILTER_THREAD_IN : 0;
	return true;
}

struct share {
	uint64_t idle_ns, busy_ns;
};

static bool may_idle(struct filter *f, const struct fact *x)
{
	const uint8_t is = EVENT_IS_WAIT(x->kind) ? f->wait[x->wait] : 0;

	return x->kind == EVENT_BLOCKED && (is & FACT_IDLE || (is & WAIT_POOL && idle_stack(&f->idle, x->stack)));
}

static void look_at(struct filter *f, struct share *share, const struct slice_view *v, size_t slice)
{
	const bool in_time = share && filter_slice(f, v);

	for (size_t i = 0; i < v->n; i++) {
		const struct fact *x = &v->fact[i];
		const thread_id t = f->same[x->thread];

		if (f->moved && !v->provisional && !(EVENT_IS_WAIT(x->kind) && f->wait[x->wait] & FACT_OPEN))
			f->moved[t] = (uint32_t)slice;
		if (in_time && may_idle(f, x))
			share[t].idle_ns = add_capped(share[t].idle_ns, x->weight_ns);
		else if (in_time)
			share[t].busy_ns = add_capped(share[t].busy_ns, x->weight_ns);
	}
}

/* Marks the threads of pools by their SHARE. */
static bool find_pools(struct filter *f, const struct share *share)
{
	if (!judge_threads(f))
		return false;
	for (thread_id id = 0; id < f->threads; id++) {
		const struct share *s = &share[f->same[id]];

		if ((double)s->busy_ns * 100 <= ((double)s->busy_ns + (double)s->idle_ns) * POOL_BUSY_PERCENT)
			f->thread[id] |= FILTER_THREAD_POOL;
	}
	return true;
}

static bool look_at_all(struct filter *f, const struct names *names, unsigned int waits)
{
	const size_t n = f->threads + 1ul;
	AUTO_FREE struct share *share = NULL;
	struct slice_view v;

	if (waits & WAIT_POOL) {
		share = calloc(n, sizeof(*share));
		if (!share || !idle_init(&f->idle, f->d, names))
			return false;
	}
	if (waits & FACT_OPEN) {
		f->moved = calloc(n, sizeof(*f->moved));
		if (!f->moved)
			return false;
	}
	for (size_t i = 0; (share || f->moved) && i < snapshot_slices(f->s); i++) {
		snapshot_slice(f->s, i, &v);
		look_at(f, share, &v, i);
	}
	return share ? find_pools(f, share) : true;
}

bool filter_init(struct filter *f, const struct snapshot *s, const struct names *names, const struct query *q)
{
	unsigned int waits;

	*f = (struct filter){ .s = s, .d = snapshot_dict(s), .q = q, .from_ns = q->from_ns };
	f->waits = dict_waits(f->d);
	f->threads = dict_threads(f->d);
	f->to_ns = q->to_ns ? q->to_ns : UINT64_MAX;
	f->kinds = (q->kinds ? q->kinds : KINDS_WALL) & KINDS_WALL;
	if (q->states || q->nr_calls)
		f->kinds &= KINDS_OFF_CPU;
	if (!judge_waits(f, &waits) || (q->thread[0] && !judge_threads(f)))
		return false;
	if (f->waits == WAIT_EMPTY + 1)
		return true;
	f->same = threads_same(f->d, f->threads);
	return f->same && look_at_all(f, names, waits);
}

void filter_free(struct filter *f)
{
	free(f->wait);
	free(f->thread);
	free(f->same);
	free(f->moved);
	idle_free(&f->idle);
}

unsigned int filter_wait(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x)
{
	const uint8_t is = f->wait[x->wait];
	unsigned int r = is & (FACT_IN | FACT_DOUBT);
	bool idles;

	if (!(is & FACT_IN))
		return 0;
	if (is & FACT_OPEN && (v->provisional || slice >= f->moved[f->same[x->thread]]))
		r |= FACT_OPEN;
	idles = is & FACT_IDLE ||
		(is & WAIT_POOL && f->thread[x->thread] & FILTER_THREAD_POOL && idle_stack(&f->idle, x->stack));
	if (x->kind == EVENT_BLOCKED)
		return r | FACT_COUNTS | (idles ? FACT_IDLE : 0);
	/* The wait is counted by its blocked part, unless it has none or that is not asked for. */
	if (is & WAIT_RUNNABLE_ONLY || !(f->kinds & 1u << EVENT_BLOCKED) || (idles && f->q->fold_idle))
		r |= FACT_COUNTS;
	return r;
}
