/* SPDX-License-Identifier: BSD-2-Clause */
/* view.c - the life of a view, and where keys and the mouse go. What they do there is in viewact.c. */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view *view_new(const struct feed *feed, const struct ui_options *o)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->feed = feed;
	v->options = o;
	v->open = 1u << PANE_TREE;
	v->focus = PANE_TREE;
	v->query = o->filter;
	v->query.group_by = GROUP_PROCESS;
	v->query.fold_idle = true;
	v->query.arch = NULL;
	view_filter_init(v);
	for (unsigned int i = 0; i < 4 * GROUPS; i++) {
		treeview_init(&v->tree[i], 1);
		flameview_init(&v->flame[i], &v->flameview[i]);
	}
	treeview_init(&v->waits[0], 1);
	treeview_init(&v->waits[1], 1);
	treeview_init(&v->numa, 1);
	treeview_init(&v->threads, 1);
	treeview_init(&v->quality, 1);
	treeview_init(&v->funcs, 1);
	treeview_init(&v->no_lines, 1);
	v->refresh_ns = v->time.refresh_ns = o->refresh_ns;
	v->threads.sort = SORT_RUNNING;
	v->funcs.sort = SORT_SELF;
	v->pane[PANE_TREE].tv = &v->tree[GROUP_PROCESS];
	v->pane[PANE_FLAME].tv = &v->flame[GROUP_PROCESS];
	v->pane[PANE_NUMA].tv = &v->numa;
	v->pane[PANE_THREADS].tv = &v->threads;
	v->pane[PANE_QUALITY].tv = &v->quality;
	v->pane[PANE_FUNCS].tv = &v->funcs;
	v->pane[PANE_TIME].tv = &v->no_lines;
	v->pane[PANE_WAITS].tv = &v->waits[0];
	if (feed->none)
		view_pick_begin(v);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (unsigned int i = 0; i < 4 * GROUPS; i++) {
		treeview_free(&v->tree[i]);
		treeview_free(&v->flame[i]);
		flameview_free(&v->flameview[i]);
	}
	treeview_free(&v->waits[0]);
	treeview_free(&v->waits[1]);
	treeview_free(&v->numa);
	treeview_free(&v->threads);
	treeview_free(&v->quality);
	treeview_free(&v->funcs);
	treeview_free(&v->no_lines);
	search_free(&v->search);
	picker_free(&v->picker);
	annotview_clear(&v->annot.view);
	vec_free(&v->preferred);
	for (enum pane_id p = 0; p < PANES; p++)
		built_free(v->pane[p].built);
	built_free(v->parked);
	snapshot_unref(v->round.snapshot);
	snapshot_unref(v->mark.snapshot);
	snapshot_unref(v->range.snapshot);
	free(v);
}

const struct treeview *view_tree(const struct view *v)
{
	return v->pane[v->focus].tv;
}

bool view_has_idle(const struct pane *p)
{
	return p->tv->tree && treeview_idle(p->tv->tree) != NODE_NONE;
}

bool view_has_tree(const struct view *v)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		if (v->pane[p].tv->rows.n || view_has_idle(&v->pane[p]) || (v->pane[p].built && v->pane[p].built->time))
			return true;
	}
	return false;
}

unsigned int view_can(const struct view *v)
{
	const bool ended = v->feed->ended(v->feed->ctx), off_cpu = v->header.meta.off_cpu;
	const bool several = v->open & (v->open - 1);

	return (!ended || v->header.paused ? CAN_PAUSE : 0u) | (!ended && v->feed->reset ? CAN_RESET : 0u) |
	       (off_cpu ? CAN_OFF_CPU : 0u) | (off_cpu && !ended && v->feed->wakers ? CAN_WAKERS : 0u) |
	       (several ? CAN_TAB : 0u) | (!ended && v->feed->record ? CAN_RECORD : 0u) | (v->feed->attach ? CAN_ATTACH : 0u) |
	       (!ended && v->feed->rate ? CAN_PACE : 0u);
}

void view_say(struct view *v, const char *text)
{
	text_format(v->message, sizeof(v->message), "%s", text);
}

/* Trees that are being built read the name of the machine: it is written once. */
static void first_figures(struct view *v, uint64_t now_ns)
{
	v->first_tick_ns = now_ns;
	v->wakers = v->header.meta.wakers;
	v->time.fit = v->header.ended;
	memcpy(v->arch, v->header.meta.arch, sizeof(v->arch));
	v->arch[sizeof(v->arch) - 1] = '\0';
	v->query.arch = v->arch;
	if (view_is_open(v, PANE_WAITS) && !v->header.meta.off_cpu)
		view_close(v, PANE_WAITS);       /* that was another time */
	if (view_is_open(v, PANE_NUMA))
		view_begin_sampling(v);
}

void view_tick(struct view *v, uint64_t now_ns)
{
	struct profile_meta meta = { 0 };
	const bool ended = v->header.known && v->header.meta.target_state >= TARGET_EXITED;
	const bool known = v->header.known, done = v->feed->ended(v->feed->ctx);
	char state[64];

	v->feed->status(v->feed->ctx, &meta);
	v->header.ended = done;
	header_update(&v->header, &meta);
	view_baseline_tick(v);
	if (!known)
		first_figures(v, now_ns);
	v->now_ns = now_ns;
	if (v->feed->recording)
		v->feed->recording(v->feed->ctx, &v->header.recording);
	if (known && !ended && meta.target_state >= TARGET_EXITED)
		text_format(v->message, sizeof(v->message), "%s %s; what was seen stays here", meta.target,
			    header_state(&meta, state, sizeof(state)));
	if (v->feed->news)
		v->feed->news(v->feed->ctx, v->message, sizeof(v->message));
}

/* Keys */

static int help_page(const struct view *v)
{
	const int lines = v->room.h - (v->rules ? 1 : 0);

	return lines > 1 ? lines : 1;
}

static enum reaction help_key(struct view *v, uint32_t key)
{
	switch (keymap_action(key, MODE_HELP, view_can(v))) {
	case ACT_UP:
		v->help_top--;
		break;
	case ACT_DOWN:
		v->help_top++;
		break;
	case ACT_PGUP:
		v->help_top -= help_page(v);
		break;
	case ACT_PGDN:
		v->help_top += help_page(v);
		break;
	case ACT_FIRST:
		v->help_top = 0;
		break;
	case ACT_LAST:
		v->help_top = CANVAS_SIDE_MAX;
		break;
	case ACT_CLOSE_HELP:
		v->over = v->picking ? MODE_PICK : 0;
		break;
	case ACT_REDRAW:
		return REACT_REDRAW;
	default:
		return REACT_NONE;
	}
	return REACT_DRAW;
}

/* Whether A is for the pane in focus as such; all else has its effect whatever that shows. */
static bool is_for_pane(enum action a)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		if (pane_info(p)->toggle == a)
			return false;
	}
	return a != ACT_QUIT && a != ACT_REDRAW && a != ACT_BACK && a != ACT_NEXT_PANE && a != ACT_PREV_PANE &&
	       a != ACT_ALONE && a != ACT_RECORD && a != ACT_PICK;
}

/* Whether a key that does A is for a pane that is still being built: it has to wait, as do all that come behind it. */
static bool is_ahead(const struct view *v, enum action a)
{
	return v->begun && !v->pane[v->focus].built && (v->nr_typed || is_for_pane(a));
}

/* A key while something else than a pane has the keys. */
static enum reaction over_key(struct view *v, uint32_t key)
{
	switch (v->over) {
	case MODE_SEARCH:
		return v->annot.view.shown ? view_annot_search_key(v, key) : view_search_key(v, key);
	case MODE_SAVE:
		return view_save_key(v, key);
	case MODE_OPTIONS:
		return view_options_key(v, key);
	case MODE_PICK:
	case MODE_PICK_TEXT:
		return view_pick_key(v, key);
	case MODE_FILTER:
		return view_filter_key(v, key);
	case MODE_FILTERS:
		return view_filters_key(v, key);
	default:
		return help_key(v, key);
	}
}

enum reaction view_key(struct view *v, uint32_t key)
{
	enum action a;

	if (v->over)
		return over_key(v, key);
	a = keymap_action(key, view_mode(v), view_can(v));
	if (!v->annot.view.shown && is_ahead(v, a)) {
		if (v->nr_typed < TYPED_MAX)
			v->typed[v->nr_typed++] = key;
		return REACT_NONE;
	}
	if (a == ACT_NONE)
		return view_no_key(v, key);
	v->message[0] = '\0';
	return v->annot.view.shown ? view_annot_act(v, a) : view_act(v, a);
}

/* The mouse */

static bool on_mark(const struct pane *p, int x, int line)
{
	if (p->tv->quality)
		return qualitypane_on_mark(p->tv, x, line);
	if (p->tv->numa)
		return numapane_on_mark(p->tv, p->at.w, x, line);
	return p->tv->waits ? waitspane_on_mark(p->tv, p->at.w, x, line) : treepane_on_mark(p->tv, &p->look, p->at.w, x, line);
}

/* Which column of the pane in focus has its head at X of the rule; SORT_NR = none that can be sorted by. */
static enum sort_by head_at(struct view *v, int x)
{
	const struct pane *p = view_here(v);

	if (pane_info(v->focus)->mode & (MODE_TREE | MODE_FUNCS))
		return treepane_head_at(p->tv, &p->look, p->at.w, x);
	return v->focus == PANE_THREADS ? threadspane_head_at(p->tv, &p->look, p->at.w, x) : SORT_NR;
}

/* On the rule of the pane in focus: a head sorts, twice on anything else has the pane alone. */
static void click_rule(struct view *v, enum mouse what, int x)
{
	const enum sort_by sort = head_at(v, x);

	if (sort != SORT_NR)
		view_sort(v, sort);
	else if (what == MOUSE_DOUBLE && view_can(v) & CAN_TAB)
		view_act(v, ACT_ALONE);
}

/* The key whose place in the footer is at (X, Y); 0 = none. */
static uint32_t footer_key(const struct view *v, int x, int y)
{
	for (unsigned int i = 0; y == v->footer && i < v->nr_spots; i++) {
		if (x >= v->spot[i].x && x < v->spot[i].x + v->spot[i].cols)
			return v->spot[i].key;
	}
	return 0;
}

static void click_flame(struct treeview *tv, enum mouse what, int x, int line)
{
	const size_t row = flamepane_row_at(tv, x, line);

	if (row == SIZE_MAX)
		return;
	treeview_to_row(tv, row);
	if (what == MOUSE_DOUBLE)
		flameview_zoom(tv);
}

static void view_click(struct view *v, enum mouse what, int x, int line)
{
	struct pane *p = view_here(v);

	if (line < 0 && p->rule)
		click_rule(v, what, x);
	if (line >= 0 && view_time_mouse(v, v->focus, what, x))
		return;
	if (p->tv->flame) {
		click_flame(p->tv, what, x, line);
		return;
	}
	if (line < 0 || line >= (int)p->tv->height || p->tv->top + (size_t)line >= p->tv->rows.n)
		return;
	treeview_to_row(p->tv, p->tv->top + (size_t)line);
	if (what == MOUSE_DOUBLE && v->focus == PANE_TREE)
		treeview_zoom(p->tv);
	else if (what == MOUSE_DOUBLE && (v->focus == PANE_FUNCS || v->focus == PANE_THREADS))
		view_act(v, v->focus == PANE_FUNCS ? ACT_IN_TREE : ACT_THREAD);
	else if (what == MOUSE_DOUBLE || on_mark(p, x, line))
		treeview_toggle(p->tv);
}

enum reaction view_mouse(struct view *v, enum mouse what, int x, int y)
{
	const long by = what == MOUSE_WHEEL_UP ? -VIEW_WHEEL_ROWS : VIEW_WHEEL_ROWS;
	enum pane_id p = view_pane_at(v, x, y);

	if (what == MOUSE_RELEASE)
		return !v->over && view_time_drop(v, x) ? REACT_DRAW : REACT_NONE;
	if (what < MOUSE_WHEEL_UP && footer_key(v, x, y))
		return view_key(v, footer_key(v, x, y));
	if (v->over == MODE_HELP && what >= MOUSE_WHEEL_UP) {
		v->help_top += (int)by;
		return REACT_DRAW;
	}
	if (v->over == MODE_PICK || v->over == MODE_PICK_TEXT)
		return view_pick_mouse(v, what, y);
	if (v->annot.view.shown && !v->over)
		return view_annot_mouse(v, what, y);
	if (v->over || (p == PANES && what < MOUSE_WHEEL_UP))
		return REACT_NONE;
	v->message[0] = '\0';
	if (what >= MOUSE_WHEEL_UP) {
		p = p == PANES ? v->focus : p;
		if (v->pane[p].tv->flame)                /* whatever is in focus */
			flameview_scroll(v->pane[p].tv, by);
		else if (!view_time_mouse(v, p, what, 0))
			treeview_move(v->pane[p].tv, by);
		return REACT_DRAW;
	}
	x -= v->pane[p].at.x;
	y -= v->pane[p].at.y + (v->pane[p].rule ? 1 : 0);
	view_focus(v, p);
	view_click(v, what, x, y);
	return REACT_DRAW;
}
