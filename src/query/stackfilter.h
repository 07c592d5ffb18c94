/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackfilter.h - which stacks the terms of a question about functions leave. Private to queries.
 *
 * A name is matched once, however many frames have it, and a frame is looked at once, however many stacks it is in.
 */
#ifndef SBERF_QUERY_STACKFILTER_H
#define SBERF_QUERY_STACKFILTER_H

#include "query/hidden.h"
#include "query/pattern.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_filter {
	const struct dict *d;
	const struct names *names;
	const struct query *q;
	struct hidden hidden;
	struct pattern pattern[TERMS_MAX];       /* those of terms about functions, each in the place of its term */
	uint32_t wanted, barred; /* which terms ask for a function, and which for none: bits as below */
	bool gave_up;            /* one of them took too long: no stack is known to be asked for */
	uint32_t texts, stacks;  /* of the names and the dictionary when the filter was made */
	uint32_t *text;          /* by the str_id of a name: bit t, the pattern of term t is found in it; 0 = not looked at yet */
	uint32_t *frame;         /* by frame_id: the same of all its names */
	uint32_t *stack;         /* by stack_id: the same of all its frames; NULL = there are no such terms */
};

/* A filter for Q, which must stay. False when out of memory, or for a pattern that is none: it is to be freed all the same. */
bool stack_filter_init(struct stack_filter *f, const struct dict *d, const struct names *names, const struct query *q);
void stack_filter_free(struct stack_filter *f);  /* zeroed is fine */

/* Whether STACK is asked for; only when f->stack is not NULL. */
bool stack_filter_has(struct stack_filter *f, stack_id stack);
/* The first term whose pattern gave up (pattern.h), so that no stack is left; TERMS_MAX = none. */
uint32_t stack_filter_gave_up(const struct stack_filter *f);
/* The terms about functions that some stack matches, as bits, whatever their NOT. */
uint32_t stack_filter_found(const struct stack_filter *f);

#endif
