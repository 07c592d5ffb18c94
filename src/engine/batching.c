/* SPDX-License-Identifier: BSD-2-Clause */
/* batching.c - see batching.h. */
#include "config.h"

#include "engine/batching.h"

uint32_t batching_next(struct batching *t, uint32_t lessons, uint32_t max_ms)
{
	const uint32_t ms = lessons ? (uint32_t)(t->ms / (lessons + 1ull)) : 2 * t->ms;

	t->ms = ms < BATCHING_MIN_MS ? BATCHING_MIN_MS : ms > max_ms ? max_ms : ms;
	return t->ms;
}
