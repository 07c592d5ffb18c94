/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewpick.c - key P: a list of processes in place of the panes, and going on with the one that was
 * picked. Where there is nothing else to show, the view begins with it, and ends when nothing is
 * picked.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool view_is_picking(const struct view *v)
{
	return v->picking;
}

void view_pick_begin(struct view *v)
{
	v->picking = true;
	v->over = MODE_PICK;
}

static void close_picker(struct view *v)
{
	v->picking = false;
	v->over = 0;
}

static enum reaction viewpick_attach(struct view *v)
{
	char name[128];

	v->pick_pid = v->picker.pid;
	v->pick_start = v->picker.pid ? v->picker.start_ticks : 0;
	text_format(v->message, sizeof(v->message), "attaching to %s ...", picker_name(&v->picker, name, sizeof(name)));
	if (v->session->none)
		v->over = MODE_PICK;     /* what comes of it is said where text is typed */
	else
		close_picker(v);
	return REACT_ATTACH;
}

static enum reaction viewpick_leave(struct view *v)
{
	if (v->session->none)
		return REACT_QUIT;
	close_picker(v);
	return REACT_DRAW;
}

enum reaction view_pick_key(struct view *v, uint32_t key)
{
	const enum action a = keymap_action(key, v->over, view_can(v));
	bool typed = v->over == MODE_PICK_TEXT;
	enum pick_reaction r;

	if (a == ACT_REDRAW)
		return REACT_REDRAW;
	if (a == ACT_QUIT)
		return REACT_QUIT;
	v->message[0] = '\0';
	if (a == ACT_HELP) {
		view_help_begin(v);
		return REACT_DRAW;
	}
	r = picker_key(&v->picker, a, key, &typed);
	v->over = typed ? MODE_PICK_TEXT : MODE_PICK;
	switch (r) {
	case PICK_ATTACH:
		return viewpick_attach(v);
	case PICK_LEAVE:
		return viewpick_leave(v);
	default:
		return r == PICK_DRAW ? REACT_DRAW : REACT_NONE;
	}
}

enum reaction view_pick_mouse(struct view *v, enum mouse what, int y)
{
	v->message[0] = '\0';
	if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN)
		picker_move(&v->picker, what == MOUSE_WHEEL_UP ? -VIEW_WHEEL_ROWS : VIEW_WHEEL_ROWS);
	else if (picker_click(&v->picker, y - v->room.y) && what == MOUSE_DOUBLE)
		return viewpick_attach(v);
	return REACT_DRAW;
}

void view_give_list(struct view *v, struct proclist *l)
{
	picker_give(&v->picker, l);
}

pid_t view_picked(const struct view *v, uint64_t *ret_start_ticks)
{
	*ret_start_ticks = v->pick_start;
	return v->pick_pid;
}

/* Places of cursors, narrowing and what is searched for mean nothing with another target. */
void view_take_over(struct view *v, const struct view *from)
{
	const struct query *q = &from->query;

	v->refresh_ns = from->refresh_ns;
	v->open = from->open;
	v->focus = from->focus;
	if (from->session->none)
		return;
	v->query.group_by = q->group_by;
	v->query.inverted = q->inverted;
	v->query.hide_kernel = q->hide_kernel;
	v->query.no_inlines = q->no_inlines;
	v->query.hide_libraries = q->hide_libraries;
	v->query.fold_recursion = q->fold_recursion;
	v->query.scripts = q->scripts;
	v->query.short_names = q->short_names;
	v->query.by_node = q->by_node;
	v->query.holders = q->holders;
	v->query.measures = q->measures;
	v->query.lead = q->lead;
	v->query.fold_idle = q->fold_idle;
	v->idle = from->idle;
	for (enum pane_id p = 0; p < PANES; p++)
		pane_sort(&v->pane[p], from->pane[p].tv->sort);
	v->picker.sort = from->picker.sort;
	v->picker.kernel = from->picker.kernel;
	v->prompt = from->prompt;        /* what was filtered by before */
}
