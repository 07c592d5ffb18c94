/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treepane.c - lines of the tree: cursor, indentation, name, columns.
 *
 * Columns stand at the right at fixed places; which ones there are depends on the width alone. Names get the rest and lose
 * their middle when they are too long. Indentation grows with depth only as far as it leaves room for names: deeper down
 * the whole tree is shifted left, by as much as the line under the cursor needs.
 */
#include "config.h"

#include "ui/treepane.h"

#include "base/text.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

#define PERCENT_COLS 9
#define BAR_COLS 9               /* a blank and eight columns of bar */
#define NAME_MIN 12              /* columns that indentation leaves to a name */
#define STEP 2                   /* columns a level */
#define MARK_OPEN 0x25BE
#define MARK_CLOSED 0x25B8
#define MARK_CURSOR 0x258C
#define RULE 0x2500
#define FAINT_SHARE 0.005

/* Where things stand on a line of W columns. */
struct layout {
	int name_x, name_end;            /* the indented names */
	int self_x, total_x, bar_x;      /* 0 = no such column; percentages end at x + percent_cols */
	int percent_cols;
	int shift;                       /* levels that indentation leaves out */
};

static struct layout lay_out(const struct treeview *tv, int w)
{
	struct layout l = { .name_x = 2, .percent_cols = w >= 30 ? PERCENT_COLS : 6 };
	const bool inverted = tv->tree && tv->tree->query.inverted;
	int end = w, room, depth;

	if (w >= 56)
		l.bar_x = (end -= BAR_COLS) + 1;
	if (w >= 14)
		l.total_x = end -= l.percent_cols;
	if (w >= 36 && !inverted)
		l.self_x = end -= l.percent_cols;
	l.name_end = end;
	room = l.name_end - l.name_x - 2;
	depth = tv->rows.n ? (int)(tv->rows.v[tv->cursor].depth < 100000 ? tv->rows.v[tv->cursor].depth : 100000) : 0;
	room = room > NAME_MIN ? room - NAME_MIN : 0;
	/* In steps of half the room, so that moving a line up or down does not move everything sideways. */
	if (depth * STEP > room)
		l.shift = room >= 2 * STEP ? ((depth * STEP - room) / (room / 2) + 1) * (room / 2 / STEP) : depth;
	return l;
}

static int indent_of(const struct layout *l, uint32_t row_depth)
{
	const int depth = row_depth < 100000 ? (int)row_depth : 100000;
	const int indent = depth > l->shift ? (depth - l->shift) * STEP : 0;
	const int most = l->name_end - l->name_x - 2 - NAME_MIN;

	return indent > most ? (most > 0 ? most : 0) : indent;
}

static void draw_percent(struct canvas *cv, int x, int y, int cols, uint64_t part, uint64_t whole)
{
	char text[UNITS_MAX];
	const double share = whole ? (double)part / (double)whole : 0;
	const enum style style = share < FAINT_SHARE ? STYLE_FAINT : STYLE_TEXT;
	size_t len;

	if (!part) {
		canvas_put(cv, x + cols - (cols < PERCENT_COLS ? 1 : 3), y, STYLE_FAINT, "\xC2\xB7");
		return;
	}
	units_percent(text, share);
	len = strlen(text);
	if (cols < PERCENT_COLS && len > 2)
		text[len -= 2] = '\0';
	canvas_put(cv, x + cols - (int)len, y, style, text);
}

static void mark_matches(struct canvas *cv, int x, int y, int cols, const struct search *s, const char *label)
{
	size_t len;
	const char *at = label;

	while ((at = search_in(s, at, &len))) {
		const int from = (int)text_width(label, (size_t)(at - label));
		const int n = (int)text_width(at, len);

		if (from + n <= cols)
			canvas_restyle(cv, x + from, y, n, STYLE_MATCH);
		at += len;
	}
}

static const char *tag_of(const struct tree *t, uint32_t node)
{
	const char *suffix = tree_suffix(t, node);

	return *suffix == '_' ? suffix + 1 : suffix;
}

static void draw_name(const struct treeview *tv, struct canvas *cv, const struct layout *l, const struct tree_row *row, int y,
		      const struct search *s)
{
	const struct tree_node *n = &tv->tree->node[row->node];
	const char *tag = tag_of(tv->tree, row->node);
	const int tag_cols = *tag ? (int)strlen(tag) + 1 : 0;
	int x = l->name_x + indent_of(l, row->depth), used;
	enum style style = n->kind == NODE_GROUP ? STYLE_TITLE : n->kind == NODE_ADDR ? STYLE_DOUBT : STYLE_TEXT;
	char label[LABEL_MAX];

	if (n->first_child != NODE_NONE)
		canvas_fill(cv, x, y, 1, STYLE_FAINT, treeview_is_open(tv, row->node) ? MARK_OPEN : MARK_CLOSED);
	x += 2;
	tree_label(tv->tree, row->node, label, sizeof(label));
	if (*label == '[' || *label == '(')
		style = n->kind == NODE_FUNC ? STYLE_DOUBT : style;
	used = canvas_text_cut(cv, x, y, l->name_end - x - tag_cols, style, label, strlen(label));
	if (s)
		mark_matches(cv, x, y, used, s, label);
	if (tag_cols && used > 0)
		canvas_put(cv, x + used + 1, y, STYLE_FAINT, tag);
}

static void draw_row(const struct treeview *tv, struct canvas *cv, const struct layout *l, size_t i, int y, const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct tree_node *n = &tv->tree->node[row->node];
	const uint64_t whole = tv->tree->node[0].total_ns;

	draw_name(tv, cv, l, row, y, s);
	if (l->self_x)
		draw_percent(cv, l->self_x, y, l->percent_cols, n->self_ns, whole);
	if (l->total_x)
		draw_percent(cv, l->total_x, y, l->percent_cols, n->total_ns, whole);
	if (i == tv->cursor) {
		canvas_restyle(cv, 0, y, l->bar_x ? l->bar_x - 1 : cv->w, STYLE_CURSOR);
		canvas_fill(cv, 0, y, 1, STYLE_TEXT, MARK_CURSOR);
	}
	if (l->bar_x)
		canvas_bar(cv, l->bar_x, y, BAR_COLS - 1, STYLE_RUNNING, whole ? (double)n->total_ns / (double)whole : 0);
}

void treepane_rows(const struct treeview *tv, struct canvas *cv, int y, int lines, const struct search *s)
{
	const struct layout l = lay_out(tv, cv->w);

	for (int i = 0; i < lines && tv->top + (size_t)i < tv->rows.n; i++)
		draw_row(tv, cv, &l, tv->top + (size_t)i, y + i, s);
}

/* The weight of an inverted tree is the self time of its roots, split among their callers: there is no other column. */
static void draw_head(struct canvas *cv, int x, int y, int cols, const char *head, bool sorted)
{
	const int w = (int)strlen(head) + (sorted ? 1 : 0);

	canvas_fill(cv, x + cols - w - 1, y, w + 2, STYLE_FAINT, ' ');
	if (sorted)
		canvas_put(cv, x + cols - w, y, STYLE_TITLE, "\xE2\x86\x93");
	canvas_put(cv, x + cols - (int)strlen(head), y, sorted ? STYLE_TITLE : STYLE_FAINT, head);
}

void treepane_rule(const struct treeview *tv, struct canvas *cv, int y, const char *title)
{
	const struct layout l = lay_out(tv, cv->w);
	int used;

	canvas_fill(cv, 0, y, cv->w, STYLE_FAINT, RULE);
	used = canvas_text_cut(cv, 3, y, l.name_end - 6, STYLE_TITLE, title, strlen(title));
	if (used > 0) {
		canvas_fill(cv, 2, y, 1, STYLE_FAINT, ' ');
		canvas_fill(cv, 3 + used, y, 1, STYLE_FAINT, ' ');
	}
	if (l.self_x)
		draw_head(cv, l.self_x, y, l.percent_cols, "self", tv->sort == SORT_SELF);
	if (l.total_x)
		draw_head(cv, l.total_x, y, l.percent_cols, tv->tree && tv->tree->query.inverted ? "self" : "total",
			  tv->sort == SORT_TOTAL);
}

/* "name . place . self x % . y % of its parent" cut to what fits, and the row at the right. */
void treepane_status(const struct treeview *tv, struct canvas *cv, int y)
{
	const uint32_t node = treeview_node(tv);
	const struct tree_node *n, *parent;
	char label[LABEL_MAX], line[LABEL_MAX], rows[3 * UNITS_MAX], a[UNITS_MAX], b[UNITS_MAX], figures[128];
	int room, used;

	if (node == NODE_NONE)
		return;
	n = &tv->tree->node[node];
	parent = &tv->tree->node[n->parent];
	units_thousands(a, tv->cursor + 1);
	units_thousands(b, tv->rows.n);
	snprintf(rows, sizeof(rows), cv->w >= 60 ? "%s of %s rows" : "%s/%s", a, b);
	room = cv->w - 3 - (int)strlen(rows);
	canvas_put(cv, cv->w - 1 - (int)strlen(rows), y, STYLE_FAINT, rows);
	units_percent(a, tv->tree->node[0].total_ns ? (double)n->self_ns / (double)tv->tree->node[0].total_ns : 0);
	units_percent(b, parent->total_ns ? (double)n->total_ns / (double)parent->total_ns : 0);
	tree_line(tv->tree, node, line, sizeof(line));
	if (tv->tree->query.inverted)
		snprintf(figures, sizeof(figures), "%s of its parent", b);
	else
		snprintf(figures, sizeof(figures), "self %s \xC2\xB7 %s of its parent", a, b);
	tree_label(tv->tree, node, label, sizeof(label));
	used = (int)text_width(figures, strlen(figures)) + 3;
	if (room < used + NAME_MIN)
		used = 0;
	if (*line && text_width(line, strlen(line)) + 3 + NAME_MIN <= (size_t)(room > used ? room - used : 0))
		used += (int)text_width(line, strlen(line)) + 3;
	else
		*line = '\0';
	room = 1 + canvas_text_cut(cv, 1, y, room - used, STYLE_TITLE, label, strlen(label));
	if (*line) {
		room += canvas_put(cv, room, y, STYLE_FAINT, " \xC2\xB7 ");
		room += canvas_put(cv, room, y, STYLE_TEXT, line);
	}
	if (used && cv->w >= 40) {
		room += canvas_put(cv, room, y, STYLE_FAINT, " \xC2\xB7 ");
		canvas_put(cv, room, y, STYLE_TEXT, figures);
	}
}

bool treepane_on_mark(const struct treeview *tv, int w, int x, int y)
{
	const struct layout l = lay_out(tv, w);
	const size_t row = tv->top + (size_t)(y < 0 ? 0 : y);

	return row < tv->rows.n && x >= l.name_x + indent_of(&l, tv->rows.v[row].depth) &&
	       x <= l.name_x + indent_of(&l, tv->rows.v[row].depth) + 1;
}
