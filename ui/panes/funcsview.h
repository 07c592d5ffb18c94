/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * funcsview.h - the functions of a call tree as a tree of one level, which a treeview can show and
 * a treepane can draw.
 *
 * Each node is a function: its total includes everything it calls; its self time and kinds of time
 * are its own. Idle waits keep a node of their own kind. When there are very many functions, the
 * FUNCSVIEW_ROWS with the largest self time or total have a node.
 */
#ifndef SBERF_UI_PANES_FUNCSVIEW_H
#define SBERF_UI_PANES_FUNCSVIEW_H

#include "base/err.h"
#include "query/query.h"

#include <stdint.h>

#define FUNCSVIEW_ROWS 2000u

struct funcsview {
	uint32_t functions;      /* that there are, */
	uint32_t shown;          /* and that have a node */
	uint64_t outside_ns;     /* ended in none: frames that are left out */
};

/*
 * Makes the list of T, which is not inverted and may be freed afterwards; names and dictionary are
 * borrowed as T borrows them. On success *RET is the caller's (tree_free()). -ENOMEM with a
 * sentence.
 */
int funcsview_tree(const struct tree *t, struct funcsview *ret_view, struct tree **ret, struct err *e);

/*
 * The node of T that takes most among those of the function that is known by KEY (func_key());
 * NODE_NONE when there is none.
 */
uint32_t funcsview_find(const struct tree *t, uint64_t key);

struct built;
/* How many there are, of the pane of functions: what B, which was built for it, has. */
struct funcsview funcspane_of(const struct built *b);

#endif
