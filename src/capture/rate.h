/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rate.h - the sampling rate over time. Samples are read some time after they were taken; each is
 * weighed by the rate in force when it was taken.
 */
#ifndef SBERF_CAPTURE_RATE_H
#define SBERF_CAPTURE_RATE_H

#include "base/clock.h"

#include <stdint.h>

/* A rate. If it was never changed, only hz is set. */
struct rate {
	uint32_t hz;             /* now, not 0 */
	uint32_t before_hz;      /* until changed_ns; 0 = there was none */
	uint64_t changed_ns;     /* CLOCK_MONOTONIC */
};

/* Sets R to HZ from NOW_NS on. After quick changes, only the previous rate is remembered. */
static inline void rate_change(struct rate *r, uint32_t hz, uint64_t now_ns)
{
	*r = (struct rate){ .hz = hz, .before_hz = r->hz, .changed_ns = now_ns };
}

/*
 * The time that one sample at TIME_NS stands for, in ns. A sample right after a change may cover
 * time before it: within two old periods, the longer period counts.
 */
static inline uint64_t rate_period_ns(const struct rate *r, uint64_t time_ns)
{
	const uint64_t now = NSEC_PER_SEC / r->hz, before = r->before_hz ? NSEC_PER_SEC / r->before_hz : now;

	if (time_ns < r->changed_ns)
		return before;
	return before > now && time_ns - r->changed_ns < 2 * before ? before : now;
}

#endif
