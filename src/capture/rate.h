/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rate.h - how often is sampled, now and before it was changed: samples are read some time after they were taken, and each one is
 * to be seen by the rate of its time.
 */
#ifndef SBERF_CAPTURE_RATE_H
#define SBERF_CAPTURE_RATE_H

#include "base/clock.h"

#include <stdint.h>

/* A rate that was never changed has only hz. */
struct rate {
	uint32_t hz;             /* now, not 0 */
	uint32_t before_hz;      /* until changed_ns; 0 = there was none */
	uint64_t changed_ns;     /* CLOCK_MONOTONIC */
};

/* It is HZ from NOW_NS on. Of changes in quick succession, the one before last is forgotten. */
static inline void rate_change(struct rate *r, uint32_t hz, uint64_t now_ns)
{
	*r = (struct rate){ .hz = hz, .before_hz = r->hz, .changed_ns = now_ns };
}

/*
 * What one sample at TIME_NS stands for, in ns. One that comes right after a change may reach back to before it: within two
 * periods of the rate before, the longer period counts.
 */
static inline uint64_t rate_period_ns(const struct rate *r, uint64_t time_ns)
{
	const uint64_t now = NSEC_PER_SEC / r->hz, before = r->before_hz ? NSEC_PER_SEC / r->before_hz : now;

	if (time_ns < r->changed_ns)
		return before;
	return before > now && time_ns - r->changed_ns < 2 * before ? before : now;
}

#endif
