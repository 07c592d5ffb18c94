/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batching.h - decides how long the engine lets events gather before it processes them.
 *
 * A turn costs tens of microseconds even when it finds nothing, and many events in a row profit
 * from warm caches. But the engine learns only from events that it has processed: while the kernel
 * half lacks rules, it copies each stack that passes the same place. So turns are short while they
 * bring lessons, and double while they bring none. A single lesson, as a well-known program brings
 * now and then, halves the wait.
 *
 * Pure: no clock.
 */
#ifndef SBERF_ENGINE_BATCHING_H
#define SBERF_ENGINE_BATCHING_H

#include <stdint.h>

#define BATCHING_MIN_MS 5u

struct batching {
	uint32_t ms;             /* the last wait, 0 = none yet */
};

/*
 * Returns how many milliseconds the next turn waits: BATCHING_MIN_MS to MAX_MS (which is no less).
 * LESSONS is what the last turn brought. The first wait is the shortest.
 */
uint32_t batching_next(struct batching *t, uint32_t lessons, uint32_t max_ms);

#endif
