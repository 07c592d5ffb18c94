/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.h - hashes of functions, modules and places that are the same in every refresh: made of what they are called and of what
 * tells files apart, never of ids. Private to queries.
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

/* False when out of memory: to be freed all the same. */
bool identity_init(struct identity *id, const struct dict *d, const struct names *names);
void identity_free(struct identity *id);         /* zeroed is fine */

/* Never 0. What is called the same in the same module is the same function. */
uint64_t identity_func(struct identity *id, func_id func);
/* Whether two have the same: debug information and symbol tables may differ about where a function is, and copies have no place. */
bool identity_same_func(const struct names *names, func_id a, func_id b);
/* Of a place without a name. */
uint64_t identity_frame(struct identity *id, frame_id frame);

#endif
