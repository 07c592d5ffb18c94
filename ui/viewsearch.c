/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewsearch.c - searching in the pane in focus: the line where the text is typed, and going from
 * match to match.
 */
#include "config.h"

#include "ui/view_private.h"

static void viewsearch_leave(struct view *v)
{
	struct built *b = take_ptr(v->parked);

	v->over = 0;
	treeview_settle(view_here(v)->tv);
	if (b)
		view_show(v, b);
}

static void viewsearch_find(struct view *v, uint32_t from, enum search_step step)
{
	struct treeview *tv = view_here(v)->tv;
	const uint32_t node = search_find(&v->search, tv, from, step);

	if (node != NODE_NONE)
		treeview_visit(tv, node);
	else if (v->over == MODE_SEARCH && v->origin != NODE_NONE)
		treeview_visit(tv, v->origin);
}

void view_search_begin(struct view *v)
{
	const struct treeview *tv = view_here(v)->tv;

	v->over = MODE_SEARCH;
	v->origin = treeview_node(tv);
	v->origin_line = v->origin == NODE_NONE ? NODE_NONE : treeview_line_start(tv, v->origin);
	v->origin_top = tv->top;
	v->origin_first = tv->at_first;
	search_erase(&v->search, true);
	search_prepare(&v->search, tv);  /* so that the first character does not have to */
}

static void viewsearch_cancel(struct view *v)
{
	struct treeview *tv = view_here(v)->tv;

	search_erase(&v->search, true);
	if (v->origin != NODE_NONE) {
		treeview_visit(tv, v->origin);
		tv->top = v->origin_top;
		tv->at_first = v->origin_first;
		treeview_clamp(tv);
	}
	viewsearch_leave(v);
}

void view_search_step(struct view *v, enum search_step step)
{
	if (!v->search.len)
		return;
	viewsearch_find(v, treeview_node(view_here(v)->tv), step);
	if (!v->over)
		treeview_settle(view_here(v)->tv);
}

void view_search_recount(struct view *v)
{
	const struct treeview *tv = view_here(v)->tv;
	struct search *s = &v->search;
	const uint32_t here = treeview_node(tv);
	const size_t at = s->at;

	if (!shown_any(treeview_shown(tv)) || !s->len ||
	    (s->counted && search_is_of(s, tv) && s->base == treeview_base(tv)))
		return;
	if (search_find(s, tv, here, SEARCH_HERE) != here)
		s->at = at < s->matches ? at : s->matches;
}

enum reaction view_search_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, MODE_SEARCH, view_can(v));

	switch (a) {
	case ACT_ACCEPT:
		viewsearch_leave(v);
		break;
	case ACT_CANCEL:
		viewsearch_cancel(v);
		break;
	case ACT_NEXT:
		view_search_step(v, SEARCH_NEXT);
		break;
	case ACT_PREV:
		view_search_step(v, SEARCH_PREV);
		break;
	case ACT_ERASE:
	case ACT_ERASE_ALL:
		search_erase(&v->search, a == ACT_ERASE_ALL);
		viewsearch_find(v, v->origin_line, SEARCH_HERE);
		break;
	default:
		if (key < 0x20 || key >= KEY_BASE)
			return REACT_NONE;
		search_type(&v->search, key);
		viewsearch_find(v, v->origin_line, SEARCH_HERE);
	}
	return REACT_DRAW;
}
