/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slice.h - a closed slice: sorted facts of a run of time that never change again, shared by
 * reference. Private to the store.
 *
 * Everything here makes new slices from old ones; nothing edits one, so a snapshot may go on
 * reading what the store has already replaced.
 */
#ifndef SBERF_PROFILE_SLICE_H
#define SBERF_PROFILE_SLICE_H

#include "base/order.h"
#include "profile/profile.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
	_Atomic uint32_t refs;
	uint64_t from_ns, to_ns;         /* to exclusive */
	size_t n;
	size_t mapped;                   /* bytes of its own mapping, 0 = it is in the heap */
	struct fact fact[];              /* sorted by fact_compare(), no two equal */
};

/*
 * Weights fall into classes, 8 to an octave, for choosing the lightest without sorting: a larger
 * weight, no smaller class.
 */
#define WEIGHT_CLASSES 512u

static inline unsigned int weight_class(uint64_t ns)
{
	const unsigned int top = 63 - (unsigned int)__builtin_clzll(ns | 1);

	return ns < 8 ? (unsigned int)ns : (top - 2) * 8 + (unsigned int)(ns >> (top - 3) & 7);
}

#define FACT_COUNT_MAX ((UINT64_C(1) << 40) - 1)

_Static_assert(sizeof(struct fact) == 32, "facts come in millions");

/* Order of facts: stack, thread, kind, node, what they carry. Negative, 0 or positive. */
static inline int fact_compare(const struct fact *a, const struct fact *b)
{
	const uint64_t a1 = (uint64_t)a->stack << 32 | a->thread, b1 = (uint64_t)b->stack << 32 | b->thread;
	const uint64_t a2 = (uint64_t)a->kind << 48 | (uint64_t)a->node << 32 | a->carried;
	const uint64_t b2 = (uint64_t)b->kind << 48 | (uint64_t)b->node << 32 | b->carried;

	return a1 != b1 ? compare_numbers(a1, b1) : compare_numbers(a2, b2);
}

/* A + B, or UINT64_MAX rather than wrap: weights of a recording may be anything. */
static inline uint64_t add_capped(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Adds count and weight of FROM to INTO, a fact with the same key; longest_ns becomes that of the longer wait. */
static inline void fact_add(struct fact *into, const struct fact *from)
{
	const uint64_t count = into->count + from->count;

	into->count = count < FACT_COUNT_MAX ? count : FACT_COUNT_MAX;
	into->weight = add_capped(into->weight, from->weight);
	if (into->longest_ns < from->longest_ns)
		into->longest_ns = from->longest_ns;
}

/* A slice with one reference, the caller's, and copies of the N facts at F, in any order; NULL when out of memory. */
struct slice *slice_new(uint64_t from_ns, uint64_t to_ns, const struct fact *f, size_t n);

/* The facts of A and B, which came before it, in one slice; NULL when out of memory. */
struct slice *slice_merge(const struct slice *a, const struct slice *b);

struct slice *slice_ref(struct slice *s);         /* one more reference to S, which it returns */
void slice_unref(struct slice *s);               /* NULL is fine; any thread */
size_t slice_bytes(const struct slice *s);       /* memory that S takes */

/*
 * What a fold turns light facts into. A stack's weight is its time in the whole slice, over all
 * threads; page faults and migrations, which are no time, are worth about what they cost. A wait
 * that goes into OTHER keeps its call, state and length and loses its waker, which is what there
 * are most of; one that goes into THREAD keeps its kind only, so that no variety of waits can
 * outgrow the bound. What other kinds carry says for itself what is left of it (profile/carried.h):
 * places lose their file, and few are left.
 */
struct slice_fold {
	unsigned int below;      /* stacks of a smaller weight class are folded */
	struct dict *dict;       /* for waits without waker */
	stack_id other;          /* into this stack of the same thread */
	thread_id thread;        /* when not ID_NONE: fold instead facts of OTHER, thread by thread, into this thread */
};

/* Adds to HISTOGRAM, per weight class, the facts that a fold up to and including the class would take away at most. */
void slice_weigh(const struct slice *s, const struct slice_fold *fold, size_t histogram[WEIGHT_CLASSES]);

/*
 * S with its light facts folded, totals unchanged; S itself with another reference when it has
 * none; NULL: out of memory.
 */
struct slice *slice_apply(struct slice *s, const struct slice_fold *fold);

DEFINE_AUTO(slice_unref, struct slice);

#endif
