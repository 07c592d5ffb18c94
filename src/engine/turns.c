/* SPDX-License-Identifier: BSD-2-Clause */
/* turns.c - see turns.h. */
#include "config.h"

#include "engine/turns.h"

uint32_t turns_next(struct turns *t, uint32_t lessons, uint32_t max_ms)
{
	const uint32_t ms = lessons ? (uint32_t)(t->ms / (lessons + 1ull)) : 2 * t->ms;

	t->ms = ms < TURNS_MIN_MS ? TURNS_MIN_MS : ms > max_ms ? max_ms : ms;
	return t->ms;
}
