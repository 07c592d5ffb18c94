/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treekeep.c - how a treeview keeps its place when a newer tree comes, and how it follows the
 * hottest path on its own.
 *
 * Keys are hashes of the path from the root, so a node whose ancestor got a name meanwhile has a
 * new key. So each old row is looked up in the new tree from its parent's *twin* downwards, by what
 * it is (function, address, group), then by what its address is called now, then under functions
 * that turned out to be inlined in between. Folds, zoom and cursor move along.
 */
#include "config.h"

#include "ui/treeview.h"

#include <stdlib.h>
#include <string.h>

#define INLINE_DEPTH 16u         /* levels of inlined functions that may have come in between */
#define HOT_SHARE 10u            /* nodes of at least 1/HOT_SHARE of the whole are opened on their own */

struct migration {
	struct shown old, next;
	uint32_t *twin;          /* by old node: its counterpart, NODE_NONE = unknown or gone */
	uint32_t *hint;          /* by old node: where among its twin's children to look first */
};

/* Functions are the same by name and module: the tree merges them by these. */
static bool treekeep_same_func(const struct names *ns, func_id a, func_id b)
{
	const struct func *fa, *fb;

	if (a == b)
		return true;
	fa = names_func(ns, a);
	fb = names_func(ns, b);
	return fa && fb && fa->name == fb->name && fa->module == fb->module;
}

static bool treekeep_same_node(const struct names *ns, const struct outline_row *a, const struct outline_row *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case NODE_FUNC:
		return a->inlined == b->inlined && treekeep_same_func(ns, a->func, b->func);
	case NODE_ADDR:
		return a->frame == b->frame;
	default:
		return a->key == b->key;
	}
}

static uint32_t same_sibling(struct shown s, uint32_t from, uint32_t until, const struct outline_row *what)
{
	while (from != until && from != NODE_NONE) {
		const struct outline_row row = shown_at(s, from);

		if (treekeep_same_node(shown_names(s), &row, what))
			return from;
		from = row.next_sibling;
	}
	return NODE_NONE;
}

/* The child of PARENT that is the same as WHAT, searched from HINT on: the order of siblings changes little. */
static uint32_t same_child(struct shown s, uint32_t parent, const struct outline_row *what, uint32_t hint)
{
	const uint32_t first = shown_at(s, parent).first_child;
	const uint32_t found = hint == NODE_NONE ? NODE_NONE : same_sibling(s, hint, NODE_NONE, what);

	return found != NODE_NONE ? found : same_sibling(s, first, hint, what);
}

static uint32_t func_child(struct shown s, uint32_t parent, func_id func)
{
	uint32_t c = shown_at(s, parent).first_child;

	while (c != NODE_NONE && !(shown_at(s, c).kind == NODE_FUNC &&
				   treekeep_same_func(shown_names(s), shown_at(s, c).func, func)))
		c = shown_at(s, c).next_sibling;
	return c;
}

/* Where the names that FRAME has now lead to from PARENT. */
static uint32_t named_child(struct shown s, uint32_t parent, frame_id frame)
{
	const struct frame_names *fn = frame == ID_NONE ? NULL : names_get(shown_names(s), frame);
	const bool inverted = shown_query(s) && shown_query(s)->inverted;
	uint32_t at = parent;

	for (uint16_t i = 0; fn && i < fn->n; i++) {
		const uint32_t c = func_child(s, at, fn->name[inverted ? i : fn->n - 1 - i].func);

		if (c == NODE_NONE)
			break;
		at = c;
	}
	return at == parent ? NODE_NONE : at;
}

/* WHAT somewhere under PARENT with only inlined functions in between; the heaviest branch first. */
static uint32_t inlined_child(struct shown s, uint32_t parent, const struct outline_row *what)
{
	for (unsigned int depth = 0; depth < INLINE_DEPTH; depth++) {
		uint32_t down = NODE_NONE;

		for (uint32_t c = shown_at(s, parent).first_child; c != NODE_NONE; c = shown_at(s, c).next_sibling) {
			uint32_t found;

			if (!shown_at(s, c).inlined)
				continue;
			found = same_child(s, c, what, NODE_NONE);
			if (found != NODE_NONE)
				return found;
			down = down == NODE_NONE ? c : down;
		}
		if (down == NODE_NONE)
			break;
		parent = down;
	}
	return NODE_NONE;
}

static uint32_t find_twin(struct migration *m, const struct outline_row *what)
{
	const uint32_t parent = m->twin[what->parent];
	uint32_t found;

	if (parent == NODE_NONE)
		return NODE_NONE;
	found = same_child(m->next, parent, what, m->hint[what->parent]);
	if (found != NODE_NONE) {
		m->hint[what->parent] = shown_at(m->next, found).next_sibling;
		return found;
	}
	found = named_child(m->next, parent, what->kind == NODE_ADDR ? what->frame : what->place);
	return found != NODE_NONE ? found : inlined_child(m->next, parent, what);
}

/* Opens what now stands between the twins of a node and of its parent: it was not there to hide the node before. */
static void open_between(struct treeview *tv, const struct migration *m, uint32_t node, uint32_t twin)
{
	const uint32_t end = m->twin[shown_at(m->old, node).parent];

	for (uint32_t at = shown_at(m->next, twin).parent; at != end && at != NODE_NONE;
	     at = shown_at(m->next, at).parent) {
		if (folds_get(&tv->folds, shown_at(m->next, at).key) == FOLD_UNSET)
			folds_set(tv->touched ? &tv->folds : &tv->autos, shown_at(m->next, at).key, FOLD_OPEN);
	}
}

static void treekeep_carry(struct folds *f, uint64_t from, uint64_t to)
{
	const enum fold fold = from == to ? FOLD_UNSET : folds_get(f, from);

	if (fold != FOLD_UNSET && folds_get(f, to) == FOLD_UNSET)
		folds_set(f, to, fold);
}

static void treekeep_meet(struct treeview *tv, struct migration *m, uint32_t node)
{
	const struct outline_row was = shown_at(m->old, node);
	const uint32_t twin = find_twin(m, &was);
	uint64_t key;

	m->twin[node] = twin;
	if (twin == NODE_NONE)
		return;
	key = shown_at(m->next, twin).key;
	treekeep_carry(&tv->folds, was.key, key);
	treekeep_carry(&tv->folds, treeview_apart_key(was.key), treeview_apart_key(key));
	treekeep_carry(&tv->autos, was.key, key);
	if (was.kind == NODE_FUNC || node == treeview_node(tv) || treeview_is_open(tv, node))
		open_between(tv, m, node, twin);
}

/*
 * Twins of all that share the line of NODE, which is the last one there. Those before it were open,
 * and are when they get lines of their own now.
 */
static void treekeep_meet_line(struct treeview *tv, struct migration *m, uint32_t node)
{
	for (uint32_t at = treeview_line_start(tv, node); at != node; at = shown_at(m->old, at).first_child) {
		treekeep_meet(tv, m, at);
		if (m->twin[at] != NODE_NONE)
			folds_set(tv->touched ? &tv->folds : &tv->autos, shown_at(m->next, m->twin[at]).key, FOLD_OPEN);
	}
	treekeep_meet(tv, m, node);
}

/* Twins of the nodes that zoom leads through; a zoom whose nodes have other keys now follows them. */
static void meet_zoom(struct treeview *tv, struct migration *m)
{
	uint32_t at = 0, twin;

	for (size_t i = 0; i < tv->zoom.n; i++) {
		uint32_t c = shown_at(m->old, at).first_child;

		while (c != NODE_NONE && shown_at(m->old, c).key != tv->zoom.v[i])
			c = shown_at(m->old, c).next_sibling;
		if (c == NODE_NONE)
			return;
		treekeep_meet(tv, m, c);
		at = c;
	}
	twin = m->twin[at];
	if (!tv->zoom.n || twin == NODE_NONE || shown_at(m->next, twin).depth != tv->zoom.n)
		return;
	for (; twin; twin = shown_at(m->next, twin).parent)
		tv->zoom.v[shown_at(m->next, twin).depth - 1] = shown_at(m->next, twin).key;
}

/* The cursor's counterpart, or that of its nearest ancestor that has one; NODE_NONE = none. */
static uint32_t cursor_twin(const struct treeview *tv, const struct migration *m)
{
	uint32_t node = treeview_node(tv);

	while (node != NODE_NONE && node && m->twin[node] == NODE_NONE)
		node = shown_at(m->old, node).parent;
	return node == NODE_NONE || !node ? NODE_NONE : m->twin[node];
}

static void mark_place(const struct treeview *tv, const struct migration *m, uint32_t cursor, uint8_t *marks)
{
	for (uint32_t at = cursor; at != NODE_NONE; at = shown_at(m->next, at).parent)
		marks[at] |= MARK_PATH;
	for (size_t i = 0; i < tv->cursor; i++) {
		const uint32_t twin = m->twin[treeview_line_start(tv, tv->rows.v[i].node)];

		if (twin != NODE_NONE && !(marks[twin] & MARK_PATH) &&
		    (marks[shown_at(m->next, twin).parent] & MARK_PATH))
			marks[twin] |= MARK_ABOVE;
	}
}

static void place_cursor(struct treeview *tv, uint32_t node)
{
	const size_t line = tv->cursor > tv->top ? tv->cursor - tv->top : 0;

	node = node == NODE_NONE ? NODE_NONE : treeview_line_end(tv, node);
	for (; node != NODE_NONE && node; node = treeview_at(tv, node).parent) {
		for (size_t i = 0; i < tv->rows.n; i++) {
			if (tv->rows.v[i].node == node) {
				tv->cursor = i;
				tv->top = i > line ? i - line : 0;
				return;
			}
		}
	}
	if (treeview_lists_own(tv))
		tv->cursor = 0;          /* the frame of all */
}

/*
 * The newer tree takes the place of the old one. Where it is too large for everything to be open,
 * what was on the screen stays open, whether it is among the heaviest nodes or not.
 */
static void keep_screen(struct treeview *tv, const struct migration *m)
{
	node_vec was_open = { 0 };

	for (size_t i = tv->top; tv->folds.open_default && i < tv->rows.n && i - tv->top < tv->height; i++) {
		for (uint32_t at = tv->rows.v[i].node; at; at = shown_at(m->old, at).parent) {
			uint32_t *slot = m->twin[at] != NODE_NONE && treeview_is_open(tv, at) ?
				vec_push(&was_open) : NULL;

			if (slot)
				*slot = m->twin[at];
		}
	}
	tv->tree = m->next.tree;
	tv->list = m->next.list;
	treeview_weigh(tv);
	for (size_t i = 0; i < was_open.n; i++) {
		if (!treeview_is_open(tv, was_open.v[i]))
			folds_set(&tv->folds, shown_at(m->next, was_open.v[i]).key, FOLD_OPEN);
	}
	vec_free(&was_open);
}

static void treekeep_migrate(struct treeview *tv, struct migration *m)
{
	AUTO_FREE uint8_t *marks = NULL;
	uint32_t cursor;

	for (uint32_t i = 0; i < shown_n(m->old); i++)
		m->twin[i] = m->hint[i] = NODE_NONE;
	m->twin[0] = 0;
	meet_zoom(tv, m);
	for (size_t i = 0; i < tv->rows.n; i++) {
		if (tv->rows.v[i].node)  /* the root, which is a frame, has met */
			treekeep_meet_line(tv, m, tv->rows.v[i].node);
	}
	cursor = cursor_twin(tv, m);
	if (!tv->at_first && cursor != NODE_NONE)
		marks = calloc(shown_n(m->next), 1);
	if (marks)
		mark_place(tv, m, cursor, marks);
	keep_screen(tv, m);
	treeview_list(tv, marks);
	place_cursor(tv, cursor);
}

void treeview_migrate(struct treeview *tv, struct shown next)
{
	const struct shown old = treeview_shown(tv);
	AUTO_FREE uint32_t *twin = malloc((size_t)shown_n(old) * sizeof(*twin));
	AUTO_FREE uint32_t *hint = malloc((size_t)shown_n(old) * sizeof(*hint));
	struct migration m = { .old = old, .next = next, .twin = twin, .hint = hint };

	if (twin && hint) {
		treekeep_migrate(tv, &m);
	} else {
		tv->tree = next.tree;
		tv->list = next.list;
		treeview_weigh(tv);
		treeview_list(tv, NULL);
	}
	treeview_clamp(tv);
	treeview_remember(tv);
}

/* Following the hottest path */

struct unfolding {
	struct treeview *tv;
	node_vec edge;           /* nodes on screen that are closed */
	size_t rows;
	uint32_t hottest;        /* end of the path that always follows the heaviest child */
	uint64_t whole;
};

/* Takes the heaviest node off the edge; NODE_NONE when it is empty. */
static uint32_t take_heaviest(struct unfolding *u)
{
	size_t best = 0;
	uint32_t taken;

	if (!u->edge.n)
		return NODE_NONE;
	for (size_t i = 1; i < u->edge.n; i++) {
		if (treeview_at(u->tv, u->edge.v[i]).weight > treeview_at(u->tv, u->edge.v[best]).weight)
			best = i;
	}
	taken = u->edge.v[best];
	u->edge.v[best] = u->edge.v[--u->edge.n];
	return taken;
}

/*
 * Whether a look at the children of NODE is worth their lines: it is when they fit on the screen,
 * and on the hottest path also when they push lighter lines off it, as long as the path itself does
 * not fill it.
 */
static bool worth_opening(const struct unfolding *u, uint32_t node)
{
	const struct outline_row n = treeview_at(u->tv, node);

	if (n.weight < u->whole / HOT_SHARE ||
	    (u->tv->tree && u->tv->tree->query.inverted && n.kind != NODE_GROUP && n.kind != NODE_NUMA &&
	     n.kind != NODE_SPAN))
		return false;            /* inverted, what matters is the list of functions itself */
	if (u->rows + treeview_lines_below(u->tv, node) <= u->tv->height)
		return true;
	return node == u->hottest && n.depth <= u->tv->height / 2;
}

/*
 * Adds those children of NODE to the edge that may be opened, or are: of the thousands that a list
 * can have, few are heavy, and taking the heaviest looks at all that are on the edge. Returns how
 * many children there are.
 */
static size_t add_children(struct unfolding *u, uint32_t node)
{
	const size_t start = u->edge.n;
	size_t n = start, all;

	treeview_children(u->tv, node, NULL, &u->edge);
	all = u->edge.n - start;
	for (size_t i = start; i < u->edge.n; i++) {
		struct outline_row c;

		u->edge.v[i] = treeview_line_end(u->tv, u->edge.v[i]);
		c = treeview_at(u->tv, u->edge.v[i]);
		if (c.first_child != NODE_NONE &&
		    (c.weight >= u->whole / HOT_SHARE || treeview_is_open(u->tv, u->edge.v[i])))
			u->edge.v[n++] = u->edge.v[i];
	}
	u->edge.n = n;
	return all;
}

static void open_one(struct unfolding *u, uint32_t node)
{
	const struct outline_row n = treeview_at(u->tv, node);

	if (n.first_child == NODE_NONE)
		return;
	if (!treeview_is_open(u->tv, node)) {
		if (!worth_opening(u, node))
			return;
		folds_set(&u->tv->autos, n.key, FOLD_OPEN);
	}
	u->rows += treeview_lines_below(u->tv, node);
	if (treeview_more(u->tv, node) != NODE_NONE)
		return;                  /* of a long list no line is opened on its own */
	add_children(u, node);
	if (node == u->hottest)
		u->hottest = treeview_line_end(u->tv, n.first_child);
}

static uint32_t first_row(const struct treeview *tv)
{
	uint32_t c = treeview_at(tv, 0).first_child;

	while (c != NODE_NONE && treeview_at(tv, c).kind == NODE_IDLE)
		c = treeview_at(tv, c).next_sibling;
	return c;
}

void treeview_unfold(struct treeview *tv)
{
	struct unfolding u = { .tv = tv, .whole = tv->tree ? treeview_work_ns(tv->tree) : tv->list->row[0].weight,
			       .hottest = first_row(tv) };
	uint32_t node;

	u.hottest = u.hottest == NODE_NONE ? NODE_NONE : treeview_line_end(tv, u.hottest);
	u.rows = add_children(&u, 0);
	while ((node = take_heaviest(&u)) != NODE_NONE)
		open_one(&u, node);
	vec_free(&u.edge);
}
