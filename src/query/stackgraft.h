/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackgraft.h - puts stacks and notes below other stacks: "main;take;[held by worker, which ran];work". So
 * questions that say why something took its time can be answered with the trees that everything is shown in.
 * Private to queries.
 */
#ifndef SBERF_QUERY_STACKGRAFT_H
#define SBERF_QUERY_STACKGRAFT_H

#include "base/vec.h"
#include "model/names.h"

#include <stdbool.h>

struct stackgraft {
	struct dict *d;
	struct names *names;
	module_id notes;                 /* whose frames they are: notes of the dictionary have no names */
	VEC(frame_id) path;
	bool failed;                     /* there was no memory, or no room in the dictionary: results are not right */
};

/* False when out of memory. D and NAMES must outlive G, and have no other writer. */
bool stackgraft_init(struct stackgraft *g, struct dict *d, struct names *names);
void stackgraft_free(struct stackgraft *g);      /* also of a zeroed one */

/* The place of a frame that says TEXT below AT; the same for the same TEXT. */
stack_id stackgraft_note(struct stackgraft *g, stack_id at, const char *text);
/* The place of all frames of STACK below AT. */
stack_id stackgraft_stack(struct stackgraft *g, stack_id at, stack_id stack);

#endif
