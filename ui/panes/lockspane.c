/* SPDX-License-Identifier: BSD-2-Clause */
/* lockspane.c - draws the pane of locks: who made others wait. Deadlocks come first, and have no figures. */
#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "query/lockcolumns.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/locksview.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <string.h>

static const struct locksview *lockspane_of(const struct treeview *tv)
{
	return tv->model;
}

static struct list_layout lockspane_lay_out(int w)
{
	return listcolumns_lay_out(lock_columns, LOCK_COLUMNS, w, w);
}

static enum style lockspane_style(const struct locksview *lv, uint32_t node)
{
	switch (lv->line[node].level) {
	case LOCKS_LEVEL_DEADLOCK:
	case LOCKS_LEVEL_LINK:
	case LOCKS_LEVEL_CONVOY:
	case LOCKS_LEVEL_INVERSION:
		return STYLE_ALERT;
	case LOCKS_LEVEL_LOCK:
		return STYLE_TITLE;
	case LOCKS_LEVEL_NOW:
		return STYLE_BLOCKED;
	case LOCKS_LEVEL_HOLDER:
	case LOCKS_LEVEL_PLACE:
		return STYLE_TEXT;
	default:
		return STYLE_FAINT;
	}
}

static void lockspane_draw_row(const struct treeview *tv, struct canvas *cv, const struct list_layout *l, size_t i,
			       int y, const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct locksview *lv = lockspane_of(tv);
	struct lock_row figures;
	const bool has = locksview_figures(lv, row->node, &figures);
	const int end = has ? l->name_end : cv->w;
	const int x = LINE_NAME_X + pane_common_indent(row->depth, end) + LINE_STEP;
	char label[LABEL_MAX];
	int used;

	pane_common_fold(tv, cv, x - LINE_STEP, y, row->node);
	treeview_label(tv, row->node, label, sizeof(label));
	used = pane_common_list(cv, x, y, end - x, lockspane_style(lv, row->node), label);
	pane_common_matches(cv, x, y, used, s, label);
	if (has)
		listcolumns_draw(lock_columns, LOCK_COLUMNS, l, &figures, STYLE_BLOCKED, cv, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, cv->w);
}

static void lockspane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct list_layout l = lockspane_lay_out(cv->w);
	const struct treeview *tv = p->tv;

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		lockspane_draw_row(tv, cv, &l, tv->top + (size_t)i, i, s);
}

static void lockspane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct locksview *lv = p->built->model;
	const struct list_layout l = lockspane_lay_out(cv->w);
	char title[TITLE_MAX];

	pane_common_rule(cv, 0, l.name_end, title_locks(&p->built->job.query, lv->locks, lv->deadlocks, v->options,
							title, sizeof(title)));
	listcolumns_heads(lock_columns, LOCK_COLUMNS, &l, cv, 0, LOCK_COLUMN_TOTAL);
}

/* The figures of the row, of which a pane of few columns leaves some out. */
static void lockspane_put_figures(const struct lock_row *r, struct text_builder *ret)
{
	for (size_t c = 0; c < LOCK_COLUMNS; c++) {
		const struct list_figure f = lock_columns[c].figure(r);
		char text[UNITS_MAX];

		if (f.unit != LIST_NONE)
			text_builder_put(ret, "%s%s %s", ret->n ? TEXT_BUILDER_DOT : "", list_figure_text(&f, text),
					 lock_columns[c].text_head);
	}
}

/* The name of what is under the cursor, its figures, and which row it is. */
static void lockspane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX], figures[256], place[1] = "";
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	struct lock_row r;
	int room;

	if (node == NODE_NONE)
		return;
	if (locksview_figures(lockspane_of(tv), node, &r))
		lockspane_put_figures(&r, &words);
	treeview_label(tv, node, label, sizeof(label));
	room = pane_common_status_room(tv, cv, y, place, figures);
	pane_common_status(cv, y, room, label, place, figures);
}

static bool lockspane_on_mark(const struct pane *p, int x, int line)
{
	return pane_common_on_mark(p->tv, x, line, p->at.w);
}

/* The frames of the paths on the screen: their names come first. */
static size_t lockspane_frames(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	const struct treeview *tv = p->tv;
	const struct locksview *lv = lockspane_of(tv);
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const uint32_t node = tv->rows.v[i].node;

		if (tv->list->row[node].place != ID_NONE && n < max)
			ret[n++] = tv->list->row[node].place;
		n = pane_common_frames(lv->locks->dict, locksview_stack(lv, node), max / (size_t)lines, ret, n, max);
	}
	return n;
}

static bool lockspane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	const struct locksview *lv = lockspane_of(tv);
	const thread_id thread = locksview_thread(lv, node);
	const stack_id stack = locksview_stack(lv, node);
	char label[LABEL_MAX];
	struct tree_node place;
	struct tree one;

	if (lv->line[node].level == LOCKS_LEVEL_PLACE) {
		one = outline_as_tree(lv->rows, node, &place);
		return rowfilter_node(t, &one, 0);
	}
	if (thread != ID_NONE)
		return rowfilter_thread(t, lv->locks->dict, thread);
	return stack != STACK_ROOT &&
		rowfilter_path(t, locks_stack_label(lv->locks, stack, locksview_takes(lv, node), label, sizeof(label)));
}

static char *lockspane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return locksview_label(lockspane_of(tv), node, dst, size);
}

/* A path whose functions are rows is found by these. */
static bool lockspane_path(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret)
{
	const struct locksview *lv = lockspane_of(tv);

	if (lv->line[node].level == LOCKS_LEVEL_PLACE)
		return false;
	locksview_head(lv, node, dst, size);
	*ret = (struct row_path){ 0 };
	if (lv->line[node].level == LOCKS_LEVEL_LOCK || tv->list->row[node].first_child == NODE_NONE)
		ret->stack = locks_stack_first(lv->locks, locksview_stack(lv, node), locksview_takes(lv, node),
					       &ret->first);
	return true;
}

static const struct treeview_ops lockspane_lines = {
	.label = lockspane_label, .path = lockspane_path, .label_places = true,
};

/* The pane */

static void lockspane_build(struct built *b, const struct names *names)
{
	struct locks *locks = NULL;
	struct locksview *lv;

	if (locks_build(b->snapshot, names, &b->job.query, &locks, &b->err) < 0)
		return;
	lv = locksview_new(locks);
	if (!lv) {
		err_nomem(&b->err, "the list of locks");
		return;
	}
	b->model = lv;
	b->list = lv->rows;
}

static void lockspane_drop(struct built *b)
{
	locksview_free(b->model);
	b->list = NULL;          /* a part of that */
}

static const char *lockspane_nothing(const struct pane *p)
{
	(void)p;
	return "No thread has waited for a lock.";
}

const struct pane_ops pane_locks = {
	.weight = 2,
	.question = pane_list_question,
	.build = lockspane_build,
	.drop = lockspane_drop,
	.lines = &lockspane_lines,
	.rule = lockspane_rule,
	.rows = lockspane_rows,
	.status = lockspane_status,
	.nothing = lockspane_nothing,
	.frames = lockspane_frames,
	.on_mark = lockspane_on_mark,
	.here = lockspane_here,
};
