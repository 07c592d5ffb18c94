/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treepane.c - draws panes that show a call tree: cursor, indentation, name, columns.
 *
 * Columns stand at the right at fixed places; which ones there are depends on the width and on what
 * the lines are sorted by. Names get the rest and lose their middle when they are too long.
 * Indentation grows with depth only as far as it leaves room for names, on a narrow screen by one
 * column a level: deeper down the whole tree is shifted left, by as much as the line under the
 * cursor needs.
 */
#include "config.h"

#include "ui/panes/treepane.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "query/funcs.h"
#include "ui/panes/basecells.h"
#include "ui/panes/measurestyle.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

#define PERCENT_COLS PANE_COMMON_PERCENT_COLS
#define BRIEF_COLS 6             /* of a percentage without its sign */
#define BAR_COLS 9               /* a blank and eight columns of bar */
#define NARROW_W 100             /* narrower than this, a level is indented by one column */
#define BEHIND_W 75              /* that has no room for columns behind the third */
#define NAME_COLS 24             /* that indentation leaves to a name where lines are long enough */
#define OPEN_SHARE 2u            /* a line of which 1/OPEN_SHARE is waits that have not ended says so, */
#define OPEN_NS NSEC_PER_SEC     /* when that is long */

enum column {
	COL_SELF, COL_TOTAL,
	/* of wall time; of other measures what stands in these places (measure_set()), as in those behind them */
	COL_RUNNING, COL_RUNNABLE, COL_BLOCKED,
	COL_NR = COL_RUNNING + MEASURES_ASKED
};

static const enum sort_by column_sort[COL_NR] = {
	[COL_SELF] = SORT_SELF, [COL_TOTAL] = SORT_TOTAL, [COL_RUNNING] = SORT_RUNNING, [COL_RUNNABLE] = SORT_RUNNABLE,
	[COL_BLOCKED] = SORT_BLOCKED, [COL_BLOCKED + 1] = SORT_FOURTH, [COL_BLOCKED + 2] = SORT_FIFTH,
	[COL_BLOCKED + 3] = SORT_SIXTH,
};

/* The measure that C is the column of, one that is shown; NULL = that of self or total. */
static const struct measure *treepane_column_measure(const struct tree_look *look, enum column c)
{
	return c < COL_RUNNING ? NULL : measure_column(&look->set, c - COL_RUNNING);
}

static enum style treepane_column_style(const struct tree_look *look, enum column c)
{
	const struct measure *m = treepane_column_measure(look, c);

	return m ? measure_style(m) : STYLE_TEXT;
}

/* Where things stand on a line of W columns. */
struct layout {
	int name_x, name_end;            /* the indented names */
	int x[COL_NR], bar_x;            /* 0 = no such column; percentages end at x + cols */
	int cols;                        /* of a percentage */
	struct basecells base;           /* in place of these where the tree is compared with a baseline */
	int step, indent_max;            /* columns of indentation: a level, and all of them */
	int shift;                       /* levels that indentation leaves out */
	bool bar_head;                   /* the bar says the total, no column does */
};

static bool treepane_shows(const struct tree_look *look, unsigned int place)
{
	return look->kinds & 1u << place;
}

static bool is_inverted(const struct treeview *tv)
{
	return tv->tree && tv->tree->query.inverted;
}

/* Columns from the right for running time alone: which ones depends on the width. */
static int lay_out_plain(struct layout *l, bool inverted, int w)
{
	int end = w;

	l->cols = w >= 30 ? PERCENT_COLS : BRIEF_COLS;
	if (w >= 56)
		l->bar_x = (end -= BAR_COLS) + 1;
	if (w >= 14)
		l->x[COL_TOTAL] = end -= l->cols;
	if (w >= 36 && !inverted)
		l->x[COL_SELF] = end -= l->cols;
	return end;
}

/*
 * The same for several kinds of time: on a narrow screen time in the run queue is the first to have
 * no column of its own, on a very narrow one all kinds share one; what comes behind the third place
 * needs a wide one. Where there is no column for the total, the bar stands for it.
 */
static int lay_out_kinds(struct layout *l, const struct treeview *tv, const struct tree_look *look, int w)
{
	const int kinds = __builtin_popcount(look->kinds), behind = __builtin_popcount(look->kinds >> TIME_NR);
	const bool wide = w >= 110 + behind * PERCENT_COLS;
	int end = w, room = behind;

	l->cols = w >= 56 ? PERCENT_COLS : BRIEF_COLS;
	if (w >= 72)
		l->bar_x = (end -= BAR_COLS) + 1;
	for (unsigned int place = MEASURES_ASKED - 1; place >= TIME_NR; place--)
		if (treepane_shows(look, place) && w >= BEHIND_W + room-- * PERCENT_COLS)
			l->x[COL_RUNNING + (int)place] = end -= l->cols;
	if (treepane_shows(look, TIME_BLOCKED) && (w >= 30 || (w >= 14 && kinds == 1)))
		l->x[COL_BLOCKED] = end -= l->cols;
	if (treepane_shows(look, TIME_RUNNABLE) && (w >= 48 || (w >= 30 && kinds == 2) || (w >= 14 && kinds == 1)))
		l->x[COL_RUNNABLE] = end -= l->cols;
	if (treepane_shows(look, TIME_RUNNING) && (w >= 30 || (w >= 14 && kinds == 1)))
		l->x[COL_RUNNING] = end -= l->cols;
	if (kinds > 1 && (wide || (w >= 14 && w < 30)))
		l->x[COL_TOTAL] = end -= l->cols;
	if (!is_inverted(tv) && w >= 36 && (wide || kinds == 1 || tv->sort == SORT_SELF))
		l->x[COL_SELF] = end -= l->cols;
	l->bar_head = l->bar_x && kinds > 1 && !l->x[COL_TOTAL];
	return end;
}

static int treepane_depth(uint32_t row_depth)
{
	return row_depth < 100000 ? (int)row_depth : 100000;
}

/* Indentation takes at most what is left when names of the line have NAME_COLS, or three fifths of a short line. */
static void treepane_lay_out_indent(struct layout *l, const struct treeview *tv, int w)
{
	const int room = l->name_end - l->name_x - LINE_STEP, most = room * 3 / 5;
	const int name = most > NAME_COLS ? NAME_COLS : most < LINE_NAME_MIN ? LINE_NAME_MIN : most;
	const int depth = tv->rows.n ? treepane_depth(tv->rows.v[tv->cursor].depth) : 0;

	l->step = w < NARROW_W ? 1 : LINE_STEP;
	l->indent_max = room > name ? room - name : 0;
	/* In steps of half the room, so that moving a line up or down does not move everything sideways. */
	if (depth * l->step > l->indent_max)
		l->shift = l->indent_max >= 2 * l->step ?
			((depth * l->step - l->indent_max) / (l->indent_max / 2) + 1) * (l->indent_max / 2 / l->step) :
			depth;
}

static struct layout treepane_lay_out(const struct treeview *tv, const struct tree_look *look, int w)
{
	struct layout l = { .name_x = LINE_NAME_X };

	l.name_end = tv->base ? basecells_lay_out(&l.base, w) :
		     look->kinds ? lay_out_kinds(&l, tv, look, w) :
		     lay_out_plain(&l, is_inverted(tv), w);
	treepane_lay_out_indent(&l, tv, w);
	return l;
}

static int treepane_indent_of(const struct layout *l, uint32_t row_depth)
{
	const int depth = treepane_depth(row_depth), indent = depth > l->shift ? (depth - l->shift) * l->step : 0;

	return indent > l->indent_max ? l->indent_max : indent;
}

/* Names of functions in the tree, titles of groups; what is no name is in doubt. */
static enum style treepane_name_style(const struct tree_node *n, const char *label)
{
	if (n->kind == NODE_GROUP || n->kind == NODE_NUMA || n->kind == NODE_SPAN)
		return STYLE_TITLE;
	return n->kind == NODE_ADDR || n->kind == NODE_HOLDER ||
	       (n->kind == NODE_FUNC && (*label == '[' || *label == '(')) ? STYLE_DOUBT : STYLE_TEXT;
}

/* True when N is for a good part waits that have not ended, for long enough to be worth a word. */
static bool is_waiting(const struct tree_node *n)
{
	return n->open_longest_ns >= (float)OPEN_NS && n->open_ns >= n->total_ns / OPEN_SHARE;
}

/* Says how long N has been waiting, as fully as fits into COLS; returns how many columns it took. */
static int treepane_draw_waiting(const struct tree_node *n, struct canvas *cv, int x, int y, int cols)
{
	static const char *const forms[] = { "still waiting %s", "waits %s", "%s" };
	char text[64], time[UNITS_MAX];

	units_time(time, (uint64_t)n->open_longest_ns);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(text, sizeof(text), forms[i], time);
		if ((int)strlen(text) + 2 <= cols)
			return canvas_put(cv, x + 2, y, STYLE_ALERT, text) + 2;
	}
	return 0;
}

/* Where a path is cut off on screen it says whether it still waits: once, not on each of its lines. */
static bool says_waiting(const struct treeview *tv, const struct tree_row *row)
{
	const struct tree_node *n = &tv->tree->node[row->node];

	return is_waiting(n) && (n->first_child == NODE_NONE || !treeview_is_open(tv, row->node));
}

/*
 * What the line of NODE is called in COLS columns. Where there is no room for all functions of it,
 * the innermost one is whole.
 */
static void treepane_label(const struct treeview *tv, uint32_t node, int cols, char *dst, size_t size)
{
	static const char others[] = "\xE2\x80\xA6 \xE2\x80\xBA ";

	treeview_line_label(tv, node, dst, size);
	if (treeview_line_start(tv, node) == node || text_width(dst, strlen(dst)) <= (size_t)(cols > 0 ? cols : 0))
		return;
	memcpy(dst, others, sizeof(others));
	treeview_label(tv, node, dst + sizeof(others) - 1, size - sizeof(others) + 1);
}

static void treepane_draw_name(const struct treeview *tv, struct canvas *cv, const struct layout *l,
			       const struct tree_row *row, int y, const struct search *s)
{
	const struct tree_node *n = &tv->tree->node[row->node];
	char label[LABEL_MAX], tag[PANE_COMMON_TAG_MAX];
	const int tag_cols = *pane_common_tag(tv->tree, row->node, tag) ? (int)strlen(tag) + 1 : 0;
	int x = l->name_x + treepane_indent_of(l, row->depth), used;

	pane_common_fold(tv, cv, x, y, row->node);
	x += LINE_STEP;
	treepane_label(tv, row->node, l->name_end - x - tag_cols, label, sizeof(label));
	used = canvas_text_cut(cv, x, y, l->name_end - x - tag_cols, treepane_name_style(n, label), label,
			       strlen(label));
	pane_common_matches(cv, x, y, used, s, label);
	if (tag_cols && used > 0)
		used += 1 + canvas_put(cv, x + used + 1, y, STYLE_FAINT, tag);
	if (says_waiting(tv, row))
		treepane_draw_waiting(n, cv, x + used, y, l->name_end - x - used);
}

/* What 100 % is in the columns of totals. */
static uint64_t unit_ns(const struct treeview *tv, const struct tree_look *look)
{
	return look->kinds && measure_set_is_wall(&look->set) ? look->elapsed_ns : tv->tree->node[0].total_ns;
}

/* The same in that of C: parts of wall time are of the time that passed, others of all that there is of them. */
static uint64_t column_whole(const struct treeview *tv, const struct tree_look *look, enum column c)
{
	const struct measure *m = treepane_column_measure(look, c);

	return m && !m->wall ? tree_value(tv->tree, 0, c - COL_RUNNING) : unit_ns(tv, look);
}

static void treepane_draw_figures(const struct treeview *tv, uint32_t node, const struct tree_look *look,
				  struct canvas *cv, const struct layout *l, int y)
{
	const struct tree_node *n = &tv->tree->node[node];
	uint64_t value[COL_NR] = { n->self_ns, n->total_ns };
	const uint64_t runnable_ns = n->value[TIME_RUNNABLE], blocked_ns = n->value[TIME_BLOCKED];
	const bool wall = measure_set_is_wall(&look->set);
	/* Which kind is in doubt is not told: blocked time first, as much as there is. */
	const bool doubt[COL_NR] = { [COL_TOTAL] = n->doubt_ns > n->total_ns / 2,
				     [COL_RUNNABLE] = wall && n->doubt_ns > blocked_ns + runnable_ns / 2,
				     [COL_BLOCKED] = wall && n->doubt_ns > blocked_ns / 2 };

	tree_values(tv->tree, node, &value[COL_RUNNING]);
	if (tv->base)
		basecells_draw(&l->base, tv->base, node, cv, y);
	for (int c = 0; c < COL_NR; c++) {
		if (l->x[c])
			pane_common_percent(cv, l->x[c], y, l->cols,
				      treepane_column_style(look, (enum column)c), value[c],
				      column_whole(tv, look, (enum column)c), doubt[c]);
	}
}

static void treepane_draw_row(const struct treeview *tv, const struct tree_look *look, struct canvas *cv,
			      const struct layout *l, size_t i, int y, const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	uint64_t value[MEASURES_ASKED];

	treepane_draw_name(tv, cv, l, row, y, s);
	treepane_draw_figures(tv, row->node, look, cv, l, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, l->bar_x ? l->bar_x - 1 : cv->w);
	if (!l->bar_x)
		return;
	tree_values(tv->tree, row->node, value);
	pane_common_bar(cv, l->bar_x, y, BAR_COLS - 1, look->kinds ? &look->set : NULL, value,
			tv->tree->node[row->node].total_ns, treeview_work_ns(tv->tree));
}

static void treepane_rows(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int lines,
			  const struct search *s)
{
	const struct layout l = treepane_lay_out(tv, look, cv->w);

	for (int i = 0; i < lines && tv->top + (size_t)i < tv->rows.n; i++)
		treepane_draw_row(tv, look, cv, &l, tv->top + (size_t)i, i, s);
}

static void treepane_idle(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y)
{
	const struct layout l = treepane_lay_out(tv, look, cv->w);

	pane_common_idle(cv, y, l.name_end, tv->tree->idle_threads);
	treepane_draw_figures(tv, treeview_idle(tv->tree), look, cv, &l, y);
	pane_common_idle_end(cv, y, l.name_end, l.bar_x);
}

/* The weight of an inverted tree is the self time of its roots, split among their callers: there is no other column. */
static const char *head_of(const struct treeview *tv, const struct tree_look *look,
			   const struct layout *l, enum column c)
{
	const struct measure *m = treepane_column_measure(look, c);

	if (!m)
		return c == COL_SELF || is_inverted(tv) ? "self" : "total";
	return l->cols < PERCENT_COLS ? m->brief : m->head;
}

static struct pane_heads treepane_heads(const struct treeview *tv, const struct tree_look *look, const struct layout *l)
{
	struct pane_heads h = { 0 };

	for (int c = 0; c < COL_NR; c++)
		pane_common_add_head(&h, l->x[c], l->cols, l->x[c] ? head_of(tv, look, l, (enum column)c) : NULL,
				     column_sort[c]);
	if (l->bar_head)
		pane_common_add_head(&h, l->bar_x, BAR_COLS - 1, head_of(tv, look, l, COL_TOTAL), SORT_TOTAL);
	return h;
}

/*
 * Lines that stand as trees always do need no head that says so. On a narrow screen the column of
 * the order may have no room.
 */
static void treepane_rule(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, const char *title)
{
	const struct layout l = treepane_lay_out(tv, look, cv->w);
	const struct pane_heads heads = treepane_heads(tv, look, &l);

	pane_common_rule_heads(cv, l.name_end, title, &heads, &look->set, tv->sort,
			       treeview_own_order(tv));
	if (tv->base)
		basecells_heads(&l.base, tv->base, cv, 0, treeview_own_order(tv));
}

/* What is said of NODE beside its name and place. */
static void status_figures(const struct treeview *tv, const struct tree_look *look, uint32_t node,
			   struct text_builder *ret)
{
	const struct tree_node *n = &tv->tree->node[node];
	const uint64_t whole = unit_ns(tv, look);
	const uint32_t parent = tv->tree->node[treeview_line_start(tv, node)].parent;
	const uint64_t parent_ns = parent ? tv->tree->node[parent].total_ns : treeview_work_ns(tv->tree);
	char text[UNITS_MAX];

	if (tv->base) {
		basecells_words(tv->base, node, ret);
		return;
	}
	if (tree_no_table(tv->tree, node))
		text_builder_put(ret, "no unwind table" TEXT_BUILDER_DOT);
	if (is_waiting(n))
		text_builder_put(ret, "still waiting %s" TEXT_BUILDER_DOT,
				 units_time(text, (uint64_t)n->open_longest_ns));
	else if (!is_inverted(tv))
		text_builder_put(ret, "self %s" TEXT_BUILDER_DOT,
				 units_percent(text, whole ? (double)n->self_ns / (double)whole : 0));
	text_builder_put(ret, "%s of its parent",
			 units_percent(text, parent_ns ? (double)n->total_ns / (double)parent_ns : 0));
}

/* "name . place . self x % . y % of its parent" cut to what fits, and the row at the right. */
static void treepane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX], place[LABEL_MAX], figures[128];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	int room;

	if (node == NODE_NONE)
		return;
	status_figures(tv, &p->look, node, &words);
	tree_line(tv->tree, node, place, sizeof(place));
	pane_common_say_stripped(tv->tree, node, cv->w, place, sizeof(place));
	room = pane_common_status_room(tv, cv, y, place, figures);
	treepane_label(tv, node, room, label, sizeof(label));
	pane_common_status(cv, y, room, label, place, figures);
}

static bool treepane_on_mark(const struct pane *p, int x, int line)
{
	const struct layout l = treepane_lay_out(p->tv, &p->look, p->at.w);
	const size_t row = p->tv->top + (size_t)(line < 0 ? 0 : line);
	int mark;

	if (row >= p->tv->rows.n)
		return false;
	mark = l.name_x + treepane_indent_of(&l, p->tv->rows.v[row].depth);
	return x >= mark && x < mark + LINE_STEP;
}

static enum sort_by treepane_head_at(const struct pane *p, int x)
{
	const struct layout l = treepane_lay_out(p->tv, &p->look, p->at.w);
	const struct pane_heads heads = treepane_heads(p->tv, &p->look, &l);

	return pane_common_head_at(&heads, x);
}

static void treepane_say_idle(uint64_t idle_ns, char *dst, size_t size)
{
	char time[UNITS_MAX];

	snprintf(dst, size, TEXT_BUILDER_DOT "%s idle hidden", units_time(time, idle_ns));
}

/* So many different stacks that the lightest found no line of their own: said, not hidden. */
static void treepane_say_unsplit(const struct tree *t, char *dst, size_t size)
{
	char share[UNITS_MAX];

	snprintf(dst, size, " \xC2\xB7 %s not split further",
		 units_percent(share, (double)t->cut_ns / (double)(t->node[0].total_ns ? t->node[0].total_ns : 1)));
}

char *treepane_title(const struct view *v, const struct pane *p, char *dst, size_t size)
{
	const struct query *q = p->built ? &p->built->tree->query : &v->query;
	const unsigned int kinds = p->built ? p->look.kinds : title_columns(q, v->header.meta.off_cpu);
	char words[TITLE_MAX], zoom[LABEL_MAX] = "", unsplit[64] = "", idle[64] = "";
	const uint32_t base = p->tv->tree ? treeview_base(p->tv) : 0;
	const uint64_t idle_ns = p->built ? p->built->tree->idle_ns : 0;
	const bool marked = p->tv->base && p->tv->base->diff.norm == DIFF_BY_WALL;

	if (base)
		tree_label(p->tv->tree, base, zoom, sizeof(zoom));
	if (p->built && p->built->tree->cut_ns)
		treepane_say_unsplit(p->built->tree, unsplit, sizeof(unsplit));
	if (idle_ns && !q->fold_idle)
		snprintf(idle, sizeof(idle), TEXT_BUILDER_DOT "with idle");
	else if (idle_ns && pane_is(p, PANE_NO_IDLE_LINE))
		treepane_say_idle(idle_ns, idle, sizeof(idle));
	text_format(dst, size, "%s%s%s%s%s%s", title_tree(q, kinds, v->options, words, sizeof(words)),
		    marked ? TEXT_BUILDER_DOT "against baseline" : "", idle, unsplit,
		    base ? TEXT_BUILDER_DOT "in " : "", zoom);
	return dst;
}

/* The pane */

static void treepane_tree_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const measure_mask measures = v->query.measures ? v->query.measures : MEASURES_WALL;
	const struct tree_look none = { .kinds = title_columns(&v->query, v->header.meta.off_cpu),
					.set = measure_set(measures, v->query.lead) };
	char title[TREE_TITLE_MAX];

	treepane_rule(p->tv, p->built ? &p->look : &none, cv, treepane_title(v, p, title, sizeof(title)));
}

void treepane_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const int idle = view_idle_lines(p);

	if (p->tv->rows.n)
		treepane_rows(p->tv, &p->look, cv, cv->h - idle, s);
	else
		pane_common_all_idle(cv, cv->h - idle);
	if (idle)
		treepane_idle(p->tv, &p->look, cv, cv->h - 1);
}

bool treepane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	return rowfilter_node(t, tv->tree, node);
}

static void treepane_compare(struct built *b, const struct baseline_question *ask)
{
	baseline_tree(ask, &b->baseline, &b->tree, &b->err);
}

void treepane_build(struct built *b, const struct names *names)
{
	tree_build(b->snapshot, names, &b->job.query, &b->tree, &b->err);
}

bool treepane_derives(struct query *q)
{
	return true;
}

void treepane_derive(struct built *b, const struct tree *t)
{
	b->tree = tree_share((struct tree *)t);
}

/* By grouping; inverted ones behind, those by node behind all; what is split by a probe is folded as what is not. */
unsigned int treepane_way(const struct query *q)
{
	return (q->by_node ? 2 * TREE_GROUPS : 0) + (q->inverted ? TREE_GROUPS : 0) + q->group_by;
}

/* Puts the cursor of the tree on the function that is sought, where it takes most. */
static void treepane_shown(struct view *v)
{
	struct treeview *tv = v->pane[PANE_HOME].tv;
	const uint32_t node = v->sought && tv->tree ? func_heaviest(tv->tree, v->sought) : NODE_NONE;

	/* What is sought may be there when the tree counts what was just asked for. */
	if (!v->sought || !tv->tree || tv->tree->query.measures != v->query.measures)
		return;
	v->sought = 0;
	if (node == NODE_NONE) {
		view_say(v, "the tree has too many branches to show this function");
		return;
	}
	treeview_visit(tv, node);
	treeview_settle(tv);
}

static void treepane_twice(struct view *v, struct pane *p)
{
	treeview_zoom(p->tv);
}

const struct pane_ops pane_tree = {
	.traits = PANE_CALL_TREE,
	.weight = 3,
	.kinds = MEASURES_WALL,
	.ways = TREE_WAYS,
	.way = treepane_way,
	.build = treepane_build,
	.derives = treepane_derives,
	.derive = treepane_derive,
	.compare = treepane_compare,
	.shown = treepane_shown,
	.rule = treepane_tree_rule,
	.rows = treepane_draw,
	.status = treepane_status,
	.twice = treepane_twice,
	.on_mark = treepane_on_mark,
	.head_at = treepane_head_at,
	.here = treepane_here,
};
