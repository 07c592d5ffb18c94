/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h - which facts of a snapshot a question is about, and which of them idle, are open, or stand for others. Private to
 * queries.
 *
 * What a wait says (dict_wait()) is judged once per id, what a thread is called once per thread, a stack once per stack; so for
 * a fact there is little left to do, and for a sample next to nothing.
 */
#ifndef SBERF_PROFILE_FILTER_H
#define SBERF_PROFILE_FILTER_H

#include "profile/idle.h"
#include "profile/profile.h"
#include "profile/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACT_IN 0x1u             /* it is asked for; what follows is never set without this */
#define FACT_IDLE 0x2u           /* query.h says what idles */
#define FACT_OPEN 0x4u           /* in a wait that has not ended */
#define FACT_DOUBT 0x8u          /* stands for waits without a stack of their own */
#define FACT_COUNTS 0x10u        /* its count counts: not when the same waits are counted by their other part */

struct filter {
	const struct snapshot *s;
	const struct dict *d;
	const struct query *q;
	uint32_t waits, threads; /* of the dictionary when the filter was made: it may grow meanwhile */
	uint32_t kinds;          /* those asked for, as a mask */
	uint64_t from_ns, to_ns;
	uint8_t *wait;           /* by wait_id: what is known from the wait alone */
	uint8_t *thread;         /* by thread_id; NULL = every thread is asked for and none is one of a pool */
	thread_id *same;         /* threads_same(); NULL when there are no waits at all */
	uint32_t *moved;         /* by same[]: the last slice in which the thread got on; NULL = there are no open waits */
	struct idle_memo idle;   /* with stacks only when there are waits on futexes */
};

/* A filter for Q, whose names and snapshot must stay. False when out of memory: it is to be freed all the same. */
bool filter_init(struct filter *f, const struct snapshot *s, const struct names *names, const struct query *q);
void filter_free(struct filter *f);

/* Whether slice V is in the time asked for. */
static inline bool filter_slice(const struct filter *f, const struct slice_view *v)
{
	return v->n && v->from_ns < f->to_ns && v->to_ns > f->from_ns;
}

unsigned int filter_wait(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x);

#define FILTER_THREAD_IN 0x1u
#define FILTER_THREAD_POOL 0x2u

/* What X is, a fact of V, the snapshot's slice number SLICE: a mask of FACT_*, 0 when it is not asked for. */
static inline unsigned int filter_fact(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x)
{
	if (x->kind > 31 || !(f->kinds >> x->kind & 1))
		return 0;
	if (f->thread && !(f->thread[x->thread] & FILTER_THREAD_IN))
		return 0;
	return x->kind == EVENT_SAMPLE ? FACT_IN | FACT_COUNTS : filter_wait(f, v, slice, x);
}

#endif
