/* SPDX-License-Identifier: BSD-2-Clause */
/* timekeys.c - the keys of the pane of time: moving its cursor, and choosing a range. */
#include "config.h"

#include "base/clock.h"
#include "ui/panes/pane.h"
#include "ui/panes/timepane.h"
#include "query/timeview.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <stdlib.h>

static struct timepane *timekeys_of(const struct pane *p)
{
	return p->tv->own;
}

static struct time_window timekeys_window(const struct view *v, const struct pane *p)
{
	struct timepane *t = timekeys_of(p);

	t->refresh_ns = v->refresh_ns;
	t->fit = v->is_file;
	return timepane_window(t, p->built->model, p->at.w, view_lines(p));
}

/* Only the range that is marked, rounded out to the slices that it lies in. */
static void timekeys_choose(struct view *v, struct pane *p, const struct time_window *w)
{
	const struct timeview *tv = p->built->model;
	struct time_range_ns real = w->marked;
	char asked[80], name[80];
	bool exact;

	timekeys_of(p)->marking = false;
	timepane_range(tv, &w->marked, w->column_ns, asked, sizeof(asked));
	if (!timeview_round_out(p->built->snapshot, &real.from_ns, &real.to_ns)) {
		snprintf(v->message, sizeof(v->message), "nothing was seen from %s", asked);
		return;
	}
	exact = real.from_ns % NSEC_PER_SEC || real.to_ns % NSEC_PER_SEC;
	timepane_range(tv, &real, exact ? w->column_ns : NSEC_PER_SEC, name, sizeof(name));
	view_choose_time(v, p->built, real.from_ns, real.to_ns, name);
	if (real.from_ns < w->marked.from_ns || real.to_ns > w->marked.to_ns)
		snprintf(v->message, sizeof(v->message), "only %s: what is kept of %s; Esc shows all again", name,
			 asked);
	else
		snprintf(v->message, sizeof(v->message), "only %s, in all views: Esc shows all again", asked);
}

static void timekeys_mark(struct view *v, struct timepane *t, const struct time_window *w)
{
	t->marking = true;
	t->mark_ns = w->cursor_ns;
	view_say(v, "a range begins here: move to its other end, then Enter");
}

static void timekeys_kind(struct timepane *t, enum time_kind kind)
{
	t->heat = true;
	t->kind = (uint8_t)kind;
}

static void timekeys_rescale(struct view *v, struct timepane *t, const struct time_window *w, int by)
{
	if (!timepane_rescale(t, w, by))
		view_say(v, by < 0 ? "columns get no shorter" : "columns get no longer");
}

static bool timekeys_move(struct timepane *t, const struct time_window *w, enum action a)
{
	switch (a) {
	case ACT_LEFT:
		timepane_move(t, w, -1);
		return true;
	case ACT_RIGHT:
		timepane_move(t, w, 1);
		return true;
	case ACT_PGUP:
		timepane_page(t, w, -1);
		return true;
	case ACT_PGDN:
		timepane_page(t, w, 1);
		return true;
	case ACT_FIRST:
		timepane_move(t, w, -INT64_MAX);
		return true;
	case ACT_LAST:
		timepane_move(t, w, INT64_MAX);
		return true;
	default:
		return false;
	}
}

static bool timekeys_act(struct view *v, struct pane *p, enum action a)
{
	struct timepane *t = timekeys_of(p);
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	if (timekeys_move(t, &w, a))
		return true;
	switch (a) {
	case ACT_MARK:
		if (t->marking)
			timekeys_choose(v, p, &w);
		else
			timekeys_mark(v, t, &w);
		return true;
	case ACT_HEAT:
		t->heat = !t->heat;
		return true;
	case ACT_RUNNING:
		timekeys_kind(t, TIME_RUNNING);
		return true;
	case ACT_RUNNABLE:
		timekeys_kind(t, TIME_RUNNABLE);
		return true;
	case ACT_BLOCKED:
		timekeys_kind(t, TIME_BLOCKED);
		return true;
	case ACT_OPEN:
	case ACT_CLOSE:
		timekeys_rescale(v, t, &w, a == ACT_OPEN ? -1 : 1);
		return true;
	case ACT_BACK:
		if (!t->marking)
			return false;
		t->marking = false;
		return true;
	default:
		return false;
	}
}

/* Back to the newest column. */
static bool timekeys_leave(struct pane *p)
{
	const bool back = timekeys_of(p)->back;

	timekeys_of(p)->back = false;
	return back;
}

static bool timekeys_wheel(struct view *v, struct pane *p, long by)
{
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	timepane_move(timekeys_of(p), &w, by);
	return true;
}

static bool timekeys_click(struct view *v, struct pane *p, enum mouse what, int x, int line)
{
	struct timepane *t = timekeys_of(p);
	struct time_window w;

	if (!p->built)
		return false;
	w = timekeys_window(v, p);
	if (!timepane_to(t, &w, x))
		return true;
	w = timekeys_window(v, p);
	t->pressed = what == MOUSE_CLICK;
	t->press_ns = w.cursor_ns;
	if (what == MOUSE_DOUBLE)
		timekeys_act(v, p, ACT_MARK);
	return true;
}

/* What was drawn over since the button was pressed is a range. */
static bool timekeys_release(struct view *v, struct pane *p, int x)
{
	struct timepane *t = timekeys_of(p);
	const bool pressed = t->pressed;
	struct time_window w;

	t->pressed = false;
	if (!pressed || p != view_here(v) || !p->built)
		return false;
	w = timekeys_window(v, p);
	x -= p->at.x;
	x = x < w.x ? w.x : x >= w.x + w.w ? w.x + w.w - 1 : x;
	timepane_to(t, &w, x);
	if (timekeys_window(v, p).cursor_ns == t->press_ns)
		return false;
	t->marking = true;
	t->mark_ns = t->press_ns;
	w = timekeys_window(v, p);
	timekeys_choose(v, p, &w);
	return true;
}

static bool timekeys_init(struct treeview *tv)
{
	tv->own = calloc(1, sizeof(struct timepane));
	return tv->own;
}

static void timekeys_fini(struct treeview *tv)
{
	free(tv->own);
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

	timepane_rule(timekeys_of(p), p->built->model, &w, cv, 0);
}

static void timekeys_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct time_window w = timekeys_window(v, p);
	const struct time_range_ns chosen = { v->query.from_ns, v->query.to_ns };

	timepane_draw(timekeys_of(p), p->built->model, &w, &chosen, p->tv->aside, cv);
}

static void timekeys_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct time_window w = timekeys_window(v, p);

	timepane_status(timekeys_of(p), p->built->model, &w, cv, y);
}

const struct pane_ops pane_time = {
	.traits = PANE_ALL_TIME | PANE_DRAWS_ALL,
	.weight = 1,
	.kinds = MEASURES_WALL,
	.init = timekeys_init,
	.fini = timekeys_fini,
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
