/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewtime.c - the pane of time in a view: where its cursor goes, and the range that all other panes are about.
 *
 * A range belongs to the snapshot that it was chosen in, which stays: what is shown of it does not change as the store merges what
 * is old. The pane of time itself goes on.
 */
#include "config.h"

#include "ui/view_private.h"

#include <stdio.h>

static struct time_window window_of(const struct view *v)
{
	const struct pane *p = &v->pane[PANE_TIME];

	return timepane_window(&v->time, p->built->time, p->at.w, view_lines(p));
}

bool view_is_held(const struct view *v, enum pane_id p)
{
	return v->range.snapshot && p != PANE_TIME && p != PANE_QUALITY;
}

bool view_hold(const struct view *v, struct build_job *job)
{
	struct build_job held = v->range;

	if (!view_is_held(v, job->what))
		return false;
	held.snapshot = snapshot_ref(held.snapshot);
	held.what = job->what;
	snapshot_unref(job->snapshot);
	*job = held;
	return true;
}

/* The question is about FROM_NS to TO_NS from now on; 0, 0: as the command line says. */
static void viewtime_ask_for(struct view *v, uint64_t from_ns, uint64_t to_ns)
{
	const struct query *all = &v->options->filter;

	v->query.from_ns = to_ns ? from_ns : all->from_ns;
	v->query.to_ns = to_ns ? to_ns : all->to_ns;
}

void view_all_time(struct view *v)
{
	snapshot_unref(take_ptr(v->range.snapshot));
	v->header.range[0] = '\0';
	viewtime_ask_for(v, 0, 0);
}

/* Shows R alone, rounded out to slices. */
static void viewtime_choose(struct view *v, const struct time_range_ns *r, uint64_t column_ns)
{
	const struct built *b = v->pane[PANE_TIME].built;
	struct time_range_ns real = *r;
	char asked[80];

	v->time.marking = false;
	timepane_range(b->time, r, column_ns, asked, sizeof(asked));
	if (!timeview_round_out(b->snapshot, &real.from_ns, &real.to_ns)) {
		snprintf(v->message, sizeof(v->message), "nothing was seen from %s", asked);
		return;
	}
	view_all_time(v);
	v->range = b->job;
	v->range.snapshot = snapshot_ref(b->snapshot);
	viewtime_ask_for(v, real.from_ns, real.to_ns);
	timepane_range(b->time, &real, (real.from_ns % NSEC_PER_SEC || real.to_ns % NSEC_PER_SEC) ? column_ns : NSEC_PER_SEC,
		       v->header.range, sizeof(v->header.range));
	v->range_behind = v->query.terms.n;
	if (real.from_ns < r->from_ns || real.to_ns > r->to_ns)
		snprintf(v->message, sizeof(v->message), "only %s: what is kept of %s; Esc shows all again", v->header.range, asked);
	else
		snprintf(v->message, sizeof(v->message), "only %s, in all views: Esc shows all again", asked);
}

static void viewtime_mark(struct view *v, const struct time_window *w)
{
	v->time.marking = true;
	v->time.mark_ns = w->cursor_ns;
	view_say(v, "a range begins here: move to its other end, then Enter");
}

static void turn_kind(struct view *v, enum time_kind kind)
{
	v->time.heat = true;
	v->time.kind = (uint8_t)kind;
}

static void viewtime_rescale(struct view *v, const struct time_window *w, int by)
{
	if (!timepane_rescale(&v->time, w, by))
		view_say(v, by < 0 ? "columns get no shorter" : "columns get no longer");
}

static bool viewtime_move(struct view *v, const struct time_window *w, enum action a)
{
	switch (a) {
	case ACT_LEFT:
		timepane_move(&v->time, w, -1);
		return true;
	case ACT_RIGHT:
		timepane_move(&v->time, w, 1);
		return true;
	case ACT_PGUP:
		timepane_page(&v->time, w, -1);
		return true;
	case ACT_PGDN:
		timepane_page(&v->time, w, 1);
		return true;
	case ACT_FIRST:
		timepane_move(&v->time, w, -INT64_MAX);
		return true;
	case ACT_LAST:
		timepane_move(&v->time, w, INT64_MAX);
		return true;
	default:
		return false;
	}
}

bool view_time_act(struct view *v, enum action a)
{
	struct time_window w;

	if (v->focus != PANE_TIME || !v->pane[PANE_TIME].built)
		return false;
	w = window_of(v);
	if (viewtime_move(v, &w, a))
		return true;
	switch (a) {
	case ACT_MARK:
		if (v->time.marking)
			viewtime_choose(v, &w.marked, w.column_ns);
		else
			viewtime_mark(v, &w);
		return true;
	case ACT_HEAT:
		v->time.heat = !v->time.heat;
		return true;
	case ACT_RUNNING:
		turn_kind(v, TIME_RUNNING);
		return true;
	case ACT_RUNNABLE:
		turn_kind(v, TIME_RUNNABLE);
		return true;
	case ACT_BLOCKED:
		turn_kind(v, TIME_BLOCKED);
		return true;
	case ACT_OPEN:
	case ACT_CLOSE:
		viewtime_rescale(v, &w, a == ACT_OPEN ? -1 : 1);
		return true;
	case ACT_BACK:
		if (!v->time.marking)
			return false;
		v->time.marking = false;
		return true;
	default:
		return false;
	}
}

bool view_time_leave(struct view *v)
{
	const bool back = v->focus == PANE_TIME && v->time.back;

	if (back)
		v->time.back = false;
	return back;
}

bool view_time_mouse(struct view *v, enum pane_id p, enum mouse what, int x)
{
	struct time_window w;

	if (p != PANE_TIME || !v->pane[PANE_TIME].built)
		return false;
	w = window_of(v);
	if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
		timepane_move(&v->time, &w, what == MOUSE_WHEEL_UP ? -3 : 3);
		return true;
	}
	if (!timepane_to(&v->time, &w, x))
		return true;
	w = window_of(v);
	v->time.pressed = what == MOUSE_CLICK;
	v->time.press_ns = w.cursor_ns;
	if (what == MOUSE_DOUBLE)
		view_time_act(v, ACT_MARK);
	return true;
}

bool view_time_drop(struct view *v, int x)
{
	const struct pane *p = &v->pane[PANE_TIME];
	const bool pressed = v->time.pressed;
	struct time_window w;

	v->time.pressed = false;
	if (!pressed || v->focus != PANE_TIME || !p->built)
		return false;
	w = window_of(v);
	x -= p->at.x;
	x = x < w.x ? w.x : x >= w.x + w.w ? w.x + w.w - 1 : x;
	timepane_to(&v->time, &w, x);
	if (window_of(v).cursor_ns == v->time.press_ns)
		return false;
	v->time.marking = true;
	v->time.mark_ns = v->time.press_ns;
	w = window_of(v);
	viewtime_choose(v, &w.marked, w.column_ns);
	return true;
}

/* Something that the strip does not know of is left out elsewhere. */
static bool viewtime_is_filtered(const struct view *v)
{
	return v->query.terms.n || !nodeset_empty(&v->query.nodes);
}

bool view_time_is_filtered(const struct view *v)
{
	return viewtime_is_filtered(v) || v->query.states || v->query.nr_calls;
}

void view_time_rule(const struct view *v, struct canvas *cv)
{
	const struct time_window w = window_of(v);

	timepane_rule(&v->time, v->pane[PANE_TIME].built->time, &w, cv, 0);
}

void view_time_draw(const struct view *v, struct canvas *cv)
{
	const struct pane *p = &v->pane[PANE_TIME];
	const struct time_window w = window_of(v);
	const struct time_range_ns chosen = { v->query.from_ns, v->query.to_ns };

	timepane_draw(&v->time, p->built->time, &w, &chosen, p->tv->aside, cv);
}

void view_time_status(const struct view *v, struct canvas *cv, int y)
{
	const struct pane *p = &v->pane[PANE_TIME];
	const struct time_window w = window_of(v);

	timepane_status(&v->time, p->built->time, &w, cv, y);
}
