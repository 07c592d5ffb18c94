/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outline.h - the rows of a list as a treeview shows them: rows below rows, and the identity of
 * each.
 *
 * Panes that do not show a call tree have an outline. A row holds what folds, cursor, search and
 * the next refresh need, in 48 bytes; its content is in the model of the pane, under the same
 * number. Row 0 is the root, which is not shown.
 */
#ifndef SBERF_UI_OUTLINE_H
#define SBERF_UI_OUTLINE_H

#include "base/cleanup.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_MORE 0x80u          /* a kind of row that only outlines have, beside those of query.h */

struct outline_row {
	uint64_t key;            /* identity that survives refreshes */
	uint64_t weight;         /* how much it deserves to be opened; of a call tree's node its total */
	uint32_t parent, first_child, last_child, next_sibling;  /* NODE_NONE = none */
	uint32_t nr_children;
	union {
		func_id func;            /* NODE_FUNC */
		frame_id frame;          /* NODE_ADDR */
		/* NODE_MORE: number of siblings shown while it is closed; 0 = as many as fit */
		uint32_t few;
	};
	frame_id place;          /* the frame that it is about, ID_NONE = none */
	uint16_t depth;          /* root = 0 */
	uint8_t kind;            /* enum node_kind; NODE_GROUP is what no other kind fits */
	bool inlined;            /* NODE_FUNC: an inlined copy */
};

struct outline {
	/* borrowed, like the next two: for the names of functions among the rows */
	const struct dict *dict;
	const struct names *names;
	const struct query *query;       /* NULL = nothing was asked for that makes a difference to names */
	struct outline_row *row;         /* parents come before their children */
	uint32_t n;
	size_t room;                     /* rows that there is memory for */
	bool failed;                     /* out of memory: rows are missing */
};

/* Creates an outline without rows. NULL when out of memory. */
struct outline *outline_new(const struct dict *dict, const struct names *names, const struct query *query);
void outline_free(struct outline *o);            /* NULL is fine */

/*
 * Appends ROW below PARENT (NODE_NONE: it is the root); the caller sets key, weight, kind and
 * place. Returns its number; 0 when out of memory: O has failed then, and takes no more rows.
 */
uint32_t outline_add(struct outline *o, uint32_t parent, struct outline_row row);

/*
 * Writes to RET the rows of the functions of STACK, innermost first, from the name number FIRST of its innermost
 * frame on; at most MAX. Returns how many: keys and weights are the caller's to set.
 */
size_t outline_functions(const struct outline *o, stack_id stack, uint32_t first, struct outline_row *ret, size_t max);

/* Returns O; or frees it and returns NULL when rows are missing. */
struct outline *outline_whole(struct outline *o);

DEFINE_AUTO(outline_free, struct outline);

/* Row I as a tree of one node, in NODE, for functions that take a tree. */
struct tree outline_as_tree(const struct outline *o, uint32_t i, struct tree_node *node);

/* What a treeview shows: a call tree, an outline, or, when both are NULL, nothing. */
struct shown {
	const struct tree *tree;
	const struct outline *list;
};

static inline bool shown_any(struct shown s)
{
	return s.tree || s.list;
}

/* How many nodes or rows there are, the root included. */
static inline uint32_t shown_n(struct shown s)
{
	return s.list ? s.list->n : s.tree ? s.tree->n : 0;
}

/* Node or row I; last_child is that of outlines alone. */
static inline struct outline_row shown_at(struct shown s, uint32_t i)
{
	const struct tree_node *n;

	if (s.list)
		return s.list->row[i];
	n = &s.tree->node[i];
	return (struct outline_row){ .key = n->key, .weight = n->total_ns, .parent = n->parent,
				     .first_child = n->first_child,
				     .last_child = NODE_NONE, .next_sibling = n->next_sibling,
				     .nr_children = n->nr_children,
				     .func = n->func, .place = n->place, .depth = n->depth, .kind = n->kind,
				     .inlined = n->inlined };
}

/* The node or row that idle waits were folded into; NODE_NONE when there is none. */
static inline uint32_t shown_idle(struct shown s)
{
	uint32_t c = shown_n(s) ? shown_at(s, 0).first_child : NODE_NONE;

	while (c != NODE_NONE && shown_at(s, c).kind != NODE_IDLE)
		c = shown_at(s, c).next_sibling;
	return c;
}

static inline const struct names *shown_names(struct shown s)
{
	return s.list ? s.list->names : s.tree->names;
}

static inline const struct dict *shown_dict(struct shown s)
{
	return s.list ? s.list->dict : s.tree->dict;
}

/* What was asked for; NULL = nothing that makes a difference to rows. */
static inline const struct query *shown_query(struct shown s)
{
	return s.list ? s.list->query : &s.tree->query;
}

#endif
