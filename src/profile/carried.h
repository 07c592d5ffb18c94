/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * carried.h - what a kind of fact carries besides its weight, as an id of the dictionary: how to
 * make that id from an event, what remains of it when memory is short, how to make an event from
 * it, and what a filter may look at. One row of operations for each enum carries (model/kind.h).
 * Private to the store, to queries, and to code that makes events from facts.
 */
#ifndef SBERF_PROFILE_CARRIED_H
#define SBERF_PROFILE_CARRIED_H

#include "model/dict.h"
#include "model/kind.h"
#include "model/measure.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What the argument of a hit has above the number of its probe: the bucket of how long it took
 * (wait_bucket()), or HIT_OTHERS, when it was not told one by one, and others stand for it: how long
 * it took itself is not known.
 */
#define HIT_BUCKET_AT 32u
#define HIT_OTHERS ((uint64_t)1 << 40)

struct carried_ops {
	/* Whether everything that EV refers to is in D. */
	bool (*known)(const struct dict *d, const struct event *ev);
	/*
	 * Returns the id of what EV, a known one, carries; ID_NONE when out of memory. F is EV's
	 * fact, of which it may set more.
	 */
	uint32_t (*intern)(struct dict *d, const struct event *ev, struct fact *f);
	/* The number of ids: all are below it. */
	uint32_t (*count)(const struct dict *d);
	/*
	 * What remains of ID in the "(other)" of its thread, and in the one thread for all others.
	 */
	uint32_t (*lighter)(struct dict *d, uint32_t id);
	uint32_t (*lightest)(struct dict *d, uint32_t id);
	bool lightest_is_none;   /* lightest() always returns 0 */
	/* Sets in EV what ID stands for. */
	void (*tell)(const struct dict *d, uint32_t id, struct event *ev);
	/* Sets in M what measures may look at; NULL = nothing. */
	void (*look)(const struct dict *d, uint32_t id, struct measured *m);
};

extern const struct carried_ops carried_ops[CARRIES_NR];

/* The operations of KIND. */
static inline const struct carried_ops *carried_of(unsigned int kind)
{
	return &carried_ops[kind_carries(kind)];
}

#endif
