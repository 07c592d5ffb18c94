/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history.h - how much ran and waited in each of the last seconds, from a snapshot's slices, or
 * from growing totals.
 *
 * A slice holds a wait where the wait, or a piece of it, ended. The part that is longer than the
 * slice happened earlier and is put there; what has not been reported yet is missing. Totals that
 * count open waits know that too, as long as they are watched.
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

/*
 * The whole seconds between START_NS and END_NS (CLOCK_MONOTONIC), newest first. A slice of many
 * seconds is spread evenly.
 */
void history_of(const struct snapshot *s, uint64_t start_ns, uint64_t end_ns, struct history *ret);

/* Totals that grow, looked at now and then. A zeroed one has not begun. */
struct pulse {
	bool begun;
	uint64_t at_ns, total_ns[TIME_NR];       /* at the last look */
	struct history history;
};

/* Notes the totals TOTAL_NS at AT_NS, by any clock that grows. A total that shrinks starts anew. */
void pulse_beat(struct pulse *p, uint64_t at_ns, const uint64_t total_ns[TIME_NR]);

/* Combines the newest seconds of OVER with BASE's seconds before them. */
void history_overlay(const struct history *base, const struct history *over, struct history *ret);

/* The mean of the newest seconds; negative when none is known. */
double history_now(const struct history *h, enum time_kind kind);

#endif
