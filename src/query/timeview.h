/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeview.h - the data of the pane of time: when how much ran and waited, up to now.
 *
 * Provisional time (profile_provisional()) is known by thread, not by moment: open waits end now
 * and are as long as they weigh; running time is spread over the unsettled period. One refresh
 * later it stands where it belongs.
 */
#ifndef SBERF_QUERY_TIMEVIEW_H
#define SBERF_QUERY_TIMEVIEW_H

#include "base/cleanup.h"
#include "profile/heat.h"
#include "query/heatquery.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct timeview {
	struct heat heat;        /* of everything */
	bool filtered;           /* something is left out: then */
	struct heat asked;       /* is what is not, by slices */
	uint64_t start_ns;       /* when the capture began: 00:00:00. CLOCK_MONOTONIC, as all that follow */
	uint64_t from_ns, end_ns;        /* of this time there are data */
	bool off_cpu;            /* waits were followed */
	bool ended;              /* nothing will come */
};

/*
 * Of S, and of what Q leaves of it (NULL = all); S and NAMES must outlive the result. The other
 * members are for the caller to fill in. NULL when out of memory.
 */
struct timeview *timeview_new(const struct snapshot *s, const struct names *names, const struct query *q);
void timeview_free(struct timeview *tv);         /* NULL is fine */

/*
 * What slices of S from *FROM_NS to *TO_NS lie in: the time that a query for it is about. False
 * when there is none: both are as they were. Looks at slices, not at what is in them.
 */
bool timeview_round_out(const struct snapshot *s, uint64_t *from_ns, uint64_t *to_ns);

DEFINE_AUTO(timeview_free, struct timeview);

#endif
