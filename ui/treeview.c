/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treeview.c - the cursor and the open nodes of a call tree on screen. treelist.c lists the rows,
 * treekeep.c keeps the place when a newer tree comes, treenav.c moves between relatives.
 */
#include "config.h"

#include "ui/treeview.h"

#include <stdlib.h>
#include <string.h>

#define LIGHT_SHARE 1000u        /* interrupts of less than 1/LIGHT_SHARE of the whole are light */

void treeview_init(struct treeview *tv, size_t height)
{
	*tv = (struct treeview){ .height = height ? height : 1, .at_first = true };
}

void treeview_free(struct treeview *tv)
{
	folds_free(&tv->folds);
	folds_free(&tv->autos);
	vec_free(&tv->rows);
	vec_free(&tv->path);
	vec_free(&tv->zoom);
	vec_free(&tv->zooms);
	vec_free(&tv->lent);
}

uint32_t treeview_node(const struct treeview *tv)
{
	return tv->cursor < tv->rows.n ? tv->rows.v[tv->cursor].node : NODE_NONE;
}

frame_id treeview_place(const struct treeview *tv, uint32_t node)
{
	const struct outline_row n = treeview_at(tv, node);

	if (n.kind == NODE_ROOT || n.kind == NODE_GROUP || n.kind == NODE_NUMA || n.kind == NODE_SPAN ||
	    n.kind == NODE_HOLDER)
		return ID_NONE;
	return n.kind == NODE_ADDR ? n.frame : n.place;
}

uint32_t treeview_idle(const struct tree *t)
{
	return shown_idle((struct shown){ .tree = t });
}

uint64_t treeview_work_ns(const struct tree *t)
{
	const uint32_t idle = treeview_idle(t);
	const uint64_t idle_ns = idle == NODE_NONE ? 0 : t->node[idle].total_ns;

	return t->n && t->node[0].total_ns > idle_ns ? t->node[0].total_ns - idle_ns : 0;
}

bool treeview_is_open(const struct treeview *tv, uint32_t node)
{
	const struct outline_row n = treeview_at(tv, node);
	const enum fold fold = folds_get(&tv->folds, n.key);

	if (treeview_joins(tv, node))
		return true;
	if (fold != FOLD_UNSET)
		return fold == FOLD_OPEN;
	return (tv->folds.open_default && n.weight >= tv->least_open_ns && !treeview_is_light(tv, node)) ||
	       folds_open(&tv->autos, n.key);
}

uint32_t treeview_path(const struct treeview *tv, const uint64_t *key, size_t n, size_t *ret_found)
{
	uint32_t at = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t c = treeview_at(tv, at).first_child;

		while (c != NODE_NONE && treeview_at(tv, c).key != key[i])
			c = treeview_at(tv, c).next_sibling;
		if (c == NODE_NONE)
			break;
		at = c;
	}
	*ret_found = i;
	return at;
}

uint32_t treeview_base(const struct treeview *tv)
{
	size_t found;

	for (size_t i = tv->zooms.n; shown_any(treeview_shown(tv)) && i-- > 0;) {
		const uint32_t node = treeview_path(tv, tv->zoom.v, tv->zooms.v[i], &found);

		if (found == tv->zooms.v[i])
			return node;
	}
	return 0;
}

void treeview_weigh(struct treeview *tv)
{
	const struct shown s = treeview_shown(tv);

	tv->light_ns = tv->tree ? treeview_work_ns(tv->tree) / LIGHT_SHARE : 0;
	tv->least_open_ns = shown_any(s) && tv->folds.open_default ? treeview_least_open(s, treeview_base(tv)) : 0;
}

/* Cursor and screen */

/* NODE is the one that the cursor belongs to. */
static void belong_to(struct treeview *tv, uint32_t node)
{
	if (node == NODE_NONE)
		return;
	tv->path.n = 0;
	if (!vec_reserve(&tv->path, treeview_at(tv, node).depth))
		return;
	tv->path.n = treeview_at(tv, node).depth;
	for (uint32_t at = node; at; at = treeview_at(tv, at).parent)
		tv->path.v[treeview_at(tv, at).depth - 1] = treeview_at(tv, at).key;
}

void treeview_remember(struct treeview *tv)
{
	belong_to(tv, treeview_node(tv));
}

void treeview_clamp(struct treeview *tv)
{
	const size_t n = tv->rows.n;

	if (!n)
		return;
	if (tv->cursor >= n)
		tv->cursor = n - 1;
	if (tv->top > tv->cursor)
		tv->top = tv->cursor;
	if (tv->cursor - tv->top >= tv->height)
		tv->top = tv->cursor - tv->height + 1;
}

/* The same, and leaves no more lines blank than must be: after what the user did. */
static void treeview_fill(struct treeview *tv)
{
	treeview_clamp(tv);
	if (tv->top + tv->height > tv->rows.n)
		tv->top = tv->rows.n > tv->height ? tv->rows.n - tv->height : 0;
}

/*
 * Puts the cursor on NODE, which is in the rows or hidden under a row that is; keeps the line of
 * the screen when KEEP_LINE.
 */
static void settle_on(struct treeview *tv, uint32_t node, bool keep_line)
{
	const size_t line = tv->cursor > tv->top ? tv->cursor - tv->top : 0;

	node = node == NODE_NONE ? NODE_NONE : treeview_line_end(tv, node);
	for (; node != NODE_NONE && node; node = treeview_at(tv, node).parent) {
		for (size_t i = 0; i < tv->rows.n; i++) {
			if (tv->rows.v[i].node != node)
				continue;
			tv->cursor = i;
			if (keep_line)
				tv->top = i > line ? i - line : 0;
			else if (i < tv->top || i - tv->top >= tv->height)
				tv->top = i > tv->height / 3 ? i - tv->height / 3 : 0;
			treeview_clamp(tv);
			return;
		}
	}
	if (treeview_lists_own(tv))
		tv->cursor = 0;          /* the frame of all */
	treeview_clamp(tv);
}

static void treeview_relist(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	treeview_list(tv, NULL);
	settle_on(tv, node, true);
	treeview_fill(tv);
	treeview_remember(tv);
}

static void treeview_show_any(struct treeview *tv, struct shown next)
{
	if (!shown_n(next)) {
		tv->tree = NULL;
		tv->list = NULL;
		tv->base = NULL;
		tv->model = NULL;
		tv->rows.n = 0;          /* cursor and top stay, to come back to the same line */
		return;
	}
	if (tv->rows.n) {
		treeview_migrate(tv, next);
	} else {
		size_t found;

		tv->tree = next.tree;
		tv->list = next.list;
		treeview_weigh(tv);
		treeview_list(tv, NULL);
		settle_on(tv, treeview_path(tv, tv->path.v, tv->path.n, &found), true);
	}
	if (!tv->touched) {
		treeview_unfold(tv);
		treeview_list(tv, NULL);
	}
	if (tv->at_first)
		tv->cursor = tv->top = 0;
	treeview_clamp(tv);
}

void treeview_show_model(struct treeview *tv, const void *model, struct shown next)
{
	tv->model = model;               /* rows of what is newer are listed by what they are called there */
	treeview_show_any(tv, next);
}

void treeview_show(struct treeview *tv, const struct tree *tree)
{
	treeview_show_any(tv, (struct shown){ .tree = tree });
}

uint64_t treeview_value(const struct treeview *tv, uint32_t node, enum sort_by sort)
{
	if (sort == SORT_TOTAL || sort == SORT_NAME)
		return 0;
	if (tv->list)
		return tv->ops && tv->ops->value ? tv->ops->value(tv, node, sort) : 0;
	return sort == SORT_SELF ? tv->tree->node[node].self_ns : 
		tree_value(tv->tree, node, sort_place(sort));
}

char *treeview_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return tv->ops && tv->ops->label ? tv->ops->label(tv, node, dst, size) : tree_label(tv->tree, node, dst, size);
}

void treeview_set_height(struct treeview *tv, size_t height)
{
	if (height == tv->height)
		return;
	tv->height = height ? height : 1;
	if (shown_any(treeview_shown(tv)) && !tv->touched) {
		treeview_unfold(tv);
		treeview_list(tv, NULL);
	} else if (tv->list && tv->ops && tv->ops->long_lists) {
		treeview_relist(tv);              /* long lists have other lengths now */
	}
	treeview_fill(tv);
}

void treeview_set_width(struct treeview *tv, int width)
{
	if (width > 0 && tv->ops && tv->ops->set_width && tv->ops->set_width(tv, width) &&
	    shown_any(treeview_shown(tv)))
		treeview_relist(tv);
}

/* Moving */

void treeview_to_row(struct treeview *tv, size_t row)
{
	tv->touched = true;
	tv->at_first = false;
	tv->cursor = row;
	treeview_clamp(tv);
	treeview_remember(tv);
}

void treeview_move(struct treeview *tv, long by)
{
	const size_t back = by < 0 ? (size_t)-(by + 1) + 1 : 0;

	treeview_to_row(tv, by >= 0 ? tv->cursor + (size_t)by : tv->cursor > back ? tv->cursor - back : 0);
}

void treeview_first(struct treeview *tv)
{
	treeview_to_row(tv, 0);
	tv->at_first = true;
}

static bool treeview_can_fold(const struct treeview *tv, uint32_t node)
{
	return treeview_at(tv, node).first_child != NODE_NONE || treeview_at(tv, node).kind == NODE_MORE;
}

static void treeview_fold(struct treeview *tv, uint32_t node, enum fold how)
{
	if (treeview_can_fold(tv, node))
		folds_set(&tv->folds, treeview_at(tv, node).key, how);
}

/* Folds NODE under the user's hand and lists the rows anew. */
static void fold_here(struct treeview *tv, uint32_t node, enum fold how)
{
	tv->touched = true;
	treeview_fold(tv, node, how);
	treeview_relist(tv);
}

void treeview_open(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node != NODE_NONE)
		fold_here(tv, node, FOLD_OPEN);
}

/*
 * Each function of the line under the cursor, whose last one is NODE, has a row of its own from now
 * on; the cursor is on the first of them.
 */
static void treeview_take_apart(struct treeview *tv, uint32_t node)
{
	const uint32_t start = treeview_line_start(tv, node);

	folds_set(&tv->folds, treeview_apart_key(treeview_at(tv, start).key), FOLD_OPEN);
	for (uint32_t at = start; at != node; at = treeview_at(tv, at).first_child)
		treeview_fold(tv, at, FOLD_OPEN);
	tv->touched = true;
	treeview_list(tv, NULL);
	settle_on(tv, start, true);
	treeview_fill(tv);
	treeview_remember(tv);
}

void treeview_open_further(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node != NODE_NONE && treeview_is_open(tv, node) && treeview_line_start(tv, node) != node)
		treeview_take_apart(tv, node);
	else
		treeview_open(tv);
}

/* The line that NODE begins, if it was taken apart, is one again. Returns the node to close. */
static uint32_t treeview_put_together(struct treeview *tv, uint32_t node)
{
	const uint64_t key = treeview_apart_key(treeview_at(tv, node).key);

	if (folds_get(&tv->folds, key) == FOLD_OPEN)
		folds_set(&tv->folds, key, FOLD_UNSET);
	return treeview_line_end(tv, node);
}

void treeview_close(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node != NODE_NONE)
		fold_here(tv, treeview_put_together(tv, node), FOLD_CLOSED);
}

void treeview_toggle(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node == NODE_NONE || !treeview_can_fold(tv, node))
		return;
	if (treeview_is_open(tv, node))
		treeview_close(tv);
	else
		treeview_open(tv);
}

void treeview_right(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node == NODE_NONE || !treeview_can_fold(tv, node))
		return;
	if (treeview_is_open(tv, node))
		treeview_move(tv, 1);
	else
		treeview_open(tv);
}

void treeview_left(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);

	if (node == NODE_NONE)
		return;
	if (treeview_can_fold(tv, node) && treeview_is_open(tv, node)) {
		treeview_close(tv);
		return;
	}
	treeview_parent(tv);
}

/* One past the last row under the cursor's node, itself included. */
static size_t subtree_end(const struct treeview *tv)
{
	size_t end = tv->cursor + 1;

	while (end < tv->rows.n && tv->rows.v[end].depth > tv->rows.v[tv->cursor].depth)
		end++;
	return end;
}

/* Whether row I opens when its level does: a light interrupt only when the cursor is on it. */
static bool treeview_opens_with_level(const struct treeview *tv, size_t i)
{
	const uint32_t node = tv->rows.v[i].node;

	return treeview_can_fold(tv, node) && !treeview_is_open(tv, node) &&
		(i == tv->cursor || !treeview_is_light(tv, node));
}

bool treeview_open_level(struct treeview *tv)
{
	uint32_t level = UINT32_MAX;
	size_t end, nodes = 0, rows = tv->rows.n;

	if (!tv->rows.n)
		return true;
	end = subtree_end(tv);
	for (size_t i = tv->cursor; i < end; i++) {
		const struct tree_row *r = &tv->rows.v[i];

		if (r->depth < level && treeview_opens_with_level(tv, i))
			level = r->depth;
	}
	for (size_t i = tv->cursor; i < end; i++) {
		if (tv->rows.v[i].depth != level || !treeview_opens_with_level(tv, i))
			continue;
		nodes++;
		rows += treeview_lines_below(tv, tv->rows.v[i].node);
	}
	if (nodes > 1 && rows > OPEN_ROWS_MAX)
		return false;
	for (size_t i = tv->cursor; i < end; i++) {
		if (tv->rows.v[i].depth == level && treeview_opens_with_level(tv, i))
			treeview_fold(tv, tv->rows.v[i].node, FOLD_OPEN);
	}
	tv->touched = true;
	treeview_relist(tv);
	return true;
}

void treeview_close_level(struct treeview *tv)
{
	uint32_t level = 0;
	size_t end;

	if (!tv->rows.n)
		return;
	end = subtree_end(tv);
	for (size_t i = tv->cursor; i < end; i++) {
		if (tv->rows.v[i].depth > level)
			level = tv->rows.v[i].depth;
	}
	for (size_t i = tv->cursor; i < end; i++) {
		if (tv->rows.v[i].depth + 1 == level)
			treeview_fold(tv, tv->rows.v[i].node, FOLD_CLOSED);
	}
	tv->touched = true;
	treeview_relist(tv);
}

void treeview_all(struct treeview *tv, bool open)
{
	tv->touched = true;
	folds_clear(&tv->folds, open);
	folds_clear(&tv->autos, false);
	tv->lent.n = 0;
	treeview_weigh(tv);
	if (shown_any(treeview_shown(tv)) && tv->zooms.n && !open)
		treeview_fold(tv, treeview_line_end(tv, treeview_base(tv)), FOLD_OPEN);
	treeview_relist(tv);
}

/* Zoom */

void treeview_zoom(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv), root = node == NODE_NONE ? NODE_NONE : treeview_line_start(tv, node);
	size_t *len, depth;

	if (node == NODE_NONE || root == treeview_base(tv))
		return;
	treeview_remember(tv);
	depth = treeview_at(tv, root).depth;
	if (tv->path.n < depth || !vec_reserve(&tv->zoom, depth) || !(len = vec_push(&tv->zooms)))
		return;
	memcpy(tv->zoom.v, tv->path.v, depth * sizeof(*tv->path.v));
	*len = tv->zoom.n = depth;
	treeview_weigh(tv);
	tv->top = 0;
	tv->at_first = false;
	fold_here(tv, node, FOLD_OPEN);
}

bool treeview_unzoom(struct treeview *tv)
{
	if (!tv->zooms.n)
		return false;
	tv->zooms.n--;
	tv->zoom.n = tv->zooms.n ? tv->zooms.v[tv->zooms.n - 1] : 0;
	tv->touched = true;
	treeview_weigh(tv);
	treeview_relist(tv);
	return true;
}

void treeview_sort(struct treeview *tv, enum sort_by sort)
{
	tv->sort = sort;
	if (!shown_any(treeview_shown(tv)))
		return;
	treeview_relist(tv);
	if (tv->at_first)
		tv->cursor = tv->top = 0;
}

/* Visiting */

static void treeview_lend(struct treeview *tv, uint64_t key)
{
	struct lent_fold *l = vec_push(&tv->lent);

	if (!l)
		return;
	*l = (struct lent_fold){ key, (uint8_t)folds_get(&tv->folds, key) };
	folds_set(&tv->folds, key, FOLD_OPEN);
}

/* Opens NODE when it is closed, or the long list that it is too far down in; false when there is no need to. */
static bool lend_if(struct treeview *tv, uint32_t node, bool closed)
{
	if (node == NODE_NONE || !closed)
		return false;
	treeview_lend(tv, treeview_at(tv, node).key);
	return true;
}

static bool treeview_under(const struct treeview *tv, uint32_t node, uint32_t base)
{
	while (node != base && node)
		node = treeview_at(tv, node).parent;
	return node == base;
}

void treeview_visit(struct treeview *tv, uint32_t node)
{
	bool folded = tv->lent.n;

	if (node >= shown_n(treeview_shown(tv)))
		return;
	while (tv->lent.n) {
		const struct lent_fold l = tv->lent.v[--tv->lent.n];

		folds_set(&tv->folds, l.key, l.before);
	}
	while (tv->zooms.n && !treeview_under(tv, node, treeview_base(tv)))
		treeview_unzoom(tv);
	if (treeview_joins(tv, node)) {
		treeview_lend(tv, treeview_apart_key(treeview_at(tv, treeview_line_start(tv, node)).key));
		folded = true;
	}
	for (uint32_t at = node; at != NODE_NONE && at; at = treeview_at(tv, at).parent) {
		folded |= lend_if(tv, treeview_hidden_by(tv, at), true);
		folded |= lend_if(tv, at, at != node && !treeview_is_open(tv, at));
	}
	tv->touched = true;
	tv->at_first = false;
	belong_to(tv, node);
	/* frames that are narrow are there as long as the cursor is on them */
	if (folded || treeview_lists_own(tv))
		treeview_list(tv, NULL);
	settle_on(tv, node, false);
	treeview_fill(tv);
	treeview_remember(tv);
}

void treeview_settle(struct treeview *tv)
{
	tv->lent.n = 0;
}
