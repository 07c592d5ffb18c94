/* SPDX-License-Identifier: BSD-2-Clause */
/* flameview.c - rows, cursor and levels of the flame graph, on top of a treeview (flameview.h). */
#include "config.h"

#include "ui/panes/flameview.h"

#include <stdlib.h>
#include <string.h>

void flameview_free(struct flameview *f)
{
	flame_layout_free(&f->layout);
}

/* Makes *TO what FROM is; out of memory it stays as it is. */
#define copy_vec(to, from) do { \
	if (vec_reserve(to, (from)->n) && (from)->n) { \
		memcpy((to)->v, (from)->v, (from)->n * sizeof(*(to)->v)); \
		(to)->n = (from)->n; \
	} \
} while (0)

void flameview_begin_at(struct treeview *tv, const struct treeview *lines)
{
	if (!tv->at_first || tv->zooms.n || tv->path.n || !lines->tree)
		return;
	copy_vec(&tv->zoom, &lines->zoom);
	if (tv->zoom.n == lines->zoom.n)
		copy_vec(&tv->zooms, &lines->zooms);
	if (lines->at_first)
		return;
	copy_vec(&tv->path, &lines->path);
	tv->at_first = !tv->path.n;
}

/* The innermost node that MARKS say leads to the cursor. */
static uint32_t flameview_marked(const struct tree *t, const uint8_t *marks)
{
	uint32_t at = 0, c = t->node[0].first_child;

	while (c != NODE_NONE) {
		if (marks[c] & MARK_PATH) {
			at = c;
			c = t->node[c].first_child;
		} else {
			c = t->node[c].next_sibling;
		}
	}
	return at;
}

static void flameview_list(struct treeview *tv, const uint8_t *marks)
{
	struct flame_layout *l = &flameview_of(tv)->layout;
	size_t found;
	const uint32_t keep = tv->at_first ? NODE_NONE : marks ? flameview_marked(tv->tree, marks) :
			      treeview_path(tv, tv->path.v, tv->path.n, &found);

	tv->rows.n = 0;
	flame_layout_make(l, tv->tree, treeview_base(tv), flameview_of(tv)->width, keep);
	if (!vec_reserve(&tv->rows, l->frame.n))
		return;
	for (size_t i = 0; i < l->frame.n; i++)
		tv->rows.v[i] = (struct tree_row){ l->frame.v[i].node, l->frame.v[i].level };
	tv->rows.n = l->frame.n;
}

const struct flame_frame *flameview_frame(const struct treeview *tv, size_t row)
{
	return &flameview_of(tv)->layout.frame.v[row];
}

const struct flame_frame *flameview_here(const struct treeview *tv)
{
	return tv->cursor < tv->rows.n ? flameview_frame(tv, tv->cursor) : NULL;
}

/* Brings the frame under the cursor into the levels that are on screen, of which there are tv->height. */
static void flameview_follow(struct treeview *tv)
{
	const struct flame_frame *here = flameview_here(tv);
	struct flameview *f = flameview_of(tv);
	const uint32_t levels = f->layout.levels, lines = (uint32_t)tv->height;

	if (!here)
		return;
	if (f->top > here->level)
		f->top = here->level;
	if (here->level - f->top >= lines)
		f->top = here->level - lines + 1;
	if (f->top + lines > levels)
		f->top = levels > lines ? levels - lines : 0;
}

/* Moving */

/* NODE, or the sibling after it, that was not folded as idle. */
static uint32_t not_idle(const struct tree *t, uint32_t node)
{
	while (node != NODE_NONE && t->node[node].kind == NODE_IDLE)
		node = t->node[node].next_sibling;
	return node;
}

static uint32_t flameview_heaviest_child(const struct tree *t, uint32_t node)
{
	return not_idle(t, t->node[node].first_child);
}

void flameview_down(struct treeview *tv, long by)
{
	uint32_t node = treeview_node(tv);
	const uint32_t from = node, base = node == NODE_NONE ? 0 : treeview_base(tv);

	if (node == NODE_NONE)
		return;
	for (; by < 0 && node != base; by++)
		node = tv->tree->node[node].parent;
	for (uint32_t c; by > 0 && (c = flameview_heaviest_child(tv->tree, node)) != NODE_NONE; by--)
		node = c;
	if (node != from)
		treeview_visit(tv, node);
}

/* Where more stays than goes on into any child, the path has come to what it is hot for. */
void flameview_last(struct treeview *tv)
{
	const uint32_t from = treeview_node(tv);
	uint32_t node = from, child;

	if (from == NODE_NONE)
		return;
	while ((child = flameview_heaviest_child(tv->tree, node)) != NODE_NONE &&
	       tv->tree->node[child].total_ns >= tv->tree->node[node].self_ns)
		node = child;
	if (node != from)
		treeview_visit(tv, node);
}

static uint32_t sibling_before(const struct tree *t, uint32_t node)
{
	const uint32_t parent = t->node[node].parent;
	uint32_t before = NODE_NONE;

	for (uint32_t c = flameview_heaviest_child(t, parent); c != node && c != NODE_NONE;
	     c = not_idle(t, t->node[c].next_sibling))
		before = c;
	return before;
}

/* The nearest frame of the cursor's level that stands on one side of it. */
static uint32_t flameview_neighbour(const struct treeview *tv, bool right)
{
	const uint32_t level = flameview_here(tv)->level;

	for (size_t i = tv->cursor; right ? ++i < tv->rows.n : i-- > 0;) {
		if (flameview_frame(tv, i)->level == level)
			return tv->rows.v[i].node;
	}
	return NODE_NONE;
}

void flameview_aside(struct treeview *tv, bool right)
{
	const uint32_t node = treeview_node(tv);
	uint32_t to;

	if (node == NODE_NONE || node == treeview_base(tv))
		return;
	to = right ? not_idle(tv->tree, tv->tree->node[node].next_sibling) : sibling_before(tv->tree, node);
	if (to == NODE_NONE)
		to = flameview_neighbour(tv, right);
	if (to != NODE_NONE)
		treeview_visit(tv, to);
}

void flameview_scroll(struct treeview *tv, long by)
{
	struct flameview *f = flameview_of(tv);
	const long levels = f->layout.levels, lines = (long)tv->height, most = levels > lines ? levels - lines : 0;
	const struct flame_frame *here = flameview_here(tv);
	long top = (long)f->top + by;

	if (!here)
		return;
	top = top < 0 ? 0 : top > most ? most : top;
	f->top = (uint32_t)top;
	if ((long)here->level < top)
		flameview_down(tv, top - (long)here->level);
	else if ((long)here->level >= top + lines)
		flameview_down(tv, top + lines - 1 - (long)here->level);
}

void flameview_zoom(struct treeview *tv)
{
	if (treeview_node(tv) == treeview_base(tv))
		treeview_unzoom(tv);
	else
		treeview_zoom(tv);
	flameview_of(tv)->top = 0;
}

static bool flameview_set_width(struct treeview *tv, int width)
{
	struct flameview *f = flameview_of(tv);
	const bool other = f->width != width;

	f->width = width;
	return other;
}

static uint64_t flameview_whole_ns(const struct treeview *tv)
{
	return flameview_of(tv)->layout.whole_ns;
}

static const struct treeview_ops flame_rows = {
	.list = flameview_list, .set_width = flameview_set_width, .follow = flameview_follow,
		.whole_ns = flameview_whole_ns,
};

void flameview_init(struct treeview *tv, struct flameview *f)
{
	treeview_init(tv, 1);
	tv->ops = &flame_rows;
	tv->own = f;
	tv->folds.open_default = true;   /* nothing is closed, */
	tv->touched = true;              /* and nothing opens by itself */
	f->width = 1;
}
