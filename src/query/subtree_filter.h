/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * subtree_filter.h - which facts are at or below a node of the tree: query.within, so that what somebody has zoomed into can be asked
 * for by everything that reads facts. Private to queries.
 *
 * Nodes are named by their keys, from under the root down, and those say what each of them is, whatever else is in the tree. So
 * nothing is built to find out: a thread is judged by the groups it is in, a stack by the functions it begins with.
 */
#ifndef SBERF_QUERY_SUBTREE_FILTER_H
#define SBERF_QUERY_SUBTREE_FILTER_H

#include "query/foldpath.h"
#include "query/group.h"
#include "query/hidden.h"
#include "query/identity.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct subtree_filter {
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
bool subtree_filter_init(struct subtree_filter *w, const struct dict *d, const struct names *names, const struct query *q);
void subtree_filter_free(struct subtree_filter *w);              /* zeroed is fine */

/* Whether what THREAD did on NODE with STACK is there. */
bool subtree_filter_has(const struct subtree_filter *w, thread_id thread, unsigned int node, stack_id stack);

#endif
