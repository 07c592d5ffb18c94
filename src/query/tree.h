/* SPDX-License-Identifier: BSD-2-Clause */
/* tree.h - the last step of building a tree: totals and order. Private to queries. */
#ifndef SBERF_QUERY_TREE_H
#define SBERF_QUERY_TREE_H

#include "base/hash.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define TREE_ROOT_KEY hash_u64(1)

/*
 * The tree_node.key of a child of the node with key PARENT. IDENTITY is that of identity.h, or
 * group.hash.
 */
static inline uint64_t tree_key(uint64_t parent, uint64_t identity, unsigned int kind, bool inlined)
{
	return hash_2u64(parent, hash_2u64(identity, kind << 1 | inlined));
}

/*
 * Takes N nodes (parents before children, the root first) that know their parent, self_ns and the
 * times and count of the stacks that end there: sums totals, times and counts upwards, those of MORE
 * too (tree.more; NULL), and links the children, in order when SORTED. -ENOMEM: the nodes are half
 * done.
 */
int tree_link(struct tree_node *node, uint64_t *more, uint32_t n, const struct dict *d, const struct names *names,
	      bool sorted);

#endif
