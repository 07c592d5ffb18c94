/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewpanes.c - opens and closes panes, moves the focus, and stores where each pane is on the
 * screen.
 */
#include "config.h"

#include "ui/layout.h"
#include "ui/view_private.h"

_Static_assert(PANES <= LAYOUT_PANES_MAX, "layout.h has room for all panes");

#define IDLE_LINES 3             /* a pane of at least so many lines has one for idle waits */

/* The open panes in their order, which one of them is in focus, and what they weigh. */
struct open_panes {
	enum pane_id pane[PANES];
	unsigned int weight[PANES];
	unsigned int n, focus;
};

static struct open_panes list_open(const struct view *v)
{
	struct open_panes o = { .n = 0 };

	for (enum pane_id p = 0; p < PANES; p++) {
		if (!view_is_open(v, p) || (v->alone && p != v->focus))
			continue;
		if (p == v->focus)
			o.focus = o.n;
		o.weight[o.n] = v->pane[p].ops->weight;
		o.pane[o.n++] = p;
	}
	return o;
}

int view_lines(const struct pane *p)
{
	return p->at.h - (p->rule && p->at.h ? 1 : 0);
}

int view_idle_lines(const struct pane *p)
{
	return view_has_idle(p) && !pane_is(p, PANE_NO_IDLE_LINE) && view_lines(p) >= IDLE_LINES ? 1 : 0;
}

static void set_height(struct pane *p)
{
	const int rows = view_lines(p) - view_idle_lines(p);

	if (!p->at.h)
		return;
	treeview_set_height(p->tv, (size_t)(rows > 0 ? rows : 1));
	treeview_set_width(p->tv, p->at.w);
	if (p->tv->ops && p->tv->ops->follow)
		p->tv->ops->follow(p->tv);
}

void view_place(struct view *v)
{
	const struct open_panes o = list_open(v);
	struct rect at[PANES];
	struct rect room = v->room;

	/* Without rules nothing would part one pane from the next. */
	if (v->rules)
		layout_panes(&room, o.weight, o.n, o.focus, at);
	for (enum pane_id p = 0; p < PANES; p++)
		v->pane[p].at = (struct rect){ 0 };
	for (unsigned int i = 0; v->rules && i < o.n; i++)
		v->pane[o.pane[i]].at = at[i];
	if (!v->rules && room.w > 0 && room.h > 0)
		v->pane[v->focus].at = room;
	for (enum pane_id p = 0; p < PANES; p++) {
		v->pane[p].rule = v->rules;
		set_height(&v->pane[p]);
	}
}

unsigned int view_hidden(const struct view *v)
{
	unsigned int n = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		n += view_is_open(v, p) && !v->pane[p].at.h;
	return n;
}

enum pane_id view_pane_at(const struct view *v, int x, int y)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct rect *r = &v->pane[p].at;

		if (x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h)
			return p;
	}
	return PANES;
}

enum pane_id view_neighbour(const struct view *v, int by)
{
	enum pane_id p = v->focus;

	do
		p = (p + PANES + (unsigned int)by) % PANES;
	while (!view_is_open(v, p));
	return p;
}

void view_focus(struct view *v, enum pane_id p)
{
	if (p != v->focus) {
		v->nr_typed = 0;
		v->search.matches = v->search.at = 0;    /* those of the pane that was left */
		v->search.counted = false;
	}
	v->focus = p;
	view_place(v);
}

void view_open(struct view *v, enum pane_id p)
{
	v->open |= 1u << p;
	v->alone = false;
	view_focus(v, p);
}

bool view_close(struct view *v, enum pane_id p)
{
	if (v->open == 1u << p && p == PANE_HOME)
		return false;
	if (v->open == 1u << p)
		v->open |= 1u << PANE_HOME;
	if (v->focus == p)
		view_focus(v, view_is_open(v, PANE_HOME) && p != PANE_HOME ? PANE_HOME : view_neighbour(v, 1));
	v->open &= ~(1u << p);
	v->alone = false;
	view_drop(v, p);
	view_place(v);
	return true;
}

bool view_toggle(struct view *v, enum pane_id p)
{
	if (!view_is_open(v, p))
		view_open(v, p);
	else if (!v->pane[p].at.h && v->room.h > 0)
		view_focus(v, p);
	else
		return view_close(v, p);
	return true;
}

void view_begin_sampling(struct view *v)
{
	if (v->session->numa && !v->sampled && !v->session->ended(v->session->ctx)) {
		v->session->numa(v->session->ctx, true);
		v->sampled = true;
	}
}
