/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * within.h - which facts are at or below a node of the tree: query.within, so that what somebody has zoomed into can be asked
 * for by everything that reads facts. Private to queries.
 *
 * Nodes are named by their keys, from under the root down, and those say what each of them is, whatever else is in the tree. So
 * nothing is built to find out: a thread is judged by the groups it is in, a stack by the functions it begins with.
 */
#ifndef SBERF_PROFILE_WITHIN_H
#define SBERF_PROFILE_WITHIN_H

#include "profile/foldpath.h"
#include "profile/group.h"
#include "profile/hidden.h"
#include "profile/identity.h"
#include "profile/query.h"

#include <stdbool.h>
#include <stdint.h>

struct within {
	const struct dict *d;
	const struct names *names;
	const struct query *q;
	struct identity identity;
	struct hidden hidden;
	struct fold_path folded; /* query.fold_recursion */
	uint32_t groups;         /* keys that are of groups */
	uint32_t threads, stacks;        /* of the dictionary when it was made */
	uint32_t numa;           /* query.by_node: the number of the node; UINT32_MAX = none matches */
	bool no_memory;
	bool *thread;            /* by thread: it is in the groups */
	uint32_t *stack;         /* by stack: so many of the keys it has, from the first on */
};

/*
 * What Q, which must stay, says with its WITHIN, of which there must be some. False when out of memory: it is to be freed all
 * the same.
 */
bool within_init(struct within *w, const struct dict *d, const struct names *names, const struct query *q);
void within_free(struct within *w);              /* zeroed is fine */

/* Whether what THREAD did on NODE with STACK is there. */
bool within_has(const struct within *w, thread_id thread, unsigned int node, stack_id stack);

#endif
