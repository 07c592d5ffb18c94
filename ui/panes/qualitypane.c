/* SPDX-License-Identifier: BSD-2-Clause */
/* qualitypane.c - draws the pane of quality; quality.c has its content. */
#include "config.h"

#include "ui/panes/qualitypane.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/pane.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <string.h>

#define TO " \xE2\x86\x92 "      /* before what can be done */

/* The columns; rows are struct quality_line. */

static struct list_figure qualitypane_share(const void *row)
{
	const struct quality_line *l = row;

	return (struct list_figure){ .unit = l->of ? LIST_SHARE : LIST_NONE, .value = l->count, .whole = l->of };
}

static struct list_figure qualitypane_count(const void *row)
{
	const struct quality_line *l = row;

	return (struct list_figure){ .unit = l->count ? LIST_COUNT : LIST_NONE, .value = l->count };
}

static struct list_figure qualitypane_time(const void *row)
{
	const struct quality_line *l = row;

	return (struct list_figure){ .unit = l->ns ? LIST_TIME : LIST_NONE, .value = l->ns };
}

static const struct list_column columns[] = {
	{ .head = "share", .figure = qualitypane_share, .least_w = 40, .wide_w = 56, .cols = PANE_COMMON_PERCENT_COLS,
	  .brief_cols = 6 },
	{ .head = "count", .figure = qualitypane_count, .least_w = 30, .cols = 10 },
	{ .head = "time", .figure = qualitypane_time, .least_w = 72, .cols = 9 },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static struct list_layout qualitypane_lay_out(int w)
{
	struct list_layout l = listcolumns_lay_out(columns, NR_COLUMNS, w, w);

	l.name_end--;
	return l;
}

static int name_x(const struct treeview *tv, size_t row)
{
	return LINE_NAME_X + (int)tv->rows.v[row].depth * LINE_STEP;
}

static enum style qualitypane_label_style(const struct quality_line *l)
{
	if (l->level == QUALITY_PART)
		return STYLE_TITLE;
	return l->part == QUALITY_LOST ? STYLE_ALERT : l->level == QUALITY_REASON || l->level == QUALITY_WHY ?
		STYLE_TEXT : STYLE_FAINT;
}

static const struct quality *qualitypane_of(const struct treeview *tv)
{
	return tv->model;
}

/* Draws LABEL and behind it what can be done; false when there is no room for both. */
static bool draw_both(struct canvas *cv, int x, int y, int end, enum style style, const char *label, const char *remedy)
{
	if (x + (int)(text_width(label, strlen(label)) + text_width(remedy, strlen(remedy))) + 3 > end)
		return false;
	x += canvas_put(cv, x, y, style, label);
	x += canvas_put(cv, x, y, STYLE_FAINT, TO);
	canvas_put(cv, x, y, STYLE_KEY, remedy);
	return true;
}

/* Where there is little room, what can be done is more useful than what is wrong: the status line has both. */
static void qualitypane_draw_name(const struct treeview *tv, struct canvas *cv,
				  const struct list_layout *at, int x, int y, uint32_t node, const struct search *s)
{
	const enum style style = qualitypane_label_style(&qualitypane_of(tv)->line[node]);
	const char *remedy = quality_remedy(qualitypane_of(tv), node);
	char label[LABEL_MAX], brief[LABEL_MAX];

	quality_label(qualitypane_of(tv), node, label, sizeof(label));
	quality_brief(qualitypane_of(tv), node, brief, sizeof(brief));
	if (!*remedy || (!draw_both(cv, x, y, at->name_end, style, label, remedy) &&
			 !draw_both(cv, x, y, at->name_end, style, brief, remedy)))
		pane_common_list(cv, x, y, at->name_end - x, style, label);
	pane_common_matches(cv, x, y, at->name_end - x, s, brief);
}

static void qualitypane_draw_row(const struct treeview *tv, struct canvas *cv, const struct list_layout *at,
				 size_t i, int y, const struct search *s)
{
	const uint32_t node = tv->rows.v[i].node;
	const int x = name_x(tv, i) + LINE_STEP;

	pane_common_fold(tv, cv, x - LINE_STEP, y, node);
	qualitypane_draw_name(tv, cv, at, x, y, node, s);
	listcolumns_draw(columns, NR_COLUMNS, at, &qualitypane_of(tv)->line[node], STYLE_TEXT, cv, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, cv->w);
}

static void qualitypane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct list_layout l = qualitypane_lay_out(cv->w);
	const struct treeview *tv = p->tv;

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		qualitypane_draw_row(tv, cv, &l, tv->top + (size_t)i, i, s);
}

static void qualitypane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct list_layout l = qualitypane_lay_out(cv->w);

	pane_common_rule(cv, 0, l.name_end, "quality");
	listcolumns_heads(columns, NR_COLUMNS, &l, cv, 0, -1);
}

/* What is wrong, in full, and what can be done about it. */
static void qualitypane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX];
	const char *remedy;
	int room;

	if (node == NODE_NONE)
		return;
	room = pane_common_place(tv, cv, y) - 2;
	quality_label(qualitypane_of(tv), node, label, sizeof(label));
	remedy = quality_remedy(qualitypane_of(tv), node);
	if (!*remedy || !draw_both(cv, 1, y, room, STYLE_TITLE, label, remedy))
		pane_common_list(cv, 1, y, room, STYLE_TITLE, label);
}

static bool qualitypane_on_mark(const struct pane *p, int x, int line)
{
	const size_t row = p->tv->top + (size_t)(line < 0 ? 0 : line);

	return row < p->tv->rows.n && x >= name_x(p->tv, row) && x < name_x(p->tv, row) + LINE_STEP;
}

/* The pane */

/* It is about all that was seen. */
static void qualitypane_question(struct query *q)
{
	*q = (struct query){ .arch = q->arch };
}

static void qualitypane_build(struct built *b, const struct names *names)
{
	struct quality *q = quality_new(b->snapshot, names, &b->job.meta);

	b->model = q;
	if (q)
		b->list = q->rows;
	else
		err_nomem(&b->err, "the view of quality");
}

static void qualitypane_drop(struct built *b)
{
	quality_free(b->model);
	b->list = NULL;          /* a part of that */
}

static char *qualitypane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return quality_label(qualitypane_of(tv), node, dst, size);
}

static const struct treeview_ops qualitypane_lines = { .label = qualitypane_label };

const struct pane_ops pane_quality = {
	.traits = PANE_ALL_TIME,
	.weight = 2,
	.question = qualitypane_question,
	.build = qualitypane_build,
	.drop = qualitypane_drop,
	.lines = &qualitypane_lines,
	.rule = qualitypane_rule,
	.rows = qualitypane_rows,
	.status = qualitypane_status,
	.on_mark = qualitypane_on_mark,
};
