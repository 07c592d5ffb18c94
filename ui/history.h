/* SPDX-License-Identifier: BSD-2-Clause */
/* history.h - how much ran and waited in each of the last seconds, from a snapshot's slices. Pure. */
#ifndef SBERF_UI_HISTORY_H
#define SBERF_UI_HISTORY_H

#include "profile/profile.h"
#include "profile/query.h"

#include <stdint.h>

#define HISTORY_MAX 60u
#define HISTORY_NOW 3u           /* seconds that "now" is the mean of */

struct history {
	unsigned int n;                  /* whole seconds known, at most HISTORY_MAX */
	double level[TIME_NR][HISTORY_MAX];      /* newest first: time of threads per time, running: cores */
};

/* The whole seconds between START_NS and END_NS (CLOCK_MONOTONIC), newest first. A slice of many seconds is spread evenly. */
void history_of(const struct snapshot *s, uint64_t start_ns, uint64_t end_ns, struct history *ret);

/* The mean of the newest seconds; negative when none is known. */
double history_now(const struct history *h, enum time_kind kind);

#endif
