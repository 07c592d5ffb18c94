/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history.h - how much ran and waited in each of the last seconds: from a snapshot's slices, or from totals that grow.
 *
 * A slice holds a wait where it ended, or where a piece of it was told. What of it is longer than the slice came before, and is put
 * there; what has not been told yet is not there. Totals that count waits up to now know that too, as long as somebody watches
 * them.
 */
#ifndef SBERF_UI_HISTORY_H
#define SBERF_UI_HISTORY_H

#include "profile/profile.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define HISTORY_MAX 60u
#define HISTORY_NOW 3u           /* seconds that "now" is the mean of */

struct history {
	unsigned int n;                  /* whole seconds known, at most HISTORY_MAX */
	double level[TIME_NR][HISTORY_MAX];      /* newest first: time of threads per time, running: cores */
};

/* The whole seconds between START_NS and END_NS (CLOCK_MONOTONIC), newest first. A slice of many seconds is spread evenly. */
void history_of(const struct snapshot *s, uint64_t start_ns, uint64_t end_ns, struct history *ret);

/* Totals that grow, looked at now and then. A zeroed one has not begun. */
struct pulse {
	bool begun;
	uint64_t at_ns, total_ns[TIME_NR];       /* at the last look */
	struct history history;
};

/* Takes note of what TOTAL_NS are at AT_NS, on any clock that grows. What shrinks begins anew. */
void pulse_beat(struct pulse *p, uint64_t at_ns, const uint64_t total_ns[TIME_NR]);

/* The newest seconds of OVER, and what BASE knows of those before. */
void history_overlay(const struct history *base, const struct history *over, struct history *ret);

/* The mean of the newest seconds; negative when none is known. */
double history_now(const struct history *h, enum time_kind kind);

#endif
