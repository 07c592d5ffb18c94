/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timerange.h - parses --time ("10s,20s", "50%,60%", "1m,") and applies it to the slices of a
 * profile.
 */
#ifndef SBERF_QUERY_TIMERANGE_H
#define SBERF_QUERY_TIMERANGE_H

#include "base/clock.h"
#include "base/err.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define TIME_SLICE_NS (100 * NSEC_PER_MSEC)      /* of a store that ranges are chosen in; as --help says of --time */

struct time_point {
	bool percent;
	uint64_t ns;             /* since the beginning */
	double share;            /* when PERCENT: 0 to 100, of the duration */
};

struct time_range {
	struct time_point from, to;
};

/* Parses TEXT. A missing end means 0 % or 100 %. 0, or -EINVAL or -ERANGE with a sentence. */
int time_range_parse(const char *text, struct time_range *ret, struct err *e);

/*
 * Narrows Q to the slices of S that begin in R; a range from the beginning on has the first one,
 * too, which begins before it. M gives the beginning and duration of the recording. *RET_FROM_NS
 * to *RET_TO_NS is the range shown, since the beginning. False when the range is empty: Q then
 * finds nothing.
 */
bool time_range_apply(const struct time_range *r, const struct snapshot *s, const struct profile_meta *m,
		      struct query *q, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

/*
 * The same for a range that somebody sees rather than names: where no slice begins in R, it goes
 * out to those that it is in. *RET_FROM_NS to *RET_TO_NS, as a range, has the same slices.
 */
bool time_range_show(const struct time_range *r, const struct snapshot *s, const struct profile_meta *m,
		     struct query *q, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
