/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probespane.c - draws the pane of probes: a line for each, and below one that takes time its
 * longest call and a histogram, whose bars are relative to the fullest bucket.
 */
#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "query/probecolumns.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/probesview.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

static const struct probesview *probespane_of(const struct treeview *tv)
{
	return tv->model;
}

static struct list_layout probespane_lay_out(int w)
{
	return listcolumns_lay_out(probe_columns, PROBE_COLUMNS, w, w);
}

/* How many calls were in a bucket, and how that is beside the fullest one. */
static void probespane_draw_bucket(const struct probesview *pv, uint32_t node, const struct list_layout *l,
				   struct canvas *cv, int y)
{
	const struct probe_row *r = probesview_probe(pv, node);
	const uint64_t n = r->hist[pv->line[node].sub];
	const int x = l->name_end + l->cols[PROBE_COLUMN_HITS];
	char text[UNITS_MAX];
	uint64_t most = 1;

	for (unsigned int b = 0; b < WAIT_BUCKETS; b++)
		most = r->hist[b] > most ? r->hist[b] : most;
	units_thousands(text, n);
	if ((int)strlen(text) >= l->cols[PROBE_COLUMN_HITS])
		units_count(text, n);
	canvas_put(cv, x - (int)strlen(text), y, n ? STYLE_TEXT : STYLE_FAINT, n ? text : "\xC2\xB7");
	if (n && x + 2 < cv->w)
		canvas_bar(cv, x + 2, y, cv->w - x - 2, STYLE_BLOCKED, (double)n / (double)most);
}

static enum style probespane_label_style(const struct probesview *pv, uint32_t node)
{
	switch (pv->line[node].level) {
	case PROBES_LEVEL_PROBE:
		return probesview_probe(pv, node)->hits ? STYLE_TITLE : STYLE_FAINT;
	case PROBES_LEVEL_PLACES:
	case PROBES_LEVEL_OWN:
	case PROBES_LEVEL_BUCKET:
		return STYLE_FAINT;
	default:
		return STYLE_TEXT;
	}
}

static void probespane_draw_row(const struct treeview *tv, struct canvas *cv, const struct list_layout *l, size_t i,
				int y, const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct probesview *pv = probespane_of(tv);
	const unsigned int level = pv->line[row->node].level;
	const int end = level == PROBES_LEVEL_PROBE || level == PROBES_LEVEL_BUCKET ? l->name_end : cv->w;
	const int x = LINE_NAME_X + pane_common_indent(row->depth, end) + LINE_STEP;
	const enum style style = probespane_label_style(pv, row->node);
	char label[LABEL_MAX];
	int used;

	pane_common_fold(tv, cv, x - LINE_STEP, y, row->node);
	treeview_label(tv, row->node, label, sizeof(label));
	/* Of a probe the middle goes: what it is and what it measures stand at its ends. */
	used = level == PROBES_LEVEL_PROBE ? canvas_text_cut(cv, x, y, end - x - 1, style, label, strlen(label)) :
		pane_common_list(cv, x, y, end - x, style, label);
	pane_common_matches(cv, x, y, used, s, label);
	if (level == PROBES_LEVEL_PROBE)
		listcolumns_draw(probe_columns, PROBE_COLUMNS, l, probesview_probe(pv, row->node), STYLE_RUNNING, cv,
				 y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, level == PROBES_LEVEL_BUCKET ? end : cv->w);
	if (level == PROBES_LEVEL_BUCKET)
		probespane_draw_bucket(pv, row->node, l, cv, y);
}

static void probespane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct list_layout l = probespane_lay_out(cv->w);
	const struct treeview *tv = p->tv;

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		probespane_draw_row(tv, cv, &l, tv->top + (size_t)i, i, s);
}

static void probespane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct probesview *pv = p->built->model;
	const struct list_layout l = probespane_lay_out(cv->w);
	char title[TITLE_MAX];

	pane_common_rule(cv, 0, l.name_end, title_probes(&p->built->job.query, pv->report->n, v->options, title,
							 sizeof(title)));
	listcolumns_heads(probe_columns, PROBE_COLUMNS, &l, cv, 0, -1);
}

/* What a pane of few columns leaves out. */
static void probespane_put_words(const struct probe_row *r, struct text_builder *ret)
{
	char text[UNITS_MAX];

	text_builder_put(ret, "%s hit%s", units_thousands(text, r->hits), r->hits == 1 ? "" : "s");
	for (size_t c = PROBE_COLUMN_RATE; c < PROBE_COLUMNS; c++) {
		const struct list_figure f = probe_columns[c].figure(r);

		if (f.unit != LIST_NONE)
			text_builder_put(ret, TEXT_BUILDER_DOT "%s%s %s", f.doubt ? "~" : "",
					 list_figure_text(&f, text), probe_columns[c].head);
	}
}

/* The name of what is under the cursor with all figures of its probe, and which row it is. */
static void probespane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX], figures[256];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	int room, used;

	if (node == NODE_NONE)
		return;
	if (probespane_of(tv)->line[node].level == PROBES_LEVEL_PROBE)
		probespane_put_words(probesview_probe(probespane_of(tv), node), &words);
	room = pane_common_place(tv, cv, y) - 2;
	treeview_label(tv, node, label, sizeof(label));
	used = words.n ? (int)text_width(figures, words.n) + 3 : 0;
	if (room < used + LINE_NAME_MIN)
		used = 0;
	used = 1 + canvas_text_cut(cv, 1, y, room - used, STYLE_TITLE, label, strlen(label));
	if (words.n && used + 3 < room) {
		used += canvas_put(cv, used, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		canvas_text(cv, used, y, room - used, STYLE_TEXT, figures, words.n);
	}
}

static bool probespane_on_mark(const struct pane *p, int x, int line)
{
	return pane_common_on_mark(p->tv, x, line, p->at.w);
}

/* The frames of the paths on the screen: their names come first. */
static size_t probespane_frames(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	const struct treeview *tv = p->tv;
	const struct probesview *pv = probespane_of(tv);
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const uint32_t node = tv->rows.v[i].node;

		if (tv->list->row[node].place != ID_NONE && n < max)
			ret[n++] = tv->list->row[node].place;
		n = pane_common_frames(pv->report->dict, probesview_stack(pv, node), max / (size_t)lines, ret, n, max);
	}
	return n;
}

static bool probespane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	const struct probesview *pv = probespane_of(tv);
	const struct probe_row *r = probesview_probe(pv, node);
	struct tree_node place;
	struct tree one;

	switch (pv->line[node].level) {
	case PROBES_LEVEL_PLACE:
		one = outline_as_tree(pv->rows, node, &place);
		return rowfilter_node(t, &one, 0);
	case PROBES_LEVEL_LONGEST:
		return r->longest_thread != ID_NONE && rowfilter_thread(t, pv->report->dict, r->longest_thread);
	default:
		return false;
	}
}

static char *probespane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return probesview_label(probespane_of(tv), node, dst, size);
}

/* A path whose functions are rows is found by these. */
static bool probespane_path(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret)
{
	const stack_id path = probesview_stack(probespane_of(tv), node);

	if (path == STACK_ROOT)
		return false;
	probesview_head(probespane_of(tv), node, dst, size);
	*ret = (struct row_path){ .stack = tv->list->row[node].first_child == NODE_NONE ? path : STACK_ROOT };
	return true;
}

static const struct treeview_ops probespane_lines = {
	.label = probespane_label, .path = probespane_path, .label_places = true,
};

/* The pane */

/* Calls are listed whatever is shown of what was inside of them. */
static void probespane_question(struct query *q)
{
	pane_list_question(q);
	query_forget_span(q);
}

static void probespane_build(struct built *b, const struct names *names)
{
	struct probe_report *report = NULL;
	struct probesview *pv;

	if (probe_report_build(b->snapshot, names, &b->job.query, &report, &b->err) < 0)
		return;
	probe_report_bound(report, build_elapsed_ns(&b->job), &b->job.meta);
	pv = probesview_new(report);
	if (!pv) {
		err_nomem(&b->err, "the list of probes");
		return;
	}
	b->model = pv;
	b->list = pv->rows;
}

static void probespane_drop(struct built *b)
{
	probesview_free(b->model);
	b->list = NULL;          /* a part of that */
}

static bool probespane_act(struct view *v, struct pane *p, enum action a)
{
	const uint32_t node = treeview_node(p->tv);

	if (a != ACT_PROBE_OFF)
		return false;
	if (node == NODE_NONE)
		view_say(v, "there is no probe: A adds one");
	else
		view_probe_turn(v, probesview_probe(probespane_of(p->tv), node)->probe);
	return true;
}

static const char *probespane_nothing(const struct pane *p)
{
	const struct probesview *pv = p->built->model;

	return pv->report->n ? NULL :
		"No probe is placed: A adds one while the target runs, --probe from the start (man sberf-probe).";
}

const struct pane_ops pane_probes = {
	.weight = 2,
	.question = probespane_question,
	.build = probespane_build,
	.drop = probespane_drop,
	.lines = &probespane_lines,
	.rule = probespane_rule,
	.rows = probespane_rows,
	.status = probespane_status,
	.nothing = probespane_nothing,
	.frames = probespane_frames,
	.on_mark = probespane_on_mark,
	.here = probespane_here,
	.act = probespane_act,
};
