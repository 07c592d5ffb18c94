/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackfilter.h - which stacks match the terms of a query about functions. Private to queries.
 *
 * A name is matched once, however many frames have it, and a frame is looked at once, however many
 * stacks contain it.
 */
#ifndef SBERF_QUERY_STACKFILTER_H
#define SBERF_QUERY_STACKFILTER_H

#include "base/pattern.h"
#include "query/hidden.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_filter {
	const struct dict *d;
	const struct names *names;
	const struct query *q;
	struct hidden hidden;
	/* patterns of terms about functions, each in the place of its term */
	struct pattern pattern[TERMS_MAX];
	uint32_t wanted, barred; /* terms that require a function, and terms that forbid one, as bits */
	bool gave_up;            /* a pattern took too long: no stack matches */
	uint32_t texts, stacks;  /* sizes of names and dictionary when the filter was made */
	uint32_t *text;          /* by the str_id of a name: bit t = term t matches it; 0 = not looked at yet */
	uint32_t *frame;         /* by frame_id: the same, for all its names */
	uint32_t *stack;         /* by stack_id: the same, for all its frames; NULL = there are no such terms */
};

/*
 * Initialises F for Q, which must outlive it. False when out of memory or for an invalid pattern;
 * call stack_filter_free() in any case.
 */
bool stack_filter_init(struct stack_filter *f, const struct dict *d, const struct names *names, const struct query *q);
void stack_filter_free(struct stack_filter *f);  /* zeroed is fine */

/* Whether STACK matches; only when f->stack is not NULL. */
bool stack_filter_has(struct stack_filter *f, stack_id stack);
/* The first term whose pattern gave up (pattern.h), so that no stack matches; TERMS_MAX = none. */
uint32_t stack_filter_gave_up(const struct stack_filter *f);
/* The terms about functions that match some stack, as bits, regardless of NOT. */
uint32_t stack_filter_found(const struct stack_filter *f);

#endif
