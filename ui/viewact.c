/* SPDX-License-Identifier: BSD-2-Clause */
/* viewact.c - what keys do to what is shown: to the time that is asked for, to the pane in focus, to the capture. */
#include "config.h"

#include "ui/view_private.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Turns one kind of time on or off; where nothing shows that kind, the tree is opened to show it. */
static void change_kind(struct view *v, enum time_kind kind)
{
	static const char *const names[] = { [TIME_RUNNING] = "running time", [TIME_BLOCKED] = "blocked time",
					     [TIME_RUNNABLE] = "time in the run queue" };
	const bool all = v->open & ~(1u << PANE_WAITS | 1u << PANE_NUMA | 1u << PANE_QUALITY);         /* a pane that shows all kinds */
	const bool seen = all || (kind != TIME_RUNNING && view_is_open(v, PANE_WAITS));
	const uint32_t needed = all || !seen ? MEASURES_WALL : MEASURES_OFF_CPU;
	uint32_t kinds = v->query.measures ? v->query.measures : MEASURES_WALL;
	const bool time = kinds & MEASURES_WALL;
	struct query next = v->query;

	if (!seen)
		view_open(v, PANE_TREE);
	if (!seen && kinds & 1u << kind)
		return;
	kinds ^= 1u << kind;

	next.measures = kinds == MEASURES_WALL ? 0 : kinds;
	if (kind == TIME_RUNNING && query_only_waits(&v->query)) {
		view_say(v, "running time is left out by a filter of waits");
	} else if (!time || !measures_fit(kinds) || !(kinds & needed) || !title_kinds(&next)) {
		view_say(v, "this is all that is shown");
	} else {
		v->query = next;
		snprintf(v->message, sizeof(v->message), "%s is %s", names[kind], kinds & 1u << kind ? "shown" : "hidden");
	}
}

static void change_idle(struct view *v)
{
	v->idle = IDLE_SAID;
	v->query.fold_idle = !v->query.fold_idle;
	view_say(v, v->query.fold_idle ? "idle waits are hidden, their total stays" : "idle waits are shown");
}

static void change_wakers(struct view *v)
{
	v->wakers = !v->wakers;
	v->feed->wakers(v->feed->ctx, v->wakers);
	view_say(v, v->wakers ? "who ends waits is told from now on: this costs more" : "who ends waits is not told any more");
}

static bool sort_fits(const struct pane *p, enum sort_by sort)
{
	return (sort != SORT_SELF || !p->tv->threads) && (sort != SORT_RUNNING || p->look.kinds & 1u << TIME_RUNNING) &&
	       (sort != SORT_RUNNABLE || p->look.kinds & 1u << TIME_RUNNABLE) &&
	       (sort != SORT_BLOCKED || p->look.kinds & 1u << TIME_BLOCKED);
}

void view_sort(struct view *v, enum sort_by sort)
{
	static const char *const texts[SORT_NR] = { "sorted by total", "sorted by self", "sorted by running time",
						    "sorted by time in the run queue", "sorted by blocked time",
						    "sorted by name" };
	struct pane *p = view_here(v);

	for (unsigned int i = 0; v->focus == PANE_TREE && i < 4 * GROUPS; i++)
		v->tree[i].sort = sort;
	treeview_sort(p->tv, sort);
	view_say(v, p->tv->base && treeview_own_order(p->tv) ? "sorted by change" : texts[sort]);
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

/* Leads from a function to the place in the tree where it takes most. */
static void show_in_tree(struct view *v)
{
	const struct treeview *tv = view_here(v)->tv;
	const uint32_t node = treeview_node(tv);

	if (node == NODE_NONE)
		return;
	v->sought = tv->tree->node[node].key;
	view_open(v, PANE_TREE);
	view_go_to_sought(v);
}

static void viewact_toggle(struct view *v, enum pane_id p)
{
	if (!view_toggle(v, p))
		view_say(v, "this is the only pane");
	else if (p == PANE_NUMA && view_is_open(v, p))
		view_begin_sampling(v);
	else if (p == PANE_FLAME && view_is_open(v, p))
		flameview_begin_at(&v->flame[v->pane[PANE_TREE].tv - v->tree], v->pane[PANE_TREE].tv);
}

static void only_here(struct view *v)
{
	v->alone = !v->alone;
	view_place(v);
}

/* The number of the node under the cursor; -1 = none. */
static int node_here(const struct view *v)
{
	const struct treeview *tv = v->pane[v->focus].tv;
	const uint32_t node = tv->numa ? treeview_node(tv) : NODE_NONE;
	const int i = node == NODE_NONE ? -1 : numaview_node(&tv->numa->line[node]);

	return i < 0 ? -1 : (int)tv->numa->v->node[i].id;
}

/* Narrows everything to node ID, or widens it again. */
static void choose_node(struct view *v, int id)
{
	if (view_filter_pick(v, TERM_NODE, (unsigned int)id))
		snprintf(v->message, sizeof(v->message), "only what the CPUs of node %d did, in all views: Esc shows all again", id);
}

/* Narrows everything but the list itself to the thread under the cursor, or widens it again. */
static void choose_thread(struct view *v)
{
	const struct treeview *tv = &v->threads;
	const uint32_t node = treeview_node(tv);
	const struct thread_row *r = tv->threads && node != NODE_NONE ? threadspane_row(tv->threads, node) : NULL;
	const struct thread *t = r ? dict_get_thread(tv->threads->dict, r->thread) : NULL;
	char label[64];

	if (!t || !t->tid) {
		view_say(v, "this stands for several threads");
		return;
	}
	if (!view_filter_pick(v, TERM_THREAD, (unsigned int)t->tid))
		return;
	thread_row_label(tv->threads, node - 1, label, sizeof(label));
	text_format(v->message, sizeof(v->message), "only %s, in all views: Esc shows all again", label);
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

static void viewact_back(struct view *v)
{
	if (v->search.len)
		search_erase(&v->search, true);
	else if (!treeview_unzoom(view_here(v)->tv) && !end_baseline(v) && !view_filter_back(v) && !view_time_leave(v) &&
		 v->focus != PANE_TREE)
		view_close(v, v->focus);
}

static void viewact_reset(struct view *v)
{
	if (v->header.paused) {
		view_say(v, "the view is paused, nothing was forgotten: press p first");
		return;
	}
	view_all_time(v);
	v->feed->reset(v->feed->ctx);
	view_baseline_end(v);
	v->reset_ns = v->header.meta.start_mono_ns + v->header.meta.duration_ns;
	view_say(v, "everything seen so far is forgotten");
}

static long viewact_page_of(const struct treeview *tv)
{
	return tv->height > 1 ? (long)tv->height - 1 : 1;
}

static bool move_in_flame(struct treeview *tv, enum action a)
{
	switch (a) {
	case ACT_UP:
	case ACT_DOWN:
		flameview_down(tv, a == ACT_UP ? -1 : 1);
		return true;
	case ACT_PGUP:
	case ACT_PGDN:
		flameview_down(tv, a == ACT_PGUP ? -viewact_page_of(tv) : viewact_page_of(tv));
		return true;
	case ACT_LEFT:
	case ACT_RIGHT:
		flameview_aside(tv, a == ACT_RIGHT);
		return true;
	case ACT_LAST:
		flameview_last(tv);
		return true;
	case ACT_FIRST:
		treeview_first(tv);
		return true;
	default:
		return false;
	}
}

static bool viewact_move(struct view *v, enum action a)
{
	struct treeview *tv = view_here(v)->tv;
	const long page = viewact_page_of(tv);

	if (tv->flame)
		return move_in_flame(tv, a);
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
			view_say(v, a == ACT_NEXT_SIBLING ? "this is the last of its siblings" : "this is the first of its siblings");
		return true;
	default:
		return false;
	}
}

static void say_least_open(struct view *v, const struct treeview *tv)
{
	const double whole = (double)tv->tree->node[treeview_base(tv)].total_ns;
	char text[96];

	snprintf(text, sizeof(text), "too many lines for all: opened what has %.2g %% or more", 100 * (double)tv->least_open_ns / whole);
	view_say(v, text);
}

static bool viewact_fold(struct view *v, enum action a)
{
	struct treeview *tv = view_here(v)->tv;

	switch (a) {
	case ACT_TOGGLE:
		if (node_here(v) >= 0)
			choose_node(v, node_here(v));
		else
			treeview_toggle(tv);
		return true;
	case ACT_OPEN:
		treeview_open(tv);
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
			say_least_open(v, tv);
		return true;
	case ACT_ZOOM:
		if (tv->flame)
			flameview_zoom(tv);
		else
			treeview_zoom(tv);
		return true;
	case ACT_IN_TREE:
		show_in_tree(v);
		return true;
	default:
		return false;
	}
}

static bool off_cpu(struct view *v, enum action a)
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
		change_idle(v);
		return true;
	case ACT_WAKERS:
		change_wakers(v);
		return true;
	case ACT_THREAD:
		choose_thread(v);
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
		only_here(v);
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
	if (view_time_act(v, a) || viewact_move(v, a) || viewact_relate(v, a) || viewact_fold(v, a) || off_cpu(v, a) ||
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
	case ACT_KERNEL:
	case ACT_INLINED:
	case ACT_LIBRARIES:
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

