/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitspane.c - draws the pane of waits.
 *
 * The histogram has a column for each power of two from 1 us on; the last one holds all that is
 * longer. Its heights are relative to the fullest column of the same line, and a column that holds
 * anything at all is drawn.
 */
#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "query/standstill.h"
#include "query/waitcolumns.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/rowfilter.h"
#include "ui/panes/waitsview.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

#define HIST_BUCKETS 23          /* columns of the histogram: 1 us to 4 s and more */

/* Where things stand on a line. */
struct layout {
	struct list_layout figures;
	int hist_x;                      /* 0 = there is no histogram */
	int hist_step;                   /* columns a bucket */
};

static struct layout waitspane_lay_out(int w)
{
	struct layout l = { .hist_step = w >= 140 ? 2 : 1 };
	int end = w;

	if (w >= 92)
		l.hist_x = (end -= HIST_BUCKETS * l.hist_step + 1) + 1;
	l.figures = listcolumns_lay_out(wait_columns, WAIT_COLUMNS, w, end);
	return l;
}

static uint64_t column_of(const struct wait_row *r, int column)
{
	const unsigned int first = column ? (unsigned int)column + 1 : 0;
	const unsigned int last = column == HIST_BUCKETS - 1 ? WAIT_BUCKETS - 1 : (unsigned int)column + 1;
	uint64_t sum = 0;

	for (unsigned int b = first; b <= last; b++)
		sum += r->hist[b];
	return sum;
}

static void draw_histogram(const struct wait_row *r, struct canvas *cv, const struct layout *l, int y, enum style style)
{
	uint64_t most = 0;

	for (int c = 0; c < HIST_BUCKETS; c++) {
		if (column_of(r, c) > most)
			most = column_of(r, c);
	}
	for (int c = 0; c < HIST_BUCKETS && l->hist_x; c++) {
		if (!column_of(r, c))
			continue;
		for (int i = 0; i < l->hist_step; i++)
			canvas_spark(cv, l->hist_x + c * l->hist_step + i, y, style,
				     (double)column_of(r, c) / (double)most);
	}
}

static const struct waits *waitspane_of(const struct treeview *tv)
{
	return tv->model;
}

/* Waits in the run queue are told by their colour. */
static enum style row_style(const struct wait_row *r)
{
	return r->blocked_ns >= r->runnable_ns ? STYLE_BLOCKED : STYLE_RUNNABLE;
}

static void waitspane_draw_figures(const struct wait_row *r, struct canvas *cv, const struct layout *l, int y)
{
	listcolumns_draw(wait_columns, WAIT_COLUMNS, &l->figures, r, row_style(r), cv, y);
	draw_histogram(r, cv, l, y, row_style(r));
}

/* Names of stacks are text, what they are sorted into are titles. */
static enum style waitspane_label_style(const struct waits *w, uint32_t node)
{
	const struct wait_row *r = waitsview_row(w, node);
	const struct wait_open *o = waitsview_open(w, node);

	if (o)
		return wait_stands_still(w, o) ? STYLE_ALERT : o->idling ? STYLE_FAINT : STYLE_BLOCKED;
	if (!r || r->level == WAIT_LEVEL_CLASS)
		return STYLE_TITLE;
	return r->level == WAIT_LEVEL_WAKER ? STYLE_FAINT : STYLE_TEXT;
}

/* A line about a thread that still waits has no figures: all of it is text. */
static void waitspane_draw_row(const struct treeview *tv, struct canvas *cv, const struct layout *l, size_t i, int y,
			       const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct wait_row *r = waitsview_row(waitspane_of(tv), row->node);
	const int x = LINE_NAME_X + pane_common_indent(row->depth, l->figures.name_end) + LINE_STEP;
	char label[LABEL_MAX];
	int used;

	pane_common_fold(tv, cv, x - LINE_STEP, y, row->node);
	treeview_label(tv, row->node, label, sizeof(label));
	used = pane_common_list(cv, x, y, (r ? l->figures.name_end : cv->w) - x,
				waitspane_label_style(waitspane_of(tv), row->node), label);
	pane_common_matches(cv, x, y, used, s, label);
	if (r)
		waitspane_draw_figures(r, cv, l, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, r && l->hist_x ? l->hist_x - 1 : cv->w);
}

static void waitspane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct layout l = waitspane_lay_out(cv->w);
	const struct treeview *tv = p->tv;

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		waitspane_draw_row(tv, cv, &l, tv->top + (size_t)i, i, s);
}

/* The scale stands where its lengths begin: 10 us are 3.3 powers of two. */
static void waitspane_draw_scale(struct canvas *cv, const struct layout *l, int y)
{
	static const struct {
		const char *text;
		int narrow, wide;        /* columns from the left of the histogram; -1 = no room */
	} marks[] = { { "1us", 0, 0 }, { "10us", -1, 7 }, { "100us", 7, 13 }, { "1ms", -1, 20 }, { "10ms", 13, 27 },
		      { "100ms", -1, 33 }, { "1s", 20, 40 } };

	canvas_fill(cv, l->hist_x - 1, y, HIST_BUCKETS * l->hist_step + 1, STYLE_FAINT, ' ');
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const int at = l->hist_step == 1 ? marks[i].narrow : marks[i].wide;

		if (at >= 0)
			canvas_put(cv, l->hist_x + at, y, STYLE_FAINT, marks[i].text);
	}
}

static void waitspane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct waits *w = p->built->model;
	const struct layout l = waitspane_lay_out(cv->w);
	char title[TITLE_MAX];

	pane_common_rule(cv, 0, l.figures.name_end,
			 title_waits(&p->built->job.query, w->idle_ns, v->options, title, sizeof(title)));
	listcolumns_heads(wait_columns, WAIT_COLUMNS, &l.figures, cv, 0, WAIT_COLUMN_TOTAL);
	if (l.hist_x)
		waitspane_draw_scale(cv, &l, 0);
}

static void row_words(const struct wait_row *r, struct text_builder *ret)
{
	char text[UNITS_MAX];
	const double total = r->total_ns ? (double)r->total_ns : 1;

	text_builder_put(ret, "%s thread%s", units_thousands(text, r->threads), r->threads == 1 ? "" : "s");
	if (r->runnable_ns)
		text_builder_put(ret, TEXT_BUILDER_DOT "run queue %s",
				 units_percent(text, (double)r->runnable_ns / total));
	if (r->open_ns)
		text_builder_put(ret, TEXT_BUILDER_DOT "still open %s",
				 units_percent(text, (double)r->open_ns / total));
}

/* "name . 3 threads . run queue 1.2 %", cut to what fits, and the row at the right. */
static void waitspane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	const struct wait_row *r = node == NODE_NONE ? NULL : waitsview_row(waitspane_of(tv), node);
	char label[LABEL_MAX], figures[128];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	int room, used;

	if (node == NODE_NONE)
		return;
	if (r)
		row_words(r, &words);
	room = pane_common_place(tv, cv, y) - 2;
	used = words.n ? (int)text_width(figures, words.n) + 3 : 0;
	if (room < used + LINE_NAME_MIN || cv->w < 40)
		used = 0;
	treeview_label(tv, node, label, sizeof(label));
	room = 1 + pane_common_list(cv, 1, y, room - used, STYLE_TITLE, label);
	if (used) {
		room += canvas_put(cv, room, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		canvas_put(cv, room, y, STYLE_TEXT, figures);
	}
}

static bool waitspane_on_mark(const struct pane *p, int x, int line)
{
	const struct layout l = waitspane_lay_out(p->at.w);

	return pane_common_on_mark(p->tv, x, line, l.figures.name_end);
}

/* The stack that the row for NODE is about; STACK_ROOT = none. */
static stack_id waitspane_stack_of(const struct waits *w, uint32_t node)
{
	const struct wait_row *r = waitsview_row(w, node);
	const struct wait_open *o = waitsview_open(w, node);

	if (o)
		return o->stack;
	return r && r->level >= WAIT_LEVEL_STACK ? r->stack : STACK_ROOT;
}

static size_t waitspane_frames(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	const struct treeview *tv = p->tv;
	const struct waits *w = waitspane_of(tv);
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++)
		n = pane_common_frames(w->dict, waitspane_stack_of(w, tv->rows.v[i].node), max / (size_t)lines, ret, n,
				       max);
	return n;
}

static bool waitspane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	const struct waits *w = waitspane_of(tv);
	const struct wait_row *r = waitsview_row(w, node);
	const struct wait_open *o = waitsview_open(w, node);
	char name[CALL_NAME_MAX], label[LABEL_MAX];

	if (o)
		return rowfilter_thread(t, w->dict, o->thread);
	switch (r ? r->level : WAIT_LEVEL_ALL) {
	case WAIT_LEVEL_NODE:
		return r->node < NODES_MAX && rowfilter_number(t, TERM_NODE, r->node);
	case WAIT_LEVEL_CALL:
		if (r->class == WAIT_CLASS_THROTTLED)
			return rowfilter_name(t, TERM_STATE, wait_state_name(WAIT_THROTTLED));
		return r->class != WAIT_CLASS_MEMORY &&
			call_find(call_name(r->call, w->query.arch, name), w->query.arch) == r->call &&
			rowfilter_name(t, TERM_SYSCALL, name);
	case WAIT_LEVEL_STACK:
		return rowfilter_path(t, waitsview_label(w, node, label, sizeof(label)));
	default:
		return false;
	}
}

/* The pane */

static void waitspane_question(struct query *q)
{
	const bool by_node = q->by_node;

	pane_list_question(q);
	q->by_node = by_node;
}

static void waitspane_build(struct built *b, const struct names *names)
{
	struct waits *waits = NULL;
	struct query q = b->job.query;

	q.measures &= MEASURES_OFF_CPU;
	if (waits_build(b->snapshot, names, &q, &waits, &b->err) < 0)
		return;
	b->model = waits;
	b->standstill = waits_standstill(waits);
	b->standstill_known = true;
	b->list = waitsview_outline(waits);
	if (!b->list)
		err_nomem(&b->err, "the list of waits");
}

static void waitspane_drop(struct built *b)
{
	waits_free(b->model);
}

static unsigned int waitspane_way(const struct query *q)
{
	return q->by_node;
}

static char *waitspane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return waitsview_label(waitspane_of(tv), node, dst, size);
}

/* Functions in which libc goes into the kernel are not read. */
static bool waitspane_path_of(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret)
{
	const struct wait_first first = waitsview_head(waitspane_of(tv), node, dst, size);

	*ret = (struct row_path){ first.stack, first.name };
	return true;
}

static const char *waitspane_nothing(const struct pane *p)
{
	const struct waits *w = p->built->model;

	return w->idle_ns && p->built->job.query.fold_idle ? "Idle waits are hidden: w shows them." : NULL;
}

static const struct treeview_ops waitspane_lines = { .label = waitspane_label, .path = waitspane_path_of,
						     .all_paths = true };

const struct pane_ops pane_waits = {
	.weight = 2,
	.kinds = MEASURES_OFF_CPU,
	.ways = 2,
	.way = waitspane_way,
	.question = waitspane_question,
	.build = waitspane_build,
	.drop = waitspane_drop,
	.lines = &waitspane_lines,
	.rule = waitspane_rule,
	.rows = waitspane_rows,
	.status = waitspane_status,
	.nothing = waitspane_nothing,
	.frames = waitspane_frames,
	.on_mark = waitspane_on_mark,
	.here = waitspane_here,
};
