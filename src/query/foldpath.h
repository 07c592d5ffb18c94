/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foldpath.h - a stack as the functions that a question sees in it, root first, with cycles folded: query.fold_recursion. Private to
 * queries.
 *
 * Where a function is called that is under way already, the path goes back to it, and all that was called in between is left out. So
 * each function is there once, the stack ends in the function that it ended in, and goes on from a function as from any of its calls.
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

/* Where a step was put last: it is still there if the step of that number is this one. */
struct fold_place {
	uint64_t identity;
	bool named;
	uint32_t at;
};

struct fold_path {
	const struct query *q;
	const struct hidden *hidden;
	struct identity *identity;
	VEC(struct fold_step) step;      /* of the last stack that was asked for */
	VEC(stack_id) stack;
	VEC(struct fold_place) place;    /* of every step that there ever was, so that paths of any depth take a look each */
	struct hidx places;
};

/* Puts the path of STACK into P->step, whose other fields are set. False when out of memory. */
bool fold_path_of(struct fold_path *p, stack_id stack);
void fold_path_free(struct fold_path *p);        /* zeroed is fine */

#endif
