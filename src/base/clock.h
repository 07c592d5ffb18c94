/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.h - reads the two clocks that sberf uses, in nanoseconds. bpf_ktime_get_ns() and the side
 * band use MONOTONIC too.
 */
#ifndef SBERF_BASE_CLOCK_H
#define SBERF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_USEC 1000ull

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * CLOCK_REALTIME when CLOCK_MONOTONIC is MONO_NS. Who reads two clocks may be stopped in between, so of some attempts
 * the quickest counts.
 */
static inline uint64_t clock_real_at(uint64_t mono_ns)
{
	uint64_t best_ns = UINT64_MAX, ahead_ns = 0;

	for (int i = 0; i < 5; i++) {
		const uint64_t before = clock_mono_ns(), real = clock_ns(CLOCK_REALTIME);
		const uint64_t took = clock_mono_ns() - before;

		if (took < best_ns) {
			best_ns = took;
			ahead_ns = real - before - took / 2;
		}
	}
	return mono_ns + ahead_ns;
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };
}

#endif
