/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * subtree_filter.h - which facts are at or below a node of the tree (query.within). So every reader
 * of facts can be limited to a node that the user has zoomed into. Private to queries.
 *
 * Nodes are named by their keys on the way from the root. A key says what its node is, whatever
 * else is in the tree. So no tree is built: a thread is judged by its groups, a stack by the
 * functions that it begins with.
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
	uint32_t groups;         /* number of keys that are groups */
	uint32_t threads, stacks;        /* of the dictionary when it was made */
	uint32_t numa;           /* query.by_node: the node's number; UINT32_MAX = none matches */
	uint32_t place;          /* query.by_span: the enum span_place; the same */
	bool no_memory;
	bool *thread;            /* by thread: it is in these groups */
	uint32_t *stack;         /* by stack: how many of the keys it matches, from the first on */
};

/*
 * Initialises W for Q.within, which is not empty; Q must outlive W. False when out of memory; call
 * subtree_filter_free() in any case.
 */
bool subtree_filter_init(struct subtree_filter *w, const struct dict *d, const struct names *names,
			 const struct query *q);
void subtree_filter_free(struct subtree_filter *w);              /* zeroed is fine */

/* Whether a fact of THREAD on NODE with STACK, in PLACE (enum span_place), is at or below the node. */
bool subtree_filter_has(const struct subtree_filter *w, thread_id thread, unsigned int node, stack_id stack,
			unsigned int place);

#endif
