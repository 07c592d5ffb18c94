/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * carried.h - what a kind of fact carries beside its weight, as an id of the dictionary: how an
 * event becomes such an id, what is left of it when memory is short, how it becomes an event again,
 * what a filter may look at. One row of operations for each enum carries (model/kind.h). Private to
 * the store, queries, and what makes events of facts.
 */
#ifndef SBERF_PROFILE_CARRIED_H
#define SBERF_PROFILE_CARRIED_H

#include "model/dict.h"
#include "model/kind.h"
#include "model/measure.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct carried_ops {
	/* Whether all that EV names is in D. */
	bool (*known)(const struct dict *d, const struct event *ev);
	/*
	 * The id of what EV carries, ID_NONE when out of memory; EV is known. F is its fact, of
	 * which more may be set.
	 */
	uint32_t (*intern)(struct dict *d, const struct event *ev, struct fact *f);
	/* Ids are below. */
	uint32_t (*count)(const struct dict *d);
	/* What stays of ID in "(other)" of its thread, and in one thread for all. */
	uint32_t (*lighter)(struct dict *d, uint32_t id);
	uint32_t (*lightest)(struct dict *d, uint32_t id);
	bool lightest_is_none;   /* that is always 0 */
	/* Sets in EV what ID says. */
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

/*
 * The length of the wait that EV tells of; of those it stands for their average, when none is its
 * own. A piece that stands for others: 0.
 */
uint64_t carried_wait_length(const struct event *ev);

#endif
