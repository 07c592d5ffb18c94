/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewact.c - carries out keys that change what is shown: the range of time, the pane in focus, the
 * capture.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* What kinds of time the open panes can show. */
static uint32_t kinds_shown(const struct view *v)
{
	uint32_t kinds = 0;

	for (enum pane_id p = 0; p < PANES; p++)
		kinds |= view_is_open(v, p) ? v->pane[p].ops->kinds : 0;
	return kinds;
}

void view_count_memory(struct view *v, bool grown, bool allocated)
{
	const measure_mask blocks = MEASURE_BIT(MEASURE_ALLOCATED) | MEASURE_BIT(MEASURE_IN_USE);
	const measure_mask wanted = grown ? measures_of_kind(EVENT_GROWN) | measures_of_kind(EVENT_RETURNED) : blocks;

	if (v->query.measures & wanted)
		return;
	if (!v->about_memory) {
		v->measures_before = v->query.measures;
		v->lead_before = v->query.lead;
	}
	v->about_memory = true;
	v->query.measures = wanted;
	v->query.lead = grown ? 0 : (allocated ? MEASURE_ALLOCATED : MEASURE_IN_USE) + 1;
	view_say(v, "memory is shown: Esc shows time again");
}

/* Goes back to what was counted before; false when nothing else was. */
static bool end_memory(struct view *v)
{
	if (!v->about_memory)
		return false;
	v->about_memory = false;
	v->query.measures = v->measures_before;
	v->query.lead = v->lead_before;
	view_say(v, "time is shown again");
	return true;
}

/* Turns one kind of time on or off; where nothing shows that kind, the tree is opened to show it. */
static void change_kind(struct view *v, enum time_kind kind)
{
	static const char *const names[] = { [TIME_RUNNING] = "running time", [TIME_BLOCKED] = "blocked time",
					     [TIME_RUNNABLE] = "time in the run queue" };
	const uint32_t shown = kinds_shown(v), needed = shown & 1u << kind ? shown : MEASURES_WALL;
	const bool seen = shown & 1u << kind;
	measure_mask measures = v->query.measures ? v->query.measures : MEASURES_WALL;
	const bool time = measures & MEASURES_WALL;
	struct query next = v->query;

	if (end_memory(v))
		return;
	if (!seen)
		view_open(v, PANE_HOME);
	if (!seen && measures & MEASURE_BIT(kind))
		return;
	measures ^= MEASURE_BIT(kind);
	next.measures = measures == MEASURES_WALL ? 0 : measures;
	if (kind == TIME_RUNNING && query_only_waits(&v->query)) {
		view_say(v, "running time is left out by a filter of waits");
	} else if (!time || !measures_fit(measures) || !(measures & needed) || !title_kinds(&next)) {
		view_say(v, "without it nothing would be shown");
	} else {
		v->query = next;
		snprintf(v->message, sizeof(v->message), "%s is %s", names[kind],
			 measures & MEASURE_BIT(kind) ? "shown" : "hidden");
	}
}

static bool sort_fits(const struct pane *p, enum sort_by sort)
{
	const unsigned int place = sort_place(sort);

	if (p->ops->sort_name)
		return p->ops->sort_name(p, sort);
	return !(p->ops->no_sort & 1u << sort) && (place >= MEASURES_ASKED || p->look.kinds & 1u << place);
}

void view_sort(struct view *v, enum sort_by sort)
{
	static const char *const texts[SORT_NR] = { [SORT_TOTAL] = "total", [SORT_SELF] = "self",
						    [SORT_NAME] = "name" };
	static const char *const times[TIME_NR] = { "running time", "time in the run queue", "blocked time" };
	struct pane *p = view_here(v);
	const struct measure *m = measure_column(&p->look.set, sort_place(sort));
	const char *by = p->ops->sort_name ? p->ops->sort_name(p, sort) :
		!m ? texts[sort] : m->wall ? times[sort_place(sort)] : m->title;

	pane_sort(p, sort);
	treeview_sort(p->tv, sort);
	snprintf(v->message, sizeof(v->message), "sorted by %s",
		 p->tv->base && treeview_own_order(p->tv) ? "change" : by);
}

static void change_sort(struct view *v)
{
	const struct pane *p = view_here(v);
	enum sort_by sort = p->tv->sort;

	do
		sort = (sort + 1) % SORT_NR;
	while (!sort_fits(p, sort));
	view_sort(v, sort);
}

void view_show_in_tree(struct view *v, uint64_t key)
{
	v->sought = key;
	view_open(v, PANE_HOME);
	v->pane[PANE_HOME].ops->shown(v);
}

static void viewact_toggle(struct view *v, enum pane_id p)
{
	if (!view_toggle(v, p))
		view_say(v, "this is the only pane");
	else if (view_is_open(v, p) && v->pane[p].ops->opened)
		v->pane[p].ops->opened(v, &v->pane[p]);
}

/* What comes is compared with what was, or with the range that was chosen, which all panes leave then. */
static void begin_baseline(struct view *v)
{
	const bool range = v->range.snapshot;

	if (!view_baseline_mark(v))
		return;
	if (range)
		view_all_time(v);
	view_say(v, range ? "what comes is compared with that range: b marks again, Esc ends it" :
		    "what comes is compared with what was: b marks again, Esc ends it");
}

static bool end_baseline(struct view *v)
{
	if (!view_baseline_end(v))
		return false;
	view_say(v, "nothing is compared any more");
	return true;
}

/* What the pane in focus has to leave before it is closed. */
static bool viewact_leave(struct view *v)
{
	const struct pane_ops *ops = view_here(v)->ops;

	return ops->leave && ops->leave(view_here(v));
}

static void viewact_back(struct view *v)
{
	if (v->search.len)
		search_erase(&v->search, true);
	else if (!treeview_unzoom(view_here(v)->tv) && !end_baseline(v) && !view_filter_back(v) && !viewact_leave(v) &&
		 !(v->focus == PANE_HOME && end_memory(v)) && v->focus != PANE_HOME)
		view_close(v, v->focus);
}

/* The address stands in the status line until the next key. */
static void viewact_serve(struct view *v)
{
	char address[256];
	struct err e = ERR_INIT;

	if (v->session->serve(v->session->owner, address, sizeof(address), &e) < 0)
		view_say(v, e.text);
	else
		view_say(v, address);
}

static void viewact_reset(struct view *v)
{
	if (v->header.paused) {
		view_say(v, "the view is paused, nothing was forgotten: press p first");
		return;
	}
	view_all_time(v);
	v->session->reset(v->session->ctx);
	view_baseline_end(v);
	v->reset_ns = v->header.meta.start_mono_ns + v->header.meta.duration_ns;
	view_say(v, "everything seen so far is forgotten");
}

static bool viewact_move(struct view *v, enum action a)
{
	struct treeview *tv = view_here(v)->tv;
	const long page = tv->height > 1 ? (long)tv->height - 1 : 1;

	switch (a) {
	case ACT_UP:
		treeview_move(tv, -1);
		return true;
	case ACT_DOWN:
		treeview_move(tv, 1);
		return true;
	case ACT_PGUP:
		treeview_move(tv, -page);
		return true;
	case ACT_PGDN:
		treeview_move(tv, page);
		return true;
	case ACT_FIRST:
		treeview_first(tv);
		return true;
	case ACT_LAST:
		treeview_to_row(tv, SIZE_MAX);
		return true;
	case ACT_RIGHT:
		treeview_right(tv);
		return true;
	case ACT_LEFT:
		treeview_left(tv);
		return true;
	default:
		return false;
	}
}

/* Goes from the node under the cursor to one of its relatives, or says that there is none. */
static bool viewact_relate(struct view *v, enum action a)
{
	struct treeview *tv = view_here(v)->tv;

	switch (a) {
	case ACT_HOTTEST:
	case ACT_HEAVIEST:
		if (!(a == ACT_HOTTEST ? treeview_hottest(tv) : treeview_heaviest(tv)))
			view_say(v, "there is nothing below this line");
		return true;
	case ACT_PARENT:
		if (!treeview_parent(tv))
			view_say(v, "this line has no parent here");
		return true;
	case ACT_NEXT_SIBLING:
	case ACT_PREV_SIBLING:
		if (!treeview_sibling(tv, a == ACT_NEXT_SIBLING ? 1 : -1))
			view_say(v, a == ACT_NEXT_SIBLING ? "this is the last of its siblings" :
				 "this is the first of its siblings");
		return true;
	default:
		return false;
	}
}

static bool viewact_fold(struct view *v, enum action a)
{
	struct treeview *tv = view_here(v)->tv;

	switch (a) {
	case ACT_TOGGLE:
		treeview_toggle(tv);
		return true;
	case ACT_OPEN:
		treeview_open_further(tv);
		return true;
	case ACT_CLOSE:
		treeview_close(tv);
		return true;
	case ACT_OPEN_LEVEL:
		if (!treeview_open_level(tv))
			view_say(v, "one level more is too many lines: Enter opens one, E the heaviest");
		return true;
	case ACT_CLOSE_LEVEL:
		treeview_close_level(tv);
		return true;
	case ACT_OPEN_ALL:
	case ACT_CLOSE_ALL:
		treeview_all(tv, a == ACT_OPEN_ALL);
		if (tv->least_open_ns)
			snprintf(v->message, sizeof(v->message),
				 "too many lines for all: opened what has %.2g %% or more",
				 100 * (double)tv->least_open_ns / (double)treeview_at(tv, treeview_base(tv)).weight);
		return true;
	case ACT_ZOOM:
		treeview_zoom(tv);
		return true;
	default:
		return false;
	}
}

static bool viewact_off_cpu(struct view *v, enum action a)
{
	switch (a) {
	case ACT_RUNNING:
		change_kind(v, TIME_RUNNING);
		return true;
	case ACT_BLOCKED:
		change_kind(v, TIME_BLOCKED);
		return true;
	case ACT_RUNNABLE:
		change_kind(v, TIME_RUNNABLE);
		return true;
	case ACT_IDLE:
		v->idle = IDLE_SAID;
		v->query.fold_idle = !v->query.fold_idle;
		view_say(v, v->query.fold_idle ? "idle waits are hidden, their total stays" : "idle waits are shown");
		return true;
	case ACT_WAKERS:
		v->wakers = !v->wakers;
		v->session->wakers(v->session->ctx, v->wakers);
		view_say(v, v->wakers ? "wakers on: each new wait names the thread that ended it; costs more" :
			 "wakers off");
		return true;
	default:
		return false;
	}
}

static bool viewact_panes(struct view *v, enum action a)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		if (pane_info(p)->toggle == a) {
			viewact_toggle(v, p);
			return true;
		}
	}
	switch (a) {
	case ACT_NEXT_PANE:
	case ACT_PREV_PANE:
		view_focus(v, view_neighbour(v, a == ACT_NEXT_PANE ? 1 : -1));
		return true;
	case ACT_ALONE:
		v->alone = !v->alone;
		view_place(v);
		return true;
	default:
		return false;
	}
}

void view_help_begin(struct view *v)
{
	v->over = MODE_HELP;
	v->help_top = 0;
}

enum reaction view_act(struct view *v, enum action a)
{
	struct pane *p = view_here(v);

	if (p->ops->act && p->ops->act(v, p, a))
		return REACT_DRAW;
	if (viewact_move(v, a) || viewact_relate(v, a) || viewact_fold(v, a) || viewact_off_cpu(v, a) ||
	    viewact_panes(v, a) || view_pace_act(v, a))
		return REACT_DRAW;
	switch (a) {
	case ACT_BACK:
		viewact_back(v);
		break;
	case ACT_SORT:
		change_sort(v);
		break;
	case ACT_INVERT:
	case ACT_GROUP:
	case ACT_BY_NODE:
	case ACT_HOLDERS:
	case ACT_KERNEL:
	case ACT_INLINED:
	case ACT_LIBRARIES:
	case ACT_SCRIPTS:
	case ACT_RECURSION:
	case ACT_NAMES:
		view_change_question(v, a);
		break;
	case ACT_SEARCH:
		view_search_begin(v);
		break;
	case ACT_FILTER:
		view_filter_begin(v);
		break;
	case ACT_FILTERS:
		view_filters_begin(v);
		break;
	case ACT_PROBE:
		view_probe_begin(v);
		break;
	case ACT_SPAN:
		view_span_begin(v);
		break;
	case ACT_NEXT:
	case ACT_PREV:
		view_search_step(v, a == ACT_NEXT ? SEARCH_NEXT : SEARCH_PREV);
		break;
	case ACT_PAUSE:
		v->header.paused = !v->header.paused;    /* the header tells; the status line stays with the cursor */
		break;
	case ACT_BASELINE:
		begin_baseline(v);
		break;
	case ACT_RESET:
		viewact_reset(v);
		break;
	case ACT_ANNOTATE:
		view_annot_begin(v);
		break;
	case ACT_HELP:
		view_help_begin(v);
		break;
	case ACT_PICK:
		view_pick_begin(v);
		break;
	case ACT_SAVE:
		view_save_begin(v);
		break;
	case ACT_OPTIONS:
		view_options_begin(v);
		break;
	case ACT_SERVE:
		viewact_serve(v);
		break;
	case ACT_RECORD:
		return REACT_RECORD;
	case ACT_REDRAW:
		return REACT_REDRAW;
	case ACT_QUIT:
		return REACT_QUIT;
	default:
		break;
	}
	return REACT_DRAW;
}

