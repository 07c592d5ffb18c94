/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h - which facts of a snapshot a question is about, and which of them idle, are open, or stand for others. Private to
 * queries.
 *
 * What a wait says (dict_wait()) is judged once per id, what a thread is called once per thread, a stack once per stack; so for
 * a fact there is little left to do, and for a sample next to nothing.
 *
 * Only facts of the measures asked for count (model/measure.h).
 */
#ifndef SBERF_QUERY_FILTER_H
#define SBERF_QUERY_FILTER_H

#include "profile/profile.h"
#include "query/idle.h"
#include "query/query.h"
#include "query/stackfilter.h"
#include "query/subtree_filter.h"
#include "query/termmatch.h"

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
	struct measure_set set;  /* what is asked for */
	uint32_t kinds;          /* whose facts may count in it, as a mask */
	uint32_t choosy;         /* of these, those of which not all facts do */
	uint8_t places[EVENT_KINDS_MAX];         /* by kind: in which places of SET its facts can count, as a mask */
	uint64_t from_ns, to_ns;
	struct term_match terms; /* what is said of nodes, threads and waits */
	uint32_t compat[QUERY_CALLS_MAX];        /* query.calls in the 32-bit ABI; CALL_NONE = it has none */
	uint8_t *wait;           /* by wait_id: what is known from the wait alone */
	uint8_t *thread;         /* by thread_id; NULL = every thread is asked for and none is one of a pool */
	thread_id *same;         /* threads_same() */
	uint32_t *moved;         /* by same[]: since which slice the thread may be waiting; NULL = there are no open waits */
	struct stack_filter stacks;
	struct subtree_filter within;    /* when query.nr_within */
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

/*
 * What the fact of EV is, whose thread must be below f.threads, in a slice that is in the time asked for: FACT_OPEN is not told, as an
 * event does not know whether its wait has ended since.
 */
unsigned int filter_event(struct filter *f, const struct event *ev);

unsigned int filter_wait(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x);

/* In which places of f.set X counts, a fact that is asked for, as a mask. */
unsigned int filter_places_chosen(const struct filter *f, const struct fact *x);
static inline unsigned int filter_places(const struct filter *f, const struct fact *x)
{
	return f->choosy && f->choosy >> x->kind & 1 ? filter_places_chosen(f, x) : f->places[x->kind];
}

#define FILTER_THREAD_IN 0x1u
#define FILTER_THREAD_POOL 0x2u

/* Whether facts of KIND, THREAD and NODE are asked for. */
static inline bool filter_about(const struct filter *f, unsigned int kind, thread_id thread, unsigned int node)
{
	if (kind > 31 || !(f->kinds >> kind & 1))
		return false;
	if (f->thread && !(f->thread[thread] & FILTER_THREAD_IN))
		return false;
	if (f->terms.bars_nodes && nodeset_has(&f->terms.barred, node))
		return false;
	return !f->terms.only_nodes || nodeset_has(&f->terms.nodes, node);
}

/*
 * Whether query.within, which there is, has what is asked for otherwise: IS says what that is. Idle waits that are folded have
 * a place of their own.
 */
static inline bool filter_within(const struct filter *f, thread_id thread, unsigned int node, stack_id stack, unsigned int is)
{
	return !(is & FACT_IDLE && f->q->fold_idle) && subtree_filter_has(&f->within, thread, node, stack);
}

/* The same as filter_fact(), wherever in the tree it is. */
static inline unsigned int filter_anywhere(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x)
{
	if (!filter_about(f, x->kind, x->thread, x->node))
		return 0;
	if (f->stacks.stack && !stack_filter_has(&f->stacks, x->stack))
		return 0;
	if (EVENT_IS_WAIT(x->kind))
		return filter_wait(f, v, slice, x);
	return f->choosy && !filter_places(f, x) ? 0 : FACT_IN | FACT_COUNTS;
}

/* What X is, a fact of V, the snapshot's slice number SLICE: a mask of FACT_*, 0 when it is not asked for. */
static inline unsigned int filter_fact(struct filter *f, const struct slice_view *v, size_t slice, const struct fact *x)
{
	const unsigned int is = filter_anywhere(f, v, slice, x);

	return is && f->q->nr_within && !filter_within(f, x->thread, x->node, x->stack, is) ? 0 : is;
}

#endif
