/* SPDX-License-Identifier: BSD-2-Clause */
/* listtree.c - see listtree.h. */
#include "config.h"

#include "ui/panes/listtree.h"

#include "base/cleanup.h"

#include <stdlib.h>

static void listtree_link_nodes(struct tree_node *node, uint32_t n, uint32_t *last)
{
	for (uint32_t i = 0; i < n; i++)
		node[i].first_child = node[i].next_sibling = last[i] = NODE_NONE;
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t parent = node[i].parent;

		if (last[parent] == NODE_NONE)
			node[parent].first_child = i;
		else
			node[last[parent]].next_sibling = i;
		last[parent] = i;
		node[parent].nr_children++;
		node[i].depth = node[parent].depth + 1;
	}
}

struct tree *listtree_new(const struct tree *what, struct tree_node *node)
{
	AUTO_FREE struct tree_node *nodes = node;
	AUTO_FREE uint32_t *last = malloc((what->n + 1ul) * sizeof(*last));
	struct tree *t = calloc(1, sizeof(*t));

	if (!last || !t) {
		free(t);
		return NULL;
	}
	listtree_link_nodes(nodes, what->n, last);
	*t = *what;
	t->node = take_ptr(nodes);
	t->shared = 0;
	return t;
}
