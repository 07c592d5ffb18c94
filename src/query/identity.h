/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.h - hashes of functions, modules and places that are the same in every refresh: from
 * names and from what tells files apart, never from ids. Private to queries.
 */
#ifndef SBERF_QUERY_IDENTITY_H
#define SBERF_QUERY_IDENTITY_H

#include "base/vec.h"
#include "model/dict.h"
#include "model/names.h"

#include <stdbool.h>
#include <stdint.h>

struct identity {
	const struct dict *d;
	const struct names *names;
	VEC(uint64_t) func, module;      /* by id; 0 = not known yet */
};

/* Initialises ID. False when out of memory; call identity_free() in any case. */
bool identity_init(struct identity *id, const struct dict *d, const struct names *names);
void identity_free(struct identity *id);         /* zeroed is fine */

/*
 * The hash of FUNC, never 0. Functions of the same name in the same module are the same function.
 */
uint64_t identity_func(struct identity *id, func_id func);
/*
 * Whether A and B have the same hash. Debug information and symbol tables may disagree about where
 * a function is, and inlined copies have no place of their own.
 */
bool identity_same_func(const struct names *names, func_id a, func_id b);
/* The hash of FRAME, a place without a name. */
uint64_t identity_frame(struct identity *id, frame_id frame);

#endif
