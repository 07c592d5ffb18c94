/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.c - creates, refreshes and frees a view, and passes keys and the mouse on. viewact.c has
 * what they do.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view *view_new(const struct session *session, const struct ui_options *o)
{
	struct view *v = calloc(1, sizeof(*v));
	bool ok = true;

	if (!v)
		return NULL;
	v->session = session;
	v->options = o;
	v->open = 1u << PANE_HOME;
	v->focus = PANE_HOME;
	v->query = o->filter;
	v->query.group_by = GROUP_PROCESS;
	v->query.fold_idle = !query_only_inside(&v->query);
	v->query.arch = NULL;
	view_filter_init(v);
	for (enum pane_id p = 0; p < PANES; p++)
		ok &= pane_init(&v->pane[p], p);
	if (!ok) {
		view_free(v);
		return NULL;
	}
	v->refresh_ns = o->refresh_ns;
	if (session->none)
		view_pick_begin(v);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	search_free(&v->search);
	picker_free(&v->picker);
	annotview_clear(&v->annot.view);
	vec_free(&v->preferred);
	for (enum pane_id p = 0; p < PANES; p++)
		pane_fini(&v->pane[p]);
	built_free(v->parked);
	completer_free(v->completer);
	snapshot_unref(v->round.snapshot);
	snapshot_unref(v->mark.snapshot);
	snapshot_unref(v->range.snapshot);
	free(v);
}

bool view_has_idle(const struct pane *p)
{
	return shown_any(treeview_shown(p->tv)) && shown_idle(treeview_shown(p->tv)) != NODE_NONE;
}

bool view_has_tree(const struct view *v)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		if (v->pane[p].tv->rows.n || view_has_idle(&v->pane[p]) ||
		    (v->pane[p].built && pane_is(&v->pane[p], PANE_DRAWS_ALL)))
			return true;
	}
	return false;
}

unsigned int view_can(const struct view *v)
{
	const bool ended = v->session->ended(v->session->ctx), off_cpu = v->header.meta.off_cpu;
	const bool several = v->open & (v->open - 1);

	return (!ended || v->header.paused ? CAN_PAUSE : 0u) | (!ended && v->session->reset ? CAN_RESET : 0u) |
	       (off_cpu ? CAN_OFF_CPU : 0u) | (off_cpu && !ended && v->session->wakers ? CAN_WAKERS : 0u) |
	       (several ? CAN_TAB : 0u) | (!ended && v->session->record ? CAN_RECORD : 0u) |
	       (v->session->attach ? CAN_ATTACH : 0u) |
	       (v->session->serve ? CAN_SERVE : 0u) | (!ended && v->session->rate ? CAN_PACE : 0u) |
	       (!ended && v->session->add_probe ? CAN_PROBE : 0u) |
	       (v->header.meta.script_stacks ? CAN_SCRIPTS : 0u);
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
	v->is_file = v->header.ended;
	memcpy(v->arch, v->header.meta.arch, sizeof(v->arch));
	v->arch[sizeof(v->arch) - 1] = '\0';
	v->query.arch = v->arch;
	for (enum pane_id p = 0; p < PANES; p++) {
		if (view_is_open(v, p) && pane_info(p)->needs & CAN_OFF_CPU && !v->header.meta.off_cpu)
			view_close(v, p);        /* that was another time */
		if (view_is_open(v, p) && v->pane[p].ops->opened)
			v->pane[p].ops->opened(v, &v->pane[p]);
	}
}

void view_tick(struct view *v, uint64_t now_ns)
{
	struct profile_meta meta = { 0 };
	const bool ended = v->header.known && v->header.meta.target_state >= TARGET_EXITED;
	const bool known = v->header.known, done = v->session->ended(v->session->ctx);
	char state[64];

	v->session->status(v->session->ctx, &meta);
	v->header.ended = done;
	header_update(&v->header, &meta);
	view_baseline_tick(v);
	if (!known)
		first_figures(v, now_ns);
	v->now_ns = now_ns;
	if (v->session->recording)
		v->session->recording(v->session->ctx, &v->header.recording);
	if (known && !ended && meta.target_state >= TARGET_EXITED)
		text_format(v->message, sizeof(v->message), "%s %s; what was seen stays here", meta.target,
			    header_state(&meta, state, sizeof(state)));
	if (v->session->news)
		v->session->news(v->session->ctx, v->message, sizeof(v->message));
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
	       a != ACT_ALONE && a != ACT_RECORD && a != ACT_SERVE && a != ACT_PICK;
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
	case MODE_PROBE:
		return view_probe_key(v, key);
	case MODE_SPAN:
		return view_span_key(v, key);
	case MODE_LENGTH:
		return view_length_key(v, key);
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

/* On the rule of the pane in focus: a head sorts, twice on anything else has the pane alone. */
static void click_rule(struct view *v, enum mouse what, int x)
{
	const struct pane *p = view_here(v);
	const enum sort_by sort = p->ops->head_at ? p->ops->head_at(p, x) : SORT_NR;

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

static void view_click(struct view *v, enum mouse what, int x, int line)
{
	struct pane *p = view_here(v);

	if (line < 0 && p->rule)
		click_rule(v, what, x);
	if (line >= 0 && p->ops->click && p->ops->click(v, p, what, x, line))
		return;
	if (line < 0 || line >= (int)p->tv->height || p->tv->top + (size_t)line >= p->tv->rows.n)
		return;
	treeview_to_row(p->tv, p->tv->top + (size_t)line);
	if (what == MOUSE_DOUBLE && p->ops->twice)
		p->ops->twice(v, p);
	else if (what == MOUSE_DOUBLE || (p->ops->on_mark && p->ops->on_mark(p, x, line)))
		treeview_toggle(p->tv);
}

/* The button was let go at column X of the screen. */
static bool view_release(struct view *v, int x)
{
	bool effect = false;

	for (enum pane_id p = 0; p < PANES; p++)
		effect |= v->pane[p].ops->release && v->pane[p].ops->release(v, &v->pane[p], x);
	return effect;
}

enum reaction view_mouse(struct view *v, enum mouse what, int x, int y)
{
	const long by = what == MOUSE_WHEEL_UP ? -VIEW_WHEEL_ROWS : VIEW_WHEEL_ROWS;
	const enum pane_id p = view_pane_at(v, x, y);
	struct pane *at;

	if (what == MOUSE_RELEASE)
		return !v->over && view_release(v, x) ? REACT_DRAW : REACT_NONE;
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
		at = &v->pane[p == PANES ? v->focus : p];        /* whatever is in focus */
		if (!at->ops->wheel || !at->ops->wheel(v, at, by))
			treeview_move(at->tv, by);
		return REACT_DRAW;
	}
	x -= v->pane[p].at.x;
	y -= v->pane[p].at.y + (v->pane[p].rule ? 1 : 0);
	view_focus(v, p);
	view_click(v, what, x, y);
	return REACT_DRAW;
}
