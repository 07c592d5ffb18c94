/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group.h - decides below which root of a tree a thread goes. Private to queries.
 *
 * Every thread of the dictionary gets a group, used or not, so that the thread that stands for a
 * process (its main thread) is the same in every refresh. A process is one pid with one executable;
 * after an exec it is another one. Groups by NUMA node are made when facts need them, with the
 * thread groups repeated below each.
 */
#ifndef SBERF_QUERY_GROUP_H
#define SBERF_QUERY_GROUP_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROUP_TOP UINT32_MAX     /* "up" of a group right under the root */

struct group {
	uint64_t id[2];          /* its identity, in ids of the dictionary */
	uint64_t hash;           /* the same from text and numbers, for tree_node.key */
	uint32_t up;             /* the group above, GROUP_TOP = none */
	uint8_t kind;            /* NODE_GROUP, NODE_NUMA or NODE_SPAN */
	union {
		thread_id thread;        /* NODE_GROUP: its representative */
		uint32_t numa;           /* NODE_NUMA: its number; NODE_SPAN: enum span_place */
	};
	uint32_t node;           /* of the tree, NODE_NONE = none yet */
};

struct groups {
	VEC(struct group) v;
	struct hidx index;
	uint32_t *of_thread;     /* by thread id; NULL for GROUP_NONE */
};

/* Groups the threads of D. 0, or -ENOMEM with G empty. */
int groups_build(struct groups *g, const struct dict *d, enum group_by by);
void groups_free(struct groups *g);

/*
 * The part of GROUP (GROUP_TOP = everything) on the NUMA node NUMA, created when missing; GROUP_TOP
 * when out of memory.
 */
uint32_t groups_on_node(struct groups *g, uint32_t group, uint16_t numa);

/* The same of what is in PLACE (enum span_place). */
uint32_t groups_in_place(struct groups *g, uint32_t group, uint32_t place);

/* Whether a NODE_GROUP at DEPTH of the tree of Q is a process. */
static inline bool group_is_process(const struct query *q, unsigned int depth)
{
	return q->group_by == GROUP_PROCESS || (q->group_by == GROUP_THREAD && depth == 1u + q->by_node + q->by_span);
}

#endif
