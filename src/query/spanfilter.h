/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spanfilter.h - what threads did inside the calls of a probe, and outside of them: which facts are of calls
 * that took as long as a question asks for, and how many such calls there were.
 *
 * Samples and waits say how long the call took that they were inside of, to a sixteenth of an octave
 * (model/inside.h); the hits of the probe say how many calls there were, by powers of two. Within a
 * power of two calls are spread as the time inside of them says: a class in which T ns were spent had T
 * divided by its length calls. So percentiles are those of all calls, not of those that were sampled, and
 * as exact as the classes are where enough was sampled.
 */
#ifndef SBERF_QUERY_SPANFILTER_H
#define SBERF_QUERY_SPANFILTER_H

#include "model/inside.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a fact is, seen from the calls of one probe: numbers of rows of a tree that is split by them. */
enum span_place { SPAN_PLACE_INSIDE, SPAN_PLACE_OUTSIDE, SPAN_PLACE_NOT_KNOWN, SPAN_PLACES };

/* Reads TEXT, "p99", "10ms" or "> 10ms", into *RET. 0, or -EINVAL with a sentence. */
int span_limit_parse(const char *text, struct span_limit *ret, struct err *e);

struct span_filter {
	uint32_t probe;          /* PROBE_NONE: nothing is asked */
	uint8_t where;           /* query.span_where */
	unsigned int from, to;   /* classes, TO exclusive; 0, INSIDE_CLASSES: of any length */
};

/* Initialises F for Q. False when out of memory. */
bool span_filter_init(struct span_filter *f, const struct snapshot *s, const struct names *names,
		      const struct query *q);
/* Where what says INSIDE is (dict_inside()). */
enum span_place span_filter_place(const struct span_filter *f, uint64_t inside);
/* Whether it is asked for. */
bool span_filter_has(const struct span_filter *f, uint64_t inside);

/* What is known of the calls of query.span. */
struct span_figures {
	uint64_t calls;                  /* all of them */
	uint64_t asked;                  /* those that are as long as the question asks for */
	uint64_t from_ns, to_ns;         /* what that means; TO_NS 0 = without end */
	unsigned int from, to;           /* the same as classes, TO exclusive */
	uint64_t counted;                /* samples and waits inside of those */
	uint64_t ns[SPAN_PLACES];        /* time in each place, of calls of any length */
	uint64_t open_ns;                /* of the time inside: in calls whose end was not seen */
};

/* Sets *RET for Q, whose query.span is set. 0, or -ENOMEM with a sentence. */
int span_figures(const struct snapshot *s, const struct names *names, const struct query *q,
		 struct span_figures *ret, struct err *e);

/* Fewer samples and waits say little. */
#define SPAN_FEW 20u

#define SPAN_LIMITS_MAX 128u
/* "calls of 10.0 ms and more (p99)", "" = of any length. Returns DST. */
char *span_limits_text(const struct query *q, const struct span_figures *f, char *dst, size_t size);
/* "inside call:./app:handle", "outside", "not known (call:./app:handle was not in place)". Returns DST. */
char *span_place_label(const struct query *q, enum span_place place, char *dst, size_t size);
/*
 * What Q asks for and what F says of that, in a sentence without an end: "inside call:./app:handle, calls
 * of 10.0 ms and more: 1,200 of 60,000 calls, 4,711 samples and waits". Returns DST.
 */
char *span_text(const struct query *q, const struct span_figures *f, char *dst, size_t size);

#endif
