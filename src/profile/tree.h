/* SPDX-License-Identifier: BSD-2-Clause */
/* tree.h - the last step of building a tree. Private to queries. */
#ifndef SBERF_PROFILE_TREE_H
#define SBERF_PROFILE_TREE_H

#include "profile/query.h"

#include <stdint.h>

/*
 * Takes N nodes (parents before children, the root first) that know their parent, self_ns and the times and count of the stacks
 * that end there: sums totals, times and counts upwards, and links and sorts the children. -ENOMEM: the nodes are half done.
 */
int tree_link(struct tree_node *node, uint32_t n, const struct dict *d, const struct names *names);

#endif
