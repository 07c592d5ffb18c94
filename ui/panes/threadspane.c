/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threadspane.c - the pane of threads: what each is doing now, where, and how its time divides into
 * running and waiting.
 *
 * Row I + 1 of its outline is row I of the list (query/threadlist.h). In percent of the time that
 * passed; what idles has a column of its own and does not count as blocked.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "model/memory.h"
#include "query/threadlist.h"
#include "ui/panes/measurestyle.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/pane.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_COLS PANE_COMMON_PERCENT_COLS
#define BRIEF_COLS 6
#define BEHIND_W 96              /* that has no room for columns behind the third */
#define BAR_COLS 9
#define NODE_COLS 6
#define DOES_COLS 20             /* "epoll_wait 12.3 s" */
#define DOES_BRIEF 9

enum column {
	/* of wall time; of other measures what stands in these places (measure_set()) */
	COL_RUNNING, COL_RUNNABLE, COL_BLOCKED,
	COL_IDLE = MEASURES_ASKED, COL_NR
};

/* SORT_NR = by no key */
static const enum sort_by column_sort[COL_NR] = {
	[COL_RUNNING] = SORT_RUNNING, [COL_RUNNABLE] = SORT_RUNNABLE, [COL_BLOCKED] = SORT_BLOCKED,
	[COL_BLOCKED + 1] = SORT_FOURTH, [COL_BLOCKED + 2] = SORT_FIFTH, [COL_BLOCKED + 3] = SORT_SIXTH,
	[COL_IDLE] = SORT_NR,
};

/* The measure that C is the column of, one that is shown; NULL = that of what idles. */
static const struct measure *threadspane_column_measure(const struct tree_look *look, int c)
{
	return c == COL_IDLE ? NULL : measure_column(&look->set, (unsigned int)c);
}

/* Where things stand on a line; 0 = no such column. */
struct layout {
	int name_end, does_x, does_cols, node_x, x[COL_NR], bar_x;
	int cols;                        /* of a percentage */
};

static uint64_t key_of(const struct dict *d, const struct thread_row *r)
{
	const struct thread *t = dict_get_thread(d, r->thread);

	return hash_2u64((uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid, t->start_ns);
}

static const struct threadlist *threadspane_of(const struct treeview *tv)
{
	return tv->model;
}

static struct outline *threadspane_outline(const struct threadlist *l, const struct names *names)
{
	struct outline *o = outline_new(l->dict, names, &l->query);

	if (o)
		outline_add(o, NODE_NONE, (struct outline_row){ .kind = NODE_ROOT, .place = ID_NONE });
	for (uint32_t i = 0; o && i < l->n; i++) {
		const struct thread_row *r = &l->row[i];
		const struct outline_row row = { .key = key_of(l->dict, r), .kind = NODE_GROUP, .place = ID_NONE,
						 .weight = thread_row_ns(r) };

		if (outline_add(o, 0, row))
			o->row[0].weight += row.weight;
	}
	return outline_whole(o);
}

/* The row that NODE is; NULL = none. */
static const struct thread_row *threadspane_row(const struct threadlist *l, uint32_t node)
{
	return node && node <= l->n ? &l->row[node - 1] : NULL;
}

/* "worker 1240", and of which process when there are several; sanitised. Returns DST. */
static char *threadspane_label(const struct threadlist *l, uint32_t node, char *dst, size_t size)
{
	struct text_builder w = text_builder_in(dst, size);
	char process[LABEL_MAX];

	if (!threadspane_row(l, node))
		return dst;
	thread_row_label(l, node - 1, text_builder_end(&w), text_builder_room(&w));
	text_builder_grown(&w);
	thread_row_process(l, node - 1, process, sizeof(process));
	if (l->several && strcmp(dst, process) != 0)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s", process);
	return dst;
}

/* Drawing */

static bool several_nodes(const struct threadlist *l)
{
	uint16_t first = NODE_UNKNOWN;

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->row[i].node == NODE_UNKNOWN)
			continue;
		if (first != NODE_UNKNOWN && l->row[i].node != first)
			return true;
		first = l->row[i].node;
	}
	return false;
}

static bool threadspane_shows(const struct tree_look *look, unsigned int place)
{
	return look->kinds ? look->kinds & 1u << place : place == TIME_RUNNING;
}

/* Columns from the right. What a thread does comes before how its time is split, where there is no room for both. */
static struct layout threadspane_lay_out(const struct threadlist *l, const struct tree_look *look, int w)
{
	struct layout at = { .cols = w >= 72 ? PERCENT_COLS : BRIEF_COLS };
	int end = w, room = __builtin_popcount(look->kinds >> TIME_NR);

	if (w >= 64)
		at.bar_x = (end -= BAR_COLS) + 1;
	if (w >= 96 && look->kinds && l->query.fold_idle)
		at.x[COL_IDLE] = end -= at.cols;
	for (unsigned int place = MEASURES_ASKED - 1; place >= TIME_NR; place--)
		if (threadspane_shows(look, place) && w >= BEHIND_W + room-- * PERCENT_COLS)
			at.x[place] = end -= at.cols;
	if (w >= 34 && threadspane_shows(look, TIME_BLOCKED))
		at.x[COL_BLOCKED] = end -= at.cols;
	if (w >= 56 && threadspane_shows(look, TIME_RUNNABLE))
		at.x[COL_RUNNABLE] = end -= at.cols;
	if (w >= 14 && threadspane_shows(look, TIME_RUNNING))
		at.x[COL_RUNNING] = end -= at.cols;
	if (w >= 90 && several_nodes(l))
		at.node_x = end -= NODE_COLS;
	at.does_cols = w >= 88 ? DOES_COLS : DOES_BRIEF;
	if (w >= 44)
		at.does_x = end -= at.does_cols;
	at.name_end = end - 1;
	return at;
}

/* What R does, as fully as fits into COLS columns. */
static void does_text(const struct threadlist *l, const struct thread_row *r, int cols, char *dst, size_t size)
{
	char call[CALL_NAME_MAX], time[UNITS_MAX];

	switch (r->does) {
	case THREAD_RUNS:
		snprintf(dst, size, "runs");
		return;
	case THREAD_QUEUED:
		snprintf(dst, size, "in queue");
		return;
	case THREAD_WAITS:
	case THREAD_IDLES:
		units_time(time, r->waited_ns);
		snprintf(dst, size, "%s %s", call_name(r->call, l->query.arch, call), time);
		if ((int)text_width(dst, strlen(dst)) > cols)
			snprintf(dst, size, "%s", time);
		return;
	default:
		snprintf(dst, size, "\xC2\xB7");
	}
}

static enum style does_style(const struct thread_row *r)
{
	static const enum style styles[] = { [THREAD_QUIET] = STYLE_FAINT, [THREAD_RUNS] = STYLE_RUNNING,
					     [THREAD_QUEUED] = STYLE_RUNNABLE, [THREAD_WAITS] = STYLE_BLOCKED,
					     [THREAD_IDLES] = STYLE_FAINT };

	return styles[r->does];
}

static void threadspane_draw_bar(const struct thread_row *r, const struct tree_look *look,
				 struct canvas *cv, int x, int y, uint64_t whole)
{
	static const enum style styles[TIME_NR] = { STYLE_RUNNING, STYLE_RUNNABLE, STYLE_BLOCKED };
	struct bar_part part[TIME_NR];
	int n = 0;

	for (int k = 0; k < TIME_NR; k++) {
		if (threadspane_shows(look, (enum time_kind)k) &&
		    (measure_set_is_wall(&look->set) || look->set.lead >> k & 1))
			part[n++] = (struct bar_part){ styles[k], whole ? (double)r->value[k] / (double)whole : 0 };
	}
	canvas_bars(cv, x, y, BAR_COLS - 1, part, n);
}

static uint64_t whole_ns(const struct treeview *tv, const struct tree_look *look)
{
	const bool time = measure_lead(&look->set)->unit == UNIT_TIME;

	return time && (look->kinds || look->elapsed_ns) ? look->elapsed_ns : tv->list->row[0].weight;
}

static void threadspane_draw_figures(const struct treeview *tv, const struct tree_look *look,
				     const struct thread_row *r, struct canvas *cv, const struct layout *l, int y)
{
	const bool doubt = r->doubt_ns > (r->value[TIME_RUNNABLE] + r->value[TIME_BLOCKED]) / 2;

	for (int c = 0; c < COL_NR; c++) {
		if (l->x[c])
			pane_common_percent(cv, l->x[c], y, l->cols,
					    threadspane_column_measure(look, c)
						    ? measure_style(threadspane_column_measure(look, c))
						    : STYLE_FAINT,
					    c == COL_IDLE ? r->idle_ns : r->value[c], whole_ns(tv, look),
					    doubt && c == COL_BLOCKED);
	}
}

/* The process only where there is room for it: threads are told apart by their own names and numbers. */
static void threadspane_draw_name(const struct threadlist *list, uint32_t node, struct canvas *cv,
				  const struct layout *l, int y, const struct search *s)
{
	const enum style style = list->row[node - 1].does == THREAD_IDLES ? STYLE_FAINT : STYLE_TEXT;
	const int room = l->name_end - LINE_NAME_X;
	char own[LABEL_MAX], label[LABEL_MAX];
	int used;

	thread_row_label(list, node - 1, own, sizeof(own));
	threadspane_label(list, node, label, sizeof(label));
	used = canvas_text_cut(cv, LINE_NAME_X, y, room, style, own, strlen(own));
	if ((int)text_width(label, strlen(label)) <= room)
		used += canvas_put(cv, LINE_NAME_X + used, y, STYLE_FAINT, label + strlen(own));
	pane_common_matches(cv, LINE_NAME_X, y, used, s, label);
}

static void threadspane_draw_row(const struct treeview *tv, const struct tree_look *look, struct canvas *cv,
				 const struct layout *l, size_t i, int y, const struct search *s)
{
	const uint32_t node = tv->rows.v[i].node;
	const struct thread_row *r = threadspane_row(threadspane_of(tv), node);
	char text[CALL_NAME_MAX + UNITS_MAX + 2];

	if (!r)
		return;
	threadspane_draw_name(threadspane_of(tv), node, cv, l, y, s);
	if (l->does_x) {
		does_text(threadspane_of(tv), r, l->does_cols - 1, text, sizeof(text));
		canvas_text_cut(cv, l->does_x, y, l->does_cols - 1, does_style(r), text, strlen(text));
	}
	if (l->node_x && r->node != NODE_UNKNOWN)
		canvas_printf(cv, l->node_x, y, STYLE_TEXT, "%*u", NODE_COLS - 1, (unsigned int)r->node);
	threadspane_draw_figures(tv, look, r, cv, l, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, l->bar_x ? l->bar_x - 1 : cv->w);
	if (l->bar_x)
		threadspane_draw_bar(r, look, cv, l->bar_x, y, whole_ns(tv, look));
}

static void threadspane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct layout l = threadspane_lay_out(threadspane_of(p->tv), &p->look, cv->w);
	const struct treeview *tv = p->tv;

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		threadspane_draw_row(tv, &p->look, cv, &l, tv->top + (size_t)i, i, s);
}

static struct pane_heads threadspane_heads(const struct tree_look *look, const struct layout *l)
{
	struct pane_heads h = { 0 };

	pane_common_add_head(&h, l->node_x, NODE_COLS - 1, "node", SORT_NR);
	for (int c = 0; c < COL_NR; c++) {
		const struct measure *m = l->x[c] ? threadspane_column_measure(look, c) : NULL;
		const char *text = !m ? "idle" : l->cols < PERCENT_COLS ? m->brief : m->head;

		pane_common_add_head(&h, l->x[c], l->cols, text, column_sort[c]);
	}
	pane_common_add_head(&h, l->bar_x, BAR_COLS - 1, "total", SORT_TOTAL);
	return h;
}

static void threadspane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct threadlist *list = p->built->model;
	const struct layout l = threadspane_lay_out(list, &p->look, cv->w);
	const struct pane_heads heads = threadspane_heads(&p->look, &l);
	char title[TITLE_MAX];

	title_list(&p->built->job.query, p->look.kinds, list->n, "thread", v->options, title, sizeof(title));
	pane_common_rule_heads(cv, l.name_end, title, &heads, &p->look.set, p->tv->sort, false);
	if (l.does_x) {
		canvas_fill(cv, l.does_x - 1, 0, 5, STYLE_FAINT, ' ');
		canvas_put(cv, l.does_x, 0, STYLE_FAINT, "now");
	}
}

static enum sort_by threadspane_head_at(const struct pane *p, int x)
{
	struct pane_heads heads = { 0 };
	struct layout l;

	if (threadspane_of(p->tv)) {
		l = threadspane_lay_out(threadspane_of(p->tv), &p->look, p->at.w);
		heads = threadspane_heads(&p->look, &l);
	}
	return pane_common_head_at(&heads, x);
}

static void put_state(const struct threadlist *l, const struct thread_row *r, struct text_builder *ret)
{
	char call[CALL_NAME_MAX], time[UNITS_MAX];

	call_name(r->call, l->query.arch, call);
	units_time(time, r->waited_ns);
	switch (r->does) {
	case THREAD_RUNS:
		text_builder_put(ret, "running");
		break;
	case THREAD_QUEUED:
		text_builder_put(ret, "woken from %s, waits for a CPU", call);
		break;
	case THREAD_WAITS:
	case THREAD_IDLES:
		text_builder_put(ret, "%s in %s for %s, %s", r->does == THREAD_IDLES ? "idles" : "waits", call, time,
			  wait_state_name(r->state));
		break;
	default:
		text_builder_put(ret, "not seen lately");
	}
}

/* "worker 1240 . redis-server 1234 . waits in futex for 12.3 s, interruptible . node 0", and the row at the right. */
static void threadspane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	const struct thread_row *r = node == NODE_NONE ? NULL : threadspane_row(threadspane_of(tv), node);
	char label[LABEL_MAX], figures[256], idle[UNITS_MAX];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	uint64_t whole;
	int room, used;

	if (!r)
		return;
	whole = whole_ns(tv, &p->look);
	put_state(threadspane_of(tv), r, &words);
	if (r->node != NODE_UNKNOWN)
		text_builder_put(&words, TEXT_BUILDER_DOT "node %u", (unsigned int)r->node);
	if (r->idle_ns)
		text_builder_put(&words, TEXT_BUILDER_DOT "idle %s",
				 units_percent(idle, whole ? (double)r->idle_ns / (double)whole : 0));
	threadspane_label(threadspane_of(tv), node, label, sizeof(label));
	room = pane_common_place(tv, cv, y) - 2;
	used = (int)text_width(figures, words.n) + 3;
	if (room < used + LINE_NAME_MIN)
		used = 0;
	room = 1 + canvas_text_cut(cv, 1, y, room - used, STYLE_TITLE, label, strlen(label));
	if (used) {
		room += canvas_put(cv, room, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		canvas_put(cv, room, y, STYLE_TEXT, figures);
	}
}

/* The pane */

static void threadspane_question(struct query *q)
{
	pane_list_question(q);
	terms_drop(&q->terms, TERM_THREAD, true);        /* who is chosen here is chosen for all others */
}

static void threadspane_build(struct built *b, const struct names *names)
{
	struct threadlist *l = NULL;

	if (threadlist_build(b->snapshot, names, &b->job.query, &l, &b->err) < 0)
		return;
	b->model = l;
	b->list = threadspane_outline(l, names);
	if (!b->list)
		err_nomem(&b->err, "the list of threads");
}

static void threadspane_drop(struct built *b)
{
	threadlist_free(b->model);
}

static char *threadspane_row_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return threadspane_label(threadspane_of(tv), node, dst, size);
}

static uint64_t threadspane_value(const struct treeview *tv, uint32_t node, enum sort_by sort)
{
	const struct thread_row *r = threadspane_row(threadspane_of(tv), node);

	return r && sort != SORT_SELF ? r->value[sort_place(sort)] : 0;
}

/* Narrows everything but the list itself to the thread under the cursor, or widens it again. */
static void threadspane_choose(struct view *v, struct pane *p)
{
	const struct threadlist *l = threadspane_of(p->tv);
	const uint32_t node = treeview_node(p->tv);
	const struct thread_row *r = l && node != NODE_NONE ? threadspane_row(l, node) : NULL;
	const struct thread *t = r ? dict_get_thread(l->dict, r->thread) : NULL;
	char label[64];

	if (!t || !t->tid) {
		view_say(v, "this stands for several threads");
		return;
	}
	if (!view_filter_pick(v, TERM_THREAD, (unsigned int)t->tid))
		return;
	thread_row_label(l, node - 1, label, sizeof(label));
	text_format(v->message, sizeof(v->message), "only %s, in all views: Esc shows all again", label);
}

static bool threadspane_act(struct view *v, struct pane *p, enum action a)
{
	if (a == ACT_THREAD)
		threadspane_choose(v, p);
	return a == ACT_THREAD;
}

static bool threadspane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	const struct thread_row *r = threadspane_row(threadspane_of(tv), node);

	return r && rowfilter_thread(t, threadspane_of(tv)->dict, r->thread);
}

static const struct treeview_ops threadspane_lines = { .label = threadspane_row_label, .value = threadspane_value };

const struct pane_ops pane_threads = {
	.weight = 2,
	.kinds = MEASURES_WALL,
	.no_sort = 1u << SORT_SELF,
	.sort = SORT_RUNNING,
	.question = threadspane_question,
	.build = threadspane_build,
	.drop = threadspane_drop,
	.lines = &threadspane_lines,
	.rule = threadspane_rule,
	.rows = threadspane_rows,
	.status = threadspane_status,
	.act = threadspane_act,
	.twice = threadspane_choose,
	.head_at = threadspane_head_at,
	.here = threadspane_here,
};
