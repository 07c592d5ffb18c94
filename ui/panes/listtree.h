/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listtree.h - makes trees of nodes that have the figures of a call tree: the lists of functions and
 * of modules, and what is compared with a baseline. Other lists are outlines (ui/outline.h).
 */
#ifndef SBERF_UI_PANES_LISTTREE_H
#define SBERF_UI_PANES_LISTTREE_H

#include "query/query.h"

/*
 * A tree like WHAT (dict, names, query, n) of the n nodes at NODE, to be freed with tree_free().
 * The first is the root, the others know their parent, which comes before them; siblings keep their
 * order. Takes NODE over, also when it fails: NULL when out of memory.
 */
struct tree *listtree_new(const struct tree *what, struct tree_node *node);

#endif
