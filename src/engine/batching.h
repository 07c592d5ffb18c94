/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batching.h - how long the engine lets events gather before it looks at them.
 *
 * A turn costs tens of microseconds whatever comes of it, and many events one after the other find in the processor's caches what a
 * few at a time would not. But what is not looked at is not learnt from: while the kernel half lacks rules, each stack that comes by
 * the same place is copied anew. So turns are short as long as they bring lessons, and twice as long each time they do not; a single
 * lesson, such as a program that is known well brings now and then, halves them.
 *
 * Pure: no clock.
 */
#ifndef SBERF_ENGINE_BATCHING_H
#define SBERF_ENGINE_BATCHING_H

#include <stdint.h>

#define BATCHING_MIN_MS 5u

struct batching {
	uint32_t ms;             /* of the last one, 0 = there was none */
};

/*
 * The milliseconds that the next turn waits, from BATCHING_MIN_MS to MAX_MS (which is no less): the last one brought LESSONS. The first one
 * is as short as can be.
 */
uint32_t batching_next(struct batching *t, uint32_t lessons, uint32_t max_ms);

#endif
