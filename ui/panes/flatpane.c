/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatpane.c - the operations that the panes of functions and of modules share: their question,
 * their rows, and how these are drawn.
 */
#include "config.h"

#include "ui/panes/flatpane.h"

#include "base/text.h"
#include "base/units.h"
#include "query/flatcolumns.h"
#include "query/label.h"
#include "ui/panes/basecells.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

#define BAR_COLS 9               /* a blank and eight columns of bar */
#define SORTED_W 72              /* in lines as long as this there is a column of what they are sorted by */
#define NAME_X (LINE_NAME_X + LINE_STEP)

static const enum sort_by column_sort[FLAT_COLUMNS] = {
	[FLAT_COLUMN_SELF] = SORT_SELF, [FLAT_COLUMN_TOTAL] = SORT_TOTAL, [FLAT_COLUMN_PARTS] = SORT_RUNNING,
	[FLAT_COLUMN_PARTS + 1] = SORT_RUNNABLE, [FLAT_COLUMN_PARTS + 2] = SORT_BLOCKED,
	[FLAT_COLUMN_PARTS + 3] = SORT_FOURTH, [FLAT_COLUMN_PARTS + 4] = SORT_FIFTH,
	[FLAT_COLUMN_PARTS + 5] = SORT_SIXTH,
};

/* Where things stand on a line; 0 = no such column. */
struct layout {
	struct list_column column[FLAT_COLUMNS];
	struct list_layout at;
	struct basecells base;           /* in place of these where the list is compared with a baseline */
	int bar_x, name_end;
};

/* Where not all columns fit, that of the order is among those that do: on short lines it is one of self and total. */
static void flatpane_make_room(const struct treeview *tv, int w, struct list_column column[FLAT_COLUMNS])
{
	if (w < 30)
		column[tv->sort == SORT_TOTAL ? FLAT_COLUMN_TOTAL : FLAT_COLUMN_SELF].least_w = 14;
	for (int c = FLAT_COLUMN_PARTS; c < FLAT_COLUMN_AMOUNT; c++)
		if (column[c].measure && tv->sort == column_sort[c])
			column[c].least_w = SORTED_W;
}

static struct layout flatpane_lay_out(const struct treeview *tv, const struct tree_look *look, int w)
{
	struct layout l = { 0 };
	int end = w;

	if (tv->base) {
		l.name_end = basecells_lay_out(&l.base, w);
		return l;
	}
	if (w >= 72)
		l.bar_x = (end -= BAR_COLS) + 1;
	flat_columns(&look->set, __builtin_popcount(look->kinds) > 1 ? look->kinds : 0, l.column);
	flatpane_make_room(tv, w, l.column);
	l.at = listcolumns_lay_out(l.column, FLAT_COLUMNS, w, end);
	l.name_end = l.at.name_end;
	return l;
}

static const struct flatlist *flatpane_list(const struct treeview *tv)
{
	return tv->model;
}

static struct flat_scale flatpane_scale(const struct flatlist *list, const struct tree_look *look)
{
	const bool wall = measure_set_is_wall(&look->set);
	struct flat_scale s = { .whole_ns = look->kinds && wall ? look->elapsed_ns : list->row[0].total_ns,
				.lead = measure_lead(&look->set), .doubt_parts = wall };

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		const struct measure *m = measure_column(&look->set, place);

		s.part[place] = m && !m->wall ? list->row[0].self.ns[place] : s.whole_ns;
	}
	return s;
}

/* Drawing */

static void flatpane_draw_figures(const struct treeview *tv, uint32_t node, const struct tree_look *look,
				  struct canvas *cv, const struct layout *l, int y)
{
	const struct flatlist *list = flatpane_list(tv);
	const struct flat_scale scale = flatpane_scale(list, look);
	const struct flat_row *r = &list->row[node];
	const struct flat_line line = { .scale = &scale, .self_ns = r->self_ns, .total_ns = r->total_ns,
					.doubt_ns = r->doubt_ns, .self = &r->self };

	if (tv->base)
		basecells_draw(&l->base, tv->base, node, cv, y);
	else
		listcolumns_draw(l->column, FLAT_COLUMNS, &l->at, &line, STYLE_TEXT, cv, y);
}

/* What is no name is in doubt. */
static enum style flatpane_name_style(const struct flat_row *r, const char *label)
{
	return r->kind == NODE_ADDR || (r->kind == NODE_FUNC && (*label == '[' || *label == '(')) ?
		STYLE_DOUBT : STYLE_TEXT;
}

static void flatpane_draw_name(const struct treeview *tv, uint32_t node, struct canvas *cv, int cols, int y,
			       const struct search *s)
{
	const struct flat_row *r = &flatpane_list(tv)->row[node];
	struct tree_node one;
	const struct tree row = outline_as_tree(tv->list, node, &one);
	char label[LABEL_MAX], tag[PANE_COMMON_TAG_MAX];
	const int tag_cols = *pane_common_tag(&row, 0, tag) ? (int)strlen(tag) + 1 : 0;
	int used;

	treeview_label(tv, node, label, sizeof(label));
	used = canvas_text_cut(cv, NAME_X, y, cols - tag_cols, flatpane_name_style(r, label), label, strlen(label));
	pane_common_matches(cv, NAME_X, y, used, s, label);
	if (tag_cols && used > 0)
		canvas_put(cv, NAME_X + used + 1, y, STYLE_FAINT, tag);
}

static void flatpane_draw_row(const struct treeview *tv, const struct tree_look *look, struct canvas *cv,
			      const struct layout *l, size_t i, int y, const struct search *s)
{
	const uint32_t node = tv->rows.v[i].node;
	const struct flat_row *r = &flatpane_list(tv)->row[node];

	flatpane_draw_name(tv, node, cv, l->name_end - NAME_X, y, s);
	flatpane_draw_figures(tv, node, look, cv, l, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, l->bar_x ? l->bar_x - 1 : cv->w);
	if (l->bar_x)
		pane_common_bar(cv, l->bar_x, y, BAR_COLS - 1, look->kinds ? &look->set : NULL, r->self.ns, r->self_ns,
				flatlist_work_ns(flatpane_list(tv)));
}

static void flatpane_idle(const struct pane *p, struct canvas *cv, const struct layout *l, int y)
{
	const struct flatlist *list = flatpane_list(p->tv);

	pane_common_idle(cv, y, l->name_end, list->idle_threads);
	flatpane_draw_figures(p->tv, list->idle, &p->look, cv, l, y);
	pane_common_idle_end(cv, y, l->name_end, l->bar_x);
}

void flatpane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct treeview *tv = p->tv;
	const struct layout l = flatpane_lay_out(tv, &p->look, cv->w);
	const int idle = view_idle_lines(p);

	for (int i = 0; i < cv->h - idle && tv->top + (size_t)i < tv->rows.n; i++)
		flatpane_draw_row(tv, &p->look, cv, &l, tv->top + (size_t)i, i, s);
	if (!tv->rows.n)
		pane_common_all_idle(cv, cv->h - idle);
	if (idle)
		flatpane_idle(p, cv, &l, cv->h - 1);
}

static struct pane_heads flatpane_heads(const struct layout *l)
{
	struct pane_heads h = { 0 };

	for (int c = 0; c < FLAT_COLUMNS; c++)
		pane_common_add_head(&h, l->at.x[c], l->at.cols[c], l->column[c].head, column_sort[c]);
	return h;
}

void flatpane_rule(const struct pane *p, struct canvas *cv, const char *title)
{
	const struct layout l = flatpane_lay_out(p->tv, &p->look, cv->w);
	const struct pane_heads heads = flatpane_heads(&l);
	const bool by_change = p->tv->base && treeview_own_order(p->tv);

	pane_common_rule_heads(cv, l.name_end, title, &heads, &p->look.set, p->tv->sort, by_change);
	if (p->tv->base)
		basecells_heads(&l.base, p->tv->base, cv, 0, by_change);
}

enum sort_by flatpane_head_at(const struct pane *p, int x)
{
	const struct layout l = flatpane_lay_out(p->tv, &p->look, p->at.w);
	const struct pane_heads heads = flatpane_heads(&l);

	return pane_common_head_at(&heads, x);
}

/* What is said of row NODE beside its name and place. */
static void flatpane_figures(const struct pane *p, uint32_t node, const struct tree *row, struct text_builder *ret)
{
	const struct flatlist *list = flatpane_list(p->tv);
	const double whole = (double)flatpane_scale(list, &p->look).whole_ns;
	const struct flat_row *r = &list->row[node];
	char self[UNITS_MAX], total[UNITS_MAX];

	if (p->tv->base) {
		basecells_words(p->tv->base, node, ret);
		return;
	}
	if (tree_no_table(row, 0))
		text_builder_put(ret, "no unwind table" TEXT_BUILDER_DOT);
	text_builder_put(ret, "self %s" TEXT_BUILDER_DOT "total %s",
			 units_percent(self, whole > 0 ? (double)r->self_ns / whole : 0),
			 units_percent(total, whole > 0 ? (double)r->total_ns / whole : 0));
}

/* "name . place . self x % . total y %" cut to what fits, and the row at the right. */
void flatpane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const uint32_t node = treeview_node(p->tv);
	char label[LABEL_MAX], place[LABEL_MAX], figures[128];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	struct tree_node one;
	struct tree row;
	int room;

	if (node == NODE_NONE)
		return;
	row = outline_as_tree(p->tv->list, node, &one);
	flatpane_figures(p, node, &row, &words);
	tree_line(&row, 0, place, sizeof(place));
	pane_common_say_stripped(&row, 0, cv->w, place, sizeof(place));
	room = pane_common_status_room(p->tv, cv, y, place, figures);
	pane_common_status(cv, y, room, treeview_label(p->tv, node, label, sizeof(label)), place, figures);
}

/* The rows */

const struct flatlist *flatpane_of(const struct built *b)
{
	return b->model;
}

static struct outline *flatpane_outline(const struct flatlist *l)
{
	struct outline *o = outline_new(l->dict, l->names, &l->query);

	for (uint32_t i = 0; o && i < l->n; i++) {
		const struct flat_row *r = &l->row[i];
		struct outline_row row = { .key = r->key, .weight = r->total_ns, .kind = r->kind, .place = r->place };

		if (r->kind == NODE_FUNC)
			row.func = r->func;
		else
			row.frame = r->frame;
		outline_add(o, i ? 0 : NODE_NONE, row);
	}
	return outline_whole(o);
}

void flatpane_take(struct built *b, struct flatlist *list)
{
	b->model = list;
	b->list = list ? flatpane_outline(list) : NULL;
	if (list && !b->list)
		err_nomem(&b->err, "the list");
}

void flatpane_question(struct query *q)
{
	const struct query all = *q;

	pane_list_question(q);
	q->hide_kernel = all.hide_kernel;
	q->hide_libraries = all.hide_libraries;
	q->scripts = all.scripts;
	q->short_names = all.short_names;
}

bool flatpane_derives(struct query *q)
{
	q->group_by = GROUP_NONE;
	q->by_node = false;
	return !q->inverted && !q->fold_recursion && !q->holders;
}

void flatpane_drop(struct built *b)
{
	flatlist_free(b->model);
}

static char *flatpane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return flatlist_label(flatpane_list(tv), node, dst, size);
}

static uint64_t flatpane_value(const struct treeview *tv, uint32_t node, enum sort_by sort)
{
	const struct flat_row *r = &flatpane_list(tv)->row[node];

	return sort == SORT_SELF ? r->self_ns : r->self.ns[sort_place(sort)];
}

const struct treeview_ops flatpane_lines = { .label = flatpane_label, .value = flatpane_value };
