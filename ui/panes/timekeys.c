/* SPDX-License-Identifier: BSD-2-Clause */
/* timekeys.c - the pane of time (timepane.h): where its cursor goes, and how a range is chosen. */
#include "config.h"

#include "ui/panes/pane.h"
#include "ui/panes/timepane.h"
#include "ui/panes/timeview.h"
#include "ui/view_private.h"

static struct time_window timekeys_window(const struct view *v, const struct pane *p)
{
	return timepane_window(&v->time, p->built->model, p->at.w, view_lines(p));
}

static void timekeys_mark(struct view *v, const struct time_window *w)
{
	v->time.marking = true;
	v->time.mark_ns = w->cursor_ns;
	view_say(v, "a range begins here: move to its other end, then Enter");
}

static void timekeys_kind(struct view *v, enum time_kind kind)
{
	v->time.heat = true;
	v->time.kind = (uint8_t)kind;
}

static void timekeys_rescale(struct view *v, const struct time_window *w, int by)
{
	if (!timepane_rescale(&v->time, w, by))
		view_say(v, by < 0 ? "columns get no shorter" : "columns get no longer");
}

static bool timekeys_move(struct view *v, const struct time_window *w, enum action a)
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

static bool timekeys_act(struct view *v, struct pane *p, enum action a)
{
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	if (timekeys_move(v, &w, a))
		return true;
	switch (a) {
	case ACT_MARK:
		if (v->time.marking)
			view_choose_time(v, p->built, &w.marked, w.column_ns);
		else
			timekeys_mark(v, &w);
		return true;
	case ACT_HEAT:
		v->time.heat = !v->time.heat;
		return true;
	case ACT_RUNNING:
		timekeys_kind(v, TIME_RUNNING);
		return true;
	case ACT_RUNNABLE:
		timekeys_kind(v, TIME_RUNNABLE);
		return true;
	case ACT_BLOCKED:
		timekeys_kind(v, TIME_BLOCKED);
		return true;
	case ACT_OPEN:
	case ACT_CLOSE:
		timekeys_rescale(v, &w, a == ACT_OPEN ? -1 : 1);
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

/* Back to the newest column. */
static bool timekeys_leave(struct view *v)
{
	const bool back = v->time.back;

	v->time.back = false;
	return back;
}

static bool timekeys_wheel(struct view *v, struct pane *p, long by)
{
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	timepane_move(&v->time, &w, by);
	return true;
}

static bool timekeys_click(struct view *v, struct pane *p, enum mouse what, int x, int line)
{
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	if (!timepane_to(&v->time, &w, x))
		return true;
	w = timekeys_window(v, p);
	v->time.pressed = what == MOUSE_CLICK;
	v->time.press_ns = w.cursor_ns;
	if (what == MOUSE_DOUBLE)
		timekeys_act(v, p, ACT_MARK);
	return true;
}

/* What was drawn over since the button was pressed is a range. */
static bool timekeys_release(struct view *v, struct pane *p, int x)
{
	const bool pressed = v->time.pressed;
	struct time_window w;

	v->time.pressed = false;
	if (!pressed || p != view_here(v) || !p->built)
		return false;
	w = timekeys_window(v, p);
	x -= p->at.x;
	x = x < w.x ? w.x : x >= w.x + w.w ? w.x + w.w - 1 : x;
	timepane_to(&v->time, &w, x);
	if (timekeys_window(v, p).cursor_ns == v->time.press_ns)
		return false;
	v->time.marking = true;
	v->time.mark_ns = v->time.press_ns;
	w = timekeys_window(v, p);
	view_choose_time(v, p->built, &w.marked, w.column_ns);
	return true;
}

/* Of all time and all kinds of it. */
static void timekeys_question(struct query *q)
{
	pane_list_question(q);
	q->from_ns = q->to_ns = 0;
	q->measures = 0;
	q->fold_idle = false;
}

static void timekeys_build(struct built *b, const struct names *names)
{
	struct timeview *tv = timeview_new(b->snapshot, names, b->job.filtered ? &b->job.query : NULL);

	if (!tv) {
		err_nomem(&b->err, "the view of time");
		return;
	}
	tv->start_ns = b->job.start_ns;
	tv->from_ns = b->job.from_ns;
	tv->end_ns = b->job.end_ns;
	tv->off_cpu = b->job.off_cpu;
	tv->ended = b->job.ended;
	b->model = tv;
	b->list = outline_new(snapshot_dict(b->snapshot), names, NULL);
	if (b->list)                     /* it has no lines */
		outline_add(b->list, NODE_NONE, (struct outline_row){ .kind = NODE_ROOT, .place = ID_NONE });
	b->list = outline_whole(b->list);
	if (!b->list)
		err_nomem(&b->err, "the view of time");
}

static void timekeys_drop(struct built *b)
{
	timeview_free(b->model);
}

static void timekeys_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct time_window w = timekeys_window(v, p);

	timepane_rule(&v->time, p->built->model, &w, cv, 0);
}

static void timekeys_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct time_window w = timekeys_window(v, p);
	const struct time_range_ns chosen = { v->query.from_ns, v->query.to_ns };

	timepane_draw(&v->time, p->built->model, &w, &chosen, p->tv->aside, cv);
}

static void timekeys_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct time_window w = timekeys_window(v, p);

	timepane_status(&v->time, p->built->model, &w, cv, y);
}

const struct pane_ops pane_time = {
	.traits = PANE_ALL_TIME | PANE_DRAWS_ALL,
	.weight = 1,
	.kinds = MEASURES_WALL,
	.question = timekeys_question,
	.build = timekeys_build,
	.drop = timekeys_drop,
	.rule = timekeys_rule,
	.rows = timekeys_draw,
	.status = timekeys_status,
	.act = timekeys_act,
	.leave = timekeys_leave,
	.release = timekeys_release,
	.click = timekeys_click,
	.wheel = timekeys_wheel,
};
