/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treenav.c - moves the cursor of a treeview to a relative of its node: parent, sibling, heaviest
 * child, or along the hottest path.
 */
#include "config.h"

#include "ui/treeview.h"

/* What NODE weighs: by the measure that the view is sorted by, else all of it. */
static uint64_t treenav_weight(const struct treeview *tv, uint32_t node)
{
	return sort_place(tv->sort) < MEASURES_ASKED ? treeview_value(tv, node, tv->sort) :
		treeview_at(tv, node).weight;
}

/* NODE_NONE when there is none, or none has any weight. */
static uint32_t treenav_heaviest_child(const struct treeview *tv, uint32_t node)
{
	uint32_t best = NODE_NONE;

	for (uint32_t c = treeview_at(tv, node).first_child; c != NODE_NONE; c = treeview_at(tv, c).next_sibling) {
		const uint8_t kind = treeview_at(tv, c).kind;

		if (kind != NODE_IDLE && kind != NODE_MORE && treenav_weight(tv, c) &&
		    (best == NODE_NONE || treenav_weight(tv, c) > treenav_weight(tv, best)))
			best = c;
	}
	return best;
}

/* Goes to NODE, and what had to be opened stays open. */
static void treenav_go(struct treeview *tv, uint32_t node)
{
	treeview_settle(tv);
	treeview_visit(tv, treeview_line_end(tv, node));
	treeview_settle(tv);
}

bool treeview_heaviest(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);
	const uint32_t child = node == NODE_NONE ? NODE_NONE : treenav_heaviest_child(tv, node);

	if (child == NODE_NONE)
		return false;
	treenav_go(tv, child);
	return true;
}

bool treeview_hottest(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);
	uint32_t at = node == NODE_NONE ? NODE_NONE : treenav_heaviest_child(tv, node), next;

	if (at == NODE_NONE)
		return false;
	while ((next = treenav_heaviest_child(tv, at)) != NODE_NONE &&
	       treenav_weight(tv, next) >= treenav_weight(tv, at) / 2)
		at = next;
	treenav_go(tv, at);
	treeview_open(tv);
	return true;
}

bool treeview_parent(struct treeview *tv)
{
	const uint32_t node = treeview_node(tv);
	const uint32_t parent = node == NODE_NONE ? NODE_NONE : treeview_at(tv, treeview_line_start(tv, node)).parent;

	for (size_t i = tv->cursor; node != NODE_NONE && i-- > 0;) {
		if (tv->rows.v[i].node == parent) {
			treeview_to_row(tv, i);
			return true;
		}
	}
	return false;
}

bool treeview_sibling(struct treeview *tv, int by)
{
	const uint32_t depth = tv->rows.n ? tv->rows.v[tv->cursor].depth : 0;
	/* Before the first row comes one of no depth at all, as behind the last one. */
	size_t i = tv->cursor + (size_t)by;

	while (i < tv->rows.n && tv->rows.v[i].depth > depth)
		i += (size_t)by;
	if (i >= tv->rows.n || tv->rows.v[i].depth < depth)
		return false;
	treeview_to_row(tv, i);
	return true;
}
