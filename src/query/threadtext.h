/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threadtext.h - what is known of a thread as a text (its program, its container, its host): one row for each, by which
 * trees are grouped, rows are named and filters are decided. What else a thread may be grouped and filtered by is a
 * number, or more than one text: its process and itself.
 */
#ifndef SBERF_QUERY_THREADTEXT_H
#define SBERF_QUERY_THREADTEXT_H

#include "model/dict.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_text {
	uint8_t by;              /* enum group_by: what groups by it */
	uint8_t term;            /* enum term_what: the filter that keeps those of a group */
	bool alone;              /* nothing else decides about that filter */
	bool part;               /* which is about any part of the text */
	bool path;               /* a path, of which the filter has what is behind the last slash */
	uint16_t text;           /* where it is in struct thread, */
	uint16_t also;           /* and another text, in which the filter may be found; 0 = none */
	const char *none;        /* what stands for an empty text; "" = nothing */
};

/* The text that BY groups by; NULL: by something else. */
const struct thread_text *thread_text_grouped(enum group_by by);
/* The text that alone decides about terms of WHAT; NULL: there is none. */
const struct thread_text *thread_text_filtered(enum term_what what);

/* X of T: an id of a string. */
str_id thread_text_id(const struct thread_text *x, const struct thread *t);
/* Whether PATTERN, the text of a term, is about X of T, whose strings are those of D. */
bool thread_text_matches(const struct thread_text *x, const struct dict *d, const struct thread *t,
			 const char *pattern);

#endif
