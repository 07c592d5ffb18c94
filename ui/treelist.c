/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treelist.c - lists the rows of a treeview in their order. This is done anew after every change,
 * in a walk over the open nodes only. The walk keeps its own stack, since call trees are as deep as
 * the program recurses.
 */
#include "config.h"

#include "base/order.h"

#include "ui/treeview.h"

#include <stdlib.h>
#include <string.h>

#define SORT_LABEL 256u          /* bytes of a name that matter for sorting */

/* Sorting */

struct sort_item {
	uint32_t node, place;    /* place in the tree's own order, which is by total: ties stay as they are */
	uint8_t group;
	uint64_t value;
	const char *label;
};

static int treelist_by_rank(const void *pa, const void *pb)
{
	const struct sort_item *a = pa, *b = pb;

	if (a->group != b->group)
		return compare_numbers(a->group, b->group);
	if (a->label && b->label) {
		const int c = strcmp(a->label, b->label);

		if (c)
			return c;
	}
	if (a->value != b->value)
		return compare_numbers(b->value, a->value);
	return compare_numbers(a->place, b->place);
}

static uint8_t treelist_group_of(const uint8_t *marks, uint32_t node)
{
	if (!marks)
		return 0;
	return marks[node] & MARK_ABOVE ? 0 : marks[node] & MARK_PATH ? 1 : 2;
}

static void sort_children(const struct treeview *tv, const uint8_t *marks, uint32_t *node, size_t n)
{
	AUTO_FREE struct sort_item *item = calloc(n, sizeof(*item));
	const enum sort_by sort = treeview_own_order(tv) ? SORT_TOTAL : tv->sort;
	AUTO_FREE char *labels = sort == SORT_NAME ? calloc(n, SORT_LABEL) : NULL;

	if (!item)
		return;
	for (size_t i = 0; i < n; i++) {
		item[i] =
			(struct sort_item){ .node = node[i], .place = (uint32_t)i,
					    .group = treelist_group_of(marks, node[i]) };
		item[i].value = treeview_value(tv, node[i], sort);
		if (labels)
			item[i].label = treeview_label(tv, node[i], labels + i * SORT_LABEL, SORT_LABEL);
	}
	qsort(item, n, sizeof(*item), treelist_by_rank);
	for (size_t i = 0; i < n; i++)
		node[i] = item[i].node;
}

void treeview_children(const struct treeview *tv, uint32_t node, const uint8_t *marks, node_vec *ret)
{
	const size_t start = ret->n;

	for (uint32_t c = treeview_at(tv, node).first_child; c != NODE_NONE; c = treeview_at(tv, c).next_sibling) {
		uint32_t *slot;

		if (treeview_at(tv, c).kind == NODE_IDLE)
			continue;
		slot = vec_push(ret);
		if (!slot)
			break;
		*slot = c;
	}
	if (marks && !(marks[node] & MARK_PATH))
		marks = NULL;
	if (ret->n - start > 1 && (marks || !treeview_own_order(tv)))
		sort_children(tv, marks, ret->v + start, ret->n - start);
}

/* Long lists */

uint32_t treeview_more(const struct treeview *tv, uint32_t node)
{
	const uint32_t last = tv->list ? tv->list->row[node].last_child : NODE_NONE;

	return last != NODE_NONE && tv->list->row[last].kind == NODE_MORE ? last : NODE_NONE;
}

/* So many rows of a list that is not wanted whole; as many as there are when one more line would show them. */
static size_t list_rows(const struct treeview *tv, uint32_t more)
{
	const struct outline_row *m = &tv->list->row[more];
	const size_t all = tv->list->row[m->parent].nr_children - 1, by_height = tv->height / 4;
	size_t rows = by_height < LIST_ROWS_MIN ? LIST_ROWS_MIN : by_height > LIST_ROWS_MAX ? LIST_ROWS_MAX : by_height;

	if (m->few)
		rows = m->few;
	return all <= rows + 1 ? all : rows;
}

size_t treeview_lines_below(const struct treeview *tv, uint32_t node)
{
	const uint32_t more = treeview_more(tv, node), all = treeview_at(tv, node).nr_children;
	size_t rows;

	if (more == NODE_NONE)
		return all;
	rows = list_rows(tv, more);
	return rows == all - 1 ? rows : rows + 1;
}

/*
 * Whether NODE, somewhere down a long list, is a row all the same: the user has it open or stands
 * on it, or below it.
 */
static bool is_kept(const struct treeview *tv, uint32_t node, const uint8_t *marks)
{
	const struct outline_row n = treeview_at(tv, node);

	if (n.kind == NODE_MORE || (marks && marks[node]) || (n.first_child != NODE_NONE && treeview_is_open(tv, node)))
		return true;
	return tv->path.n >= n.depth && tv->path.v[n.depth - 1] == n.key;
}

uint32_t treeview_hidden_by(const struct treeview *tv, uint32_t node)
{
	const uint32_t parent = treeview_at(tv, node).parent, more = treeview_more(tv, parent);
	uint32_t c = treeview_at(tv, parent).first_child;

	if (more == NODE_NONE || treeview_is_open(tv, more))
		return NODE_NONE;
	for (size_t i = 1; i < list_rows(tv, more) && c != node; i++)
		c = treeview_at(tv, c).next_sibling;
	return c == node || is_kept(tv, node, NULL) ? NODE_NONE : more;
}

/* Leaves out what the children of NODE, at START in LIST, have too much of; the row that stands for it comes last. */
static void treelist_shorten(const struct treeview *tv, uint32_t node, const uint8_t *marks,
			     node_vec *list, size_t start)
{
	const uint32_t more = treeview_more(tv, node);
	size_t n = start, rows, seen = 0;

	if (more == NODE_NONE)
		return;
	rows = treeview_is_open(tv, more) ? SIZE_MAX : list_rows(tv, more);
	for (size_t i = start; i < list->n; i++) {
		if (list->v[i] != more && (seen++ < rows || is_kept(tv, list->v[i], marks)))
			list->v[n++] = list->v[i];
	}
	if (list_rows(tv, more) < seen)
		list->v[n++] = more;
	list->n = n;
}

/* Listing rows */

/* What is still to be listed, the next one last; how deep it stands. */
struct treelist_stack {
	node_vec node;
	node_vec depth;
};

/* Adds the rows that NODE has below it; each of them is the end of its line. */
static void push_reversed(const struct treeview *tv, uint32_t node, uint32_t depth, const uint8_t *marks,
			  struct treelist_stack *s)
{
	const size_t start = s->node.n;

	treeview_children(tv, node, marks, &s->node);
	treelist_shorten(tv, node, marks, &s->node, start);
	if (!vec_reserve(&s->depth, s->node.n - start))
		s->node.n = start;
	for (size_t a = start, b = s->node.n; a + 1 < b; a++, b--) {
		const uint32_t t = s->node.v[a];

		s->node.v[a] = s->node.v[b - 1];
		s->node.v[b - 1] = t;
	}
	for (size_t i = start; i < s->node.n; i++)
		s->depth.v[s->depth.n++] = depth;
}

void treeview_list(struct treeview *tv, const uint8_t *marks)
{
	struct treelist_stack s = { 0 };
	uint32_t base;

	tv->rows.n = 0;
	if (!shown_n(treeview_shown(tv)))
		return;
	if (treeview_lists_own(tv)) {
		tv->ops->list(tv, marks);
		return;
	}
	base = treeview_base(tv);
	if (!base) {
		push_reversed(tv, base, 0, marks, &s);
	} else if (vec_reserve(&s.node, 1) && vec_reserve(&s.depth, 1)) {
		s.node.v[s.node.n++] = base;
		s.depth.v[s.depth.n++] = 0;
	}
	while (s.node.n) {
		const uint32_t node = treeview_line_end(tv, s.node.v[--s.node.n]), depth = s.depth.v[--s.depth.n];
		struct tree_row *row = vec_push(&tv->rows);

		if (!row)
			break;
		*row = (struct tree_row){ node, depth };
		if (treeview_is_open(tv, node))
			push_reversed(tv, node, depth + 1, marks, &s);
	}
	vec_free(&s.node);
	vec_free(&s.depth);
}
