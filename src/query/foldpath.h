/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foldpath.h - turns a stack into the functions that a query sees in it, root first, with recursion
 * folded (query.fold_recursion). Private to queries.
 *
 * When a function that is already on the path is called again, the path goes back to it and drops
 * everything called in between. So each function occurs once, the stack still ends in the function
 * it ended in, and goes on from there as from any other call.
 */
#ifndef SBERF_QUERY_FOLDPATH_H
#define SBERF_QUERY_FOLDPATH_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/hidden.h"
#include "query/identity.h"

#include <stdbool.h>
#include <stdint.h>

struct fold_step {
	uint64_t identity;       /* of identity.h */
	frame_id frame;
	const struct name *name; /* NULL = a place without one */
	bool inlined;            /* in its first call */
};

/* Where a step was last put; still valid if the step of that number is this one. */
struct fold_place {
	uint64_t identity;
	bool named;
	uint32_t at;
};

struct fold_path {
	const struct query *q;
	const struct hidden *hidden;
	struct identity *identity;
	VEC(struct fold_step) step;      /* of the last stack */
	VEC(stack_id) stack;
	/* of every step ever seen, so that each step takes one look-up at any depth */
	VEC(struct fold_place) place;
	struct hidx places;
};

/*
 * Puts the path of STACK into P->step; the other fields of P are set by the caller. False when out
 * of memory.
 */
bool fold_path_of(struct fold_path *p, stack_id stack);
void fold_path_free(struct fold_path *p);        /* zeroed is fine */

#endif
