/* SPDX-License-Identifier: BSD-2-Clause */
/* view.c - state of the screen and what keys do to it. How it is drawn is in viewdraw.c. */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_SHARE 20u          /* building may take 1/BUILD_SHARE of the time */
#define WHEEL_ROWS 3

struct view *view_new(const struct feed *feed, const struct ui_options *o)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->feed = feed;
	v->options = o;
	v->mode = v->home = MODE_TREE;
	v->query = o->filter;
	v->query.group_by = GROUP_PROCESS;
	v->query.fold_idle = true;
	v->query.arch = NULL;
	v->page = 1;
	for (unsigned int i = 0; i < 2 * GROUPS; i++)
		treeview_init(&v->tree[i], 1);
	treeview_init(&v->waits, 1);
	v->tv = &v->tree[GROUP_PROCESS];
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (unsigned int i = 0; i < 2 * GROUPS; i++)
		treeview_free(&v->tree[i]);
	treeview_free(&v->waits);
	search_free(&v->search);
	vec_free(&v->preferred);
	built_free(v->built);
	built_free(v->parked);
	free(v);
}

const struct treeview *view_tree(const struct view *v)
{
	return v->tv;
}

bool view_has_tree(const struct view *v)
{
	return v->tv->rows.n > 0 || view_has_idle(v);
}

bool view_has_idle(const struct view *v)
{
	return v->tv->tree && treeview_idle(v->tv->tree) != NODE_NONE;
}

unsigned int view_can(const struct view *v)
{
	const bool ended = v->feed->ended(v->feed->ctx);

	const bool off_cpu = v->header.meta.off_cpu;

	return (!ended || v->header.paused ? CAN_PAUSE : 0u) | (!ended && v->feed->reset ? CAN_RESET : 0u) |
	       (off_cpu ? CAN_OFF_CPU : 0u) | (off_cpu && !ended && v->feed->wakers ? CAN_WAKERS : 0u);
}

static void say(struct view *v, const char *text)
{
	snprintf(v->message, sizeof(v->message), "%s", text);
}

/* Trees that are being built read the name of the machine: it is written once. */
static void first_figures(struct view *v, uint64_t now_ns)
{
	v->first_tick_ns = now_ns;
	v->wakers = v->header.meta.wakers;
	memcpy(v->arch, v->header.meta.arch, sizeof(v->arch));
	v->arch[sizeof(v->arch) - 1] = '\0';
	v->query.arch = v->arch;
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
	if (!known)
		first_figures(v, now_ns);
	v->now_ns = now_ns;
	if (known && !ended && meta.target_state >= TARGET_EXITED)
		snprintf(v->message, sizeof(v->message), "%s %s; what was seen stays here", meta.target,
			 header_state(&meta, state, sizeof(state)));
}

/* Trees */

/* What else a query says comes from the command line and never changes. */
static bool same_query(const struct query *a, const struct query *b)
{
	return a->group_by == b->group_by && a->inverted == b->inverted && a->hide_kernel == b->hide_kernel &&
	       a->no_inlines == b->no_inlines && a->kinds == b->kinds && a->fold_idle == b->fold_idle;
}

/* The time up to which S knows what is under way; END_NS, that of the figures, where nothing is. They are told at other times. */
static uint64_t end_of(const struct snapshot *s, uint64_t end_ns)
{
	const size_t n = s ? snapshot_slices(s) : 0;
	struct slice_view last;

	if (!n)
		return end_ns;
	snapshot_slice(s, n - 1, &last);
	return last.provisional ? last.to_ns : end_ns;
}

/* Of what time S is: from the beginning, or from when all was forgotten, until now. */
static void set_times(const struct view *v, const struct snapshot *s, struct build_job *job)
{
	const struct profile_meta *m = &v->header.meta;

	job->start_ns = m->start_mono_ns;
	job->end_ns = end_of(s, m->start_mono_ns + m->duration_ns);
	if (job->end_ns < job->start_ns)
		job->end_ns = job->start_ns;
	job->from_ns = v->reset_ns > job->start_ns && v->reset_ns < job->end_ns ? v->reset_ns : job->start_ns;
}

/* What is to be looked at, without the question; NULL when there is nothing yet. A paused view stays with what it has. */
static struct snapshot *wanted(const struct view *v, struct build_job *job)
{
	struct snapshot *s;

	if (v->header.paused && v->built) {
		*job = v->built->job;
		return snapshot_ref(v->built->snapshot);
	}
	s = v->feed->snapshot(v->feed->ctx);
	set_times(v, s, job);
	job->off_cpu = v->header.meta.off_cpu;
	return s;
}

bool view_job(struct view *v, uint64_t now_ns, struct build_job *ret)
{
	const uint64_t published = v->feed->published(v->feed->ctx), generation = names_generation(v->feed->names);
	const bool asked = v->asked && !(same_query(&v->query, &v->asked_query) && v->home == v->asked_home);
	const bool news = (published != v->seen_published && !v->header.paused) || generation != v->seen_generation;
	struct build_job job = { 0 };

	if (!asked && v->asked && (!news || v->building || now_ns < v->next_build_ns))
		return false;
	job.snapshot = wanted(v, &job);
	if (!job.snapshot)
		return false;
	job.query = v->query;
	job.waits = v->home == MODE_WAITS;
	v->asked_home = v->home;
	v->seen_published = published;
	v->seen_generation = generation;
	v->asked_query = v->query;
	v->asked = v->building = true;
	*ret = job;
	return true;
}

static struct tree_look look_of(const struct build_job *job)
{
	return (struct tree_look){ .kinds = job->off_cpu ? title_kinds(&job->query) : 0,
				   .elapsed_ns = job->end_ns - job->from_ns };
}

/* Idle waits are better than nothing, but not than anything else, as long as the user has not said which to show. */
static void choose_idle(struct view *v, const struct tree *t)
{
	const bool only_idle = t->idle_ns && t->idle_ns >= t->node[0].total_ns;

	if (v->idle == IDLE_AUTO && only_idle == t->query.fold_idle && (only_idle || !v->tv->touched))
		v->query.fold_idle = !only_idle;
}

/* Keys that came while the pane they were meant for was being built. */
static void type_ahead(struct view *v)
{
	const unsigned int n = v->nr_typed;

	v->nr_typed = 0;
	for (unsigned int i = 0; i < n; i++)
		view_key(v, v->typed[i]);
}

static struct treeview *treeview_for(struct view *v, const struct built *b)
{
	return b->waits ? &v->waits : &v->tree[(b->tree->query.inverted ? GROUPS : 0) + b->tree->query.group_by];
}

static void show(struct view *v, struct built *b)
{
	struct treeview *tv = treeview_for(v, b);

	if (tv != v->tv) {
		treeview_show(v->tv, NULL);
		treeview_set_height(tv, v->tv->height);
		v->tv = tv;
	}
	treeview_show_waits(tv, b->waits, b->tree);
	v->header.history = b->history;
	v->header.standstill = b->standstill;
	v->look = look_of(&b->job);
	if (!b->waits)
		choose_idle(v, b->tree);
	built_free(v->built);
	v->built = b;
	type_ahead(v);
}

void view_give(struct view *v, struct built *b, uint64_t now_ns)
{
	v->building = false;
	if (!b || !b->tree)
		v->nr_typed = 0;
	if (!b) {
		say(v, "not enough memory for the call tree");
		return;
	}
	v->next_build_ns = now_ns + b->took_ns * (BUILD_SHARE - 1);
	if (!b->tree || !same_query(&b->job.query, &v->query) || b->job.waits != (v->home == MODE_WAITS)) {
		if (!b->tree)
			say(v, b->err.text);
		built_free(b);
		return;
	}
	if (v->mode == MODE_SEARCH) {
		built_free(v->parked);
		v->parked = b;
		return;
	}
	show(v, b);
}

void view_spent(struct view *v, uint64_t spent_ns)
{
	v->next_build_ns += spent_ns * BUILD_SHARE;
}

static void leave_search_mode(struct view *v)
{
	struct built *b = take_ptr(v->parked);

	v->mode = v->home;
	treeview_settle(v->tv);
	if (b)
		show(v, b);
}

/* Searching */

static void find(struct view *v, uint32_t from, enum search_step step)
{
	const uint32_t node = search_find(&v->search, v->tv, from, step);

	if (node != NODE_NONE)
		treeview_visit(v->tv, node);
	else if (v->mode == MODE_SEARCH && v->origin != NODE_NONE)
		treeview_visit(v->tv, v->origin);
}

static void begin_search(struct view *v)
{
	v->mode = MODE_SEARCH;
	v->origin = treeview_node(v->tv);
	v->origin_top = v->tv->top;
	v->origin_first = v->tv->at_first;
	search_erase(&v->search, true);
}

static void cancel_search(struct view *v)
{
	search_erase(&v->search, true);
	if (v->origin != NODE_NONE) {
		treeview_visit(v->tv, v->origin);
		v->tv->top = v->origin_top;
		v->tv->at_first = v->origin_first;
		treeview_clamp(v->tv);
	}
	leave_search_mode(v);
}

static void step_search(struct view *v, enum search_step step)
{
	if (!v->search.len)
		return;
	find(v, treeview_node(v->tv), step);
	if (v->mode == v->home)
		treeview_settle(v->tv);
}

/* Keys */

static void change_question(struct view *v, enum action a)
{
	static const char *const texts[] = { "all roots together", "roots by process", "roots by executable",
					     "roots by command name", "roots by thread", "roots by cgroup" };

	if (a == ACT_INVERT) {
		v->query.inverted = !v->query.inverted;
		say(v, v->query.inverted ? "inverted: callers under each function" : "callees under each function");
	} else if (a == ACT_KERNEL) {
		v->query.hide_kernel = !v->query.hide_kernel;
		say(v, v->query.hide_kernel ? "kernel frames are hidden, their time goes to who called" :
					      "kernel frames are shown");
	} else {
		v->query.group_by = v->query.group_by == GROUP_CGROUP ? GROUP_NONE : v->query.group_by + 1;
		say(v, texts[v->query.group_by]);
	}
}

/* Turns one kind of time on or off. */
static void change_kind(struct view *v, enum event_kind kind)
{
	static const char *const names[] = { [EVENT_SAMPLE] = "running time", [EVENT_BLOCKED] = "blocked time",
					     [EVENT_RUNNABLE] = "time in the run queue" };
	const uint32_t needed = v->home == MODE_WAITS ? KINDS_OFF_CPU : KINDS_WALL;
	const uint32_t kinds = (v->query.kinds ? v->query.kinds : KINDS_WALL) ^ 1u << kind;
	struct query next = v->query;

	next.kinds = kinds == KINDS_WALL ? 0 : kinds;
	if (kind == EVENT_SAMPLE && (v->query.states || v->query.nr_calls)) {
		say(v, "running time is left out by a filter of waits");
	} else if (!(kinds & needed) || !title_kinds(&next)) {
		say(v, "this is all that is shown");
	} else {
		v->query = next;
		snprintf(v->message, sizeof(v->message), "%s is %s", names[kind], kinds & 1u << kind ? "shown" : "hidden");
	}
}

static void change_idle(struct view *v)
{
	v->idle = IDLE_SAID;
	v->query.fold_idle = !v->query.fold_idle;
	say(v, v->query.fold_idle ? "idle waits are hidden, their total stays" : "idle waits are shown");
}

static void change_wakers(struct view *v)
{
	v->wakers = !v->wakers;
	v->feed->wakers(v->feed->ctx, v->wakers);
	say(v, v->wakers ? "who ends waits is told from now on: this costs more" : "who ends waits is not told any more");
}

static bool sort_fits(const struct view *v, enum sort_by sort)
{
	return (sort != SORT_RUNNING || v->look.kinds & 1u << TIME_RUNNING) &&
	       (sort != SORT_BLOCKED || v->look.kinds & 1u << TIME_BLOCKED);
}

static void change_sort(struct view *v)
{
	static const char *const texts[] = { "sorted by total", "sorted by self", "sorted by running time",
					     "sorted by blocked time", "sorted by name" };
	enum sort_by sort = v->tv->sort;

	do
		sort = (sort + 1) % SORT_NR;
	while (!sort_fits(v, sort));
	for (unsigned int i = 0; i < 2 * GROUPS; i++)
		v->tree[i].sort = sort;
	treeview_sort(v->tv, sort);
	say(v, texts[sort]);
}

/* What is there stays on screen until the other pane has been built. */
static void go_to(struct view *v, enum ui_mode home)
{
	v->mode = v->home = home;
	v->nr_typed = 0;
	search_erase(&v->search, true);
}

static void back(struct view *v)
{
	if (v->search.len)
		search_erase(&v->search, true);
	else if (v->home == MODE_WAITS)
		go_to(v, MODE_TREE);
	else
		treeview_unzoom(v->tv);
}

static void reset(struct view *v)
{
	if (v->header.paused) {
		say(v, "the view is paused, nothing was forgotten: press p first");
		return;
	}
	v->feed->reset(v->feed->ctx);
	v->reset_ns = v->header.meta.start_mono_ns + v->header.meta.duration_ns;
	say(v, "everything seen so far is forgotten");
}

static bool move(struct view *v, enum action a)
{
	struct treeview *tv = v->tv;
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

static bool fold(struct view *v, enum action a)
{
	struct treeview *tv = v->tv;

	switch (a) {
	case ACT_TOGGLE:
		treeview_toggle(tv);
		return true;
	case ACT_OPEN:
		treeview_open(tv);
		return true;
	case ACT_CLOSE:
		treeview_close(tv);
		return true;
	case ACT_OPEN_LEVEL:
		treeview_open_level(tv);
		return true;
	case ACT_CLOSE_LEVEL:
		treeview_close_level(tv);
		return true;
	case ACT_OPEN_ALL:
	case ACT_CLOSE_ALL:
		treeview_all(tv, a == ACT_OPEN_ALL);
		return true;
	case ACT_ZOOM:
		treeview_zoom(tv);
		return true;
	default:
		return false;
	}
}

static bool off_cpu(struct view *v, enum action a)
{
	switch (a) {
	case ACT_RUNNING:
		change_kind(v, EVENT_SAMPLE);
		return true;
	case ACT_BLOCKED:
		change_kind(v, EVENT_BLOCKED);
		return true;
	case ACT_RUNNABLE:
		change_kind(v, EVENT_RUNNABLE);
		return true;
	case ACT_IDLE:
		change_idle(v);
		return true;
	case ACT_WAITS:
		go_to(v, MODE_WAITS);
		return true;
	case ACT_TREE:
		go_to(v, MODE_TREE);
		return true;
	case ACT_WAKERS:
		change_wakers(v);
		return true;
	default:
		return false;
	}
}

static enum reaction act(struct view *v, enum action a)
{
	if (move(v, a) || fold(v, a) || off_cpu(v, a))
		return REACT_DRAW;
	switch (a) {
	case ACT_BACK:
		back(v);
		break;
	case ACT_SORT:
		change_sort(v);
		break;
	case ACT_INVERT:
	case ACT_GROUP:
	case ACT_KERNEL:
		change_question(v, a);
		break;
	case ACT_SEARCH:
		begin_search(v);
		break;
	case ACT_NEXT:
	case ACT_PREV:
		step_search(v, a == ACT_NEXT ? SEARCH_NEXT : SEARCH_PREV);
		break;
	case ACT_PAUSE:
		v->header.paused = !v->header.paused;    /* the header tells; the status line stays with the cursor */
		break;
	case ACT_RESET:
		reset(v);
		break;
	case ACT_HELP:
		v->mode = MODE_HELP;
		v->help_top = 0;
		break;
	case ACT_REDRAW:
		return REACT_REDRAW;
	case ACT_QUIT:
		return REACT_QUIT;
	default:
		break;
	}
	return REACT_DRAW;
}

static enum reaction search_key(struct view *v, uint32_t key)
{
	switch (keymap_action(key, MODE_SEARCH, view_can(v))) {
	case ACT_ACCEPT:
		leave_search_mode(v);
		break;
	case ACT_CANCEL:
		cancel_search(v);
		break;
	case ACT_NEXT:
		step_search(v, SEARCH_NEXT);
		break;
	case ACT_PREV:
		step_search(v, SEARCH_PREV);
		break;
	case ACT_ERASE:
	case ACT_ERASE_ALL:
		search_erase(&v->search, keymap_action(key, MODE_SEARCH, view_can(v)) == ACT_ERASE_ALL);
		find(v, v->origin, SEARCH_HERE);
		break;
	default:
		if (key < 0x20 || key >= KEY_BASE)
			return REACT_NONE;
		search_type(&v->search, key);
		find(v, v->origin, SEARCH_HERE);
	}
	return REACT_DRAW;
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
		v->help_top -= v->page;
		break;
	case ACT_PGDN:
		v->help_top += v->page;
		break;
	case ACT_FIRST:
		v->help_top = 0;
		break;
	case ACT_LAST:
		v->help_top = CANVAS_SIDE_MAX;
		break;
	case ACT_CLOSE_HELP:
		v->mode = v->home;
		break;
	case ACT_REDRAW:
		return REACT_REDRAW;
	default:
		return REACT_NONE;
	}
	return REACT_DRAW;
}

/* Whether KEY is for a pane that is still being built: it has to wait, as do all that come behind it. */
static bool is_ahead(const struct view *v, enum action a)
{
	if (!v->built || (v->built->waits != NULL) == (v->home == MODE_WAITS))
		return false;
	return v->nr_typed || (a != ACT_QUIT && a != ACT_REDRAW && a != ACT_BACK && a != ACT_TREE && a != ACT_WAITS);
}

enum reaction view_key(struct view *v, uint32_t key)
{
	enum action a;

	if (v->mode == MODE_SEARCH)
		return search_key(v, key);
	if (v->mode == MODE_HELP)
		return help_key(v, key);
	a = keymap_action(key, v->mode, view_can(v));
	if (is_ahead(v, a)) {
		if (v->nr_typed < TYPED_MAX)
			v->typed[v->nr_typed++] = key;
		return REACT_NONE;
	}
	if (a == ACT_NONE)
		return REACT_NONE;
	v->message[0] = '\0';
	return act(v, a);
}

static bool on_mark(const struct view *v, int x, int line)
{
	return v->tv->waits ? waitspane_on_mark(v->tv, v->w, x, line) : treepane_on_mark(v->tv, &v->look, v->w, x, line);
}

enum reaction view_mouse(struct view *v, enum mouse what, int x, int y)
{
	const int line = y - v->pane_y;
	const long by = what == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;

	if (v->mode == MODE_HELP && what >= MOUSE_WHEEL_UP) {
		v->help_top += (int)by;
		return REACT_DRAW;
	}
	if (v->mode != v->home)
		return REACT_NONE;
	v->message[0] = '\0';
	if (what >= MOUSE_WHEEL_UP) {
		treeview_move(v->tv, by);
		return REACT_DRAW;
	}
	if (line < 0 || line >= (int)v->tv->height || v->tv->top + (size_t)line >= v->tv->rows.n)
		return REACT_NONE;
	treeview_to_row(v->tv, v->tv->top + (size_t)line);
	if (what == MOUSE_DOUBLE && v->mode == MODE_TREE)
		treeview_zoom(v->tv);
	else if (what == MOUSE_DOUBLE || on_mark(v, x, line))
		treeview_toggle(v->tv);
	return REACT_DRAW;
}
