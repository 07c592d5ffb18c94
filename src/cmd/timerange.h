/* SPDX-License-Identifier: BSD-2-Clause */
/* timerange.h - "10s,20s", "50%,60%", "1m,": what --time says, and which slices of a profile that is. */
#ifndef SBERF_CMD_TIMERANGE_H
#define SBERF_CMD_TIMERANGE_H

#include "base/err.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct time_point {
	bool percent;
	uint64_t ns;             /* since the beginning */
	double share;            /* when PERCENT: 0 to 100, of the duration */
};

struct time_range {
	struct time_point from, to;
};

/* -EINVAL or -ERANGE with a sentence. An end that is left out is 0 % or 100 %. */
int time_range_parse(const char *text, struct time_range *ret, struct err *e);

/*
 * Narrows Q to the slices of S that begin in R, of a recording of which M tells beginning and duration; what of it is shown,
 * since the beginning, is *RET_FROM_NS to *RET_TO_NS. False when there is nothing in it: Q asks for nothing then.
 */
bool time_range_apply(const struct time_range *r, const struct snapshot *s, const struct profile_meta *m, struct query *q,
		      uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
