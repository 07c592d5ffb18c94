/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spandiff.h - what threads did inside the slow calls of a probe, compared with what they did inside those
 * around the median: the questions for both sides, and how many calls each side is about. Divided by these
 * numbers both are what one call takes (DIFF_BY_CALL), so it can be read what makes a slow call slow.
 *
 * Slow calls are those that query.span_from asks for, the others those of span_than_from and span_than_to.
 */
#ifndef SBERF_QUERY_SPANDIFF_H
#define SBERF_QUERY_SPANDIFF_H

#include "base/err.h"
#include "query/spanfilter.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is compared when nothing else is said: the slowest hundredth of all calls with the half around the median. */
#define SPAN_SLOW_PERCENT 99u
#define SPAN_MEDIAN_FROM_PERCENT 25u
#define SPAN_MEDIAN_TO_PERCENT 75u

struct span_sides {
	struct query query[DIFF_SIDES];          /* DIFF_AFTER: the slow calls; with them nothing is compared */
	struct span_figures figures[DIFF_SIDES];
	uint64_t calls[DIFF_SIDES];              /* at least 1 */
};

/* Whether Q compares calls. */
static inline bool span_is_compared(const struct query *q)
{
	return q->span && (q->span_than_to.ns || q->span_than_to.percent);
}

/* Makes Q compare the slow calls of PROBE with those around the median. */
void span_compare(struct query *q, uint32_t probe);
/*
 * Sets *RET for Q, which compares calls. 0; -ENODATA or -ERANGE with a sentence when the probe has no calls,
 * or the slow ones are none that the others leave; -ENOMEM.
 */
int span_sides(const struct snapshot *s, const struct names *names, const struct query *q, struct span_sides *ret,
	       struct err *e);
/* What columns call SIDE of Q: "median" or "fast", "slow". */
const char *span_side_name(const struct query *q, int side);
/* "calls of 25.1 ms and more (p99): 47 of 2,361", sanitised. Returns DST. */
char *span_side_text(const struct span_sides *s, int side, char *dst, size_t size);

#endif
