/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter.h - which facts of a snapshot a query asks for, and which of those idle, are open, or
 * stand for others. Private to queries.
 *
 * A wait (dict_wait()) is judged once per id, a thread once by its names, a stack once. So little
 * is left to do for a fact, and next to nothing for a sample.
 *
 * Only facts of the measures asked for count (model/measure.h).
 */
#ifndef SBERF_QUERY_FILTER_H
#define SBERF_QUERY_FILTER_H

#include "profile/profile.h"
#include "query/idle.h"
#include "query/query.h"
#include "query/spanfilter.h"
#include "query/stackfilter.h"
#include "query/subtree_filter.h"
#include "query/termmatch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACT_IN 0x1u             /* asked for; the flags below are never set without this one */
#define FACT_IDLE 0x2u           /* an idle wait, as query.h defines */
#define FACT_OPEN 0x4u           /* in a wait that has not ended */
#define FACT_DOUBT 0x8u          /* stands for waits without a stack of their own */
/* its count is added: not when the same waits are counted by their other part */
#define FACT_COUNTS 0x10u

struct filter {
	const struct snapshot *s;
	const struct dict *d;
	const struct query *q;
	uint32_t waits, threads; /* size of the dictionary when the filter was made: it may grow */
	struct measure_set set;  /* the measures asked for */
	uint32_t kinds;          /* kinds whose facts may count, as a mask */
	uint32_t choosy;         /* of these, kinds of which only some facts count */
	/* by kind: the places in SET in which its facts may count, as a mask */
	uint8_t places[EVENT_KINDS_MAX];
	uint64_t from_ns, to_ns;
	struct term_match terms; /* terms about nodes, threads and waits */
	uint32_t compat[QUERY_CALLS_MAX];        /* query.calls in the 32-bit ABI; CALL_NONE = it has none */
	uint8_t *wait;           /* by wait_id: flags that follow from the wait alone */
	uint8_t *thread;         /* by thread_id; NULL = every thread is asked for and none belongs to a pool */
	thread_id *same;         /* threads_same() */
	/* by same[]: the slice since which the thread may be waiting; NULL = no open waits */
	uint32_t *moved;
	struct stack_filter stacks;
	struct subtree_filter within;    /* when query.nr_within */
	struct idle_memo idle;   /* with stacks only when there are futex waits */
	bool has_inside;         /* some stacks say inside of which calls they were */
	struct span_filter span;
};

/*
 * Initialises F for Q; names and snapshot must outlive it. False when out of memory; call
 * filter_free() in any case.
 */
bool filter_init(struct filter *f, const struct snapshot *s, const struct names *names, const struct query *q);
void filter_free(struct filter *f);

/*
 * Of what Q asks for, what facts of any kind are filtered by: without what says which of them to count, and
 * what is about waits alone.
 */
struct query filter_whatever_counts(const struct query *q);

/* Whether slice V is in the time asked for. */
static inline bool filter_slice(const struct filter *f, const struct slice_view *v)
{
	return v->n && v->from_ns < f->to_ns && v->to_ns > f->from_ns;
}

/*
 * The flags of the fact that EV would make, in a slice within the time asked for; its thread must
 * be below f.threads. Never sets FACT_OPEN, because an event does not know whether its wait has
 * ended since.
 */
unsigned int filter_event(struct filter *f, const struct event *ev);

/* Whether X has a size that is asked for, where sizes are. */
bool filter_size(const struct filter *f, const struct fact *x);
unsigned int filter_wait(struct filter *f, const struct slice_view *v, const struct fact *x);

/* The places of f.set in which X, a fact that is asked for, counts, as a mask. */
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
 * Whether a fact that is otherwise asked for is at or below query.within, which is given. IS are
 * its flags: folded idle waits have a node of their own.
 */
static inline bool filter_within(const struct filter *f, thread_id thread, unsigned int node, stack_id stack,
				 uint64_t inside, unsigned int is)
{
	return !(is & FACT_IDLE && f->q->fold_idle) &&
	       subtree_filter_has(&f->within, thread, node, stack, span_filter_place(&f->span, inside));
}

/* As filter_fact(), without regard to query.within. */
static inline unsigned int filter_anywhere(struct filter *f, const struct slice_view *v, const struct fact *x)
{
	if (!filter_about(f, x->kind, x->thread, x->node))
		return 0;
	if (f->stacks.stack && !stack_filter_has(&f->stacks, x->stack))
		return 0;
	if (f->terms.has_sizes && !filter_size(f, x))
		return 0;
	if (EVENT_IS_WAIT(x->kind))
		return filter_wait(f, v, x);
	return f->choosy && !filter_places(f, x) ? 0 : FACT_IN | FACT_COUNTS;
}

/*
 * Takes what *X, a fact of a slice, says of calls that it was inside of off its stack, and returns that:
 * then *X is *PLAIN, which differs in that alone. Facts must be asked about without it.
 */
static inline uint64_t filter_plain(const struct filter *f, const struct fact **x, struct fact *plain)
{
	stack_id stack = (*x)->stack;
	const uint64_t inside = f->has_inside ? dict_inside(f->d, &stack) : 0;

	if (!inside)
		return 0;
	*plain = **x;
	plain->stack = stack;
	*x = plain;
	return inside;
}

/* The flags (FACT_*) of X, a fact of V (filter_plain()) that was INSIDE; 0 when it is not asked for. */
static inline unsigned int filter_fact(struct filter *f, const struct slice_view *v, const struct fact *x,
				       uint64_t inside)
{
	const unsigned int is = f->span.where == SPAN_ALL || span_filter_has(&f->span, inside) ?
		filter_anywhere(f, v, x) : 0;

	return is && f->q->nr_within && !filter_within(f, x->thread, x->node, x->stack, inside, is) ? 0 : is;
}

/* A way through all facts that are asked for; zeroed, it is at its beginning. */
struct asked {
	const struct fact *fact; /* where it is, without */
	uint64_t inside;         /* what it says of calls that it was inside of (dict_inside()), */
	unsigned int is;         /* the flags of that, */
	struct slice_view v;     /* and its slice */
	size_t at;               /* facts of the slice that were looked at */
	uint64_t end_ns;         /* latest end of the slices so far that are in the time asked for */
	struct fact plain;
};

/* Goes on with the next slice that has facts in the time asked for; false when there is none. */
bool filter_next_slice(struct filter *f, struct asked *a);

/* Goes on with the next fact; false when there is none. */
static inline bool filter_next(struct filter *f, struct asked *a)
{
	do {
		while (a->at < a->v.n) {
			a->fact = &a->v.fact[a->at++];
			a->inside = filter_plain(f, &a->fact, &a->plain);
			a->is = filter_fact(f, &a->v, a->fact, a->inside);
			if (a->is)
				return true;
		}
	} while (filter_next_slice(f, a));
	return false;
}

#endif
