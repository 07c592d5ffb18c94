/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapane.c - lines of the view by node: where names, figures and the columns of nodes stand.
 *
 * Each part lays its columns out for itself, because they say different things; what there is no room for leaves by its rank. The
 * columns of nodes are at the right end, the same ones for all parts, so that the eye can follow a node down the screen.
 */
#include "config.h"

#include "ui/panes/numapane.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/panes/numapane_private.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS_MAX 10u
#define NODE_NAME 13             /* columns that indentation and name of a node need at least, */
#define NODE_COLS 43             /* and its figures beside which there may be columns of nodes */
#define NODE_COLS_ALL 60         /* all of them */
#define MATRIX_NAME 17           /* the same for the matrix */
#define MATRIX_COLS 8
#define ROW_NAME_MIN 14          /* columns for the name in other parts: at least, */
#define ROW_NAME_MAX 28          /* and so many before there are further figures */
#define ROW_COLS 27              /* figures there beside which there may be columns of nodes */
#define NAME_LEAST 8             /* columns that indentation leaves to a name, and figures to both */

/* Where things stand on the lines of one part. */
struct layout {
	const struct numa_column *col[COLUMNS_MAX];
	int x[COLUMNS_MAX];
	unsigned int n;
	int name_end;
	struct numa_cells cells;
};

bool numapane_beside(int w, uint32_t nr)
{
	return (int)nr <= (w - NODE_NAME - NODE_COLS - NUMA_CELLS_GAP) / NUMA_CELL_COLS;
}

/* Columns that names in PART have before other figures than the first take room. */
static int name_cols(enum numa_part part, int w)
{
	const int share = w * 2 / 5;

	if (part == NUMA_PART_NODES || part == NUMA_PART_MATRIX)
		return part == NUMA_PART_NODES ? NODE_NAME : MATRIX_NAME;
	return share < ROW_NAME_MIN ? ROW_NAME_MIN : share > ROW_NAME_MAX ? ROW_NAME_MAX : share;
}

/* Distances stand beside the figures of nodes where these are complete; other parts have columns of the same width then. */
static int most_cols(const struct numaview *nv, enum numa_part part, int w)
{
	const int room = w - NODE_NAME - NODE_COLS_ALL - NUMA_CELLS_GAP;

	if (part == NUMA_PART_MATRIX || !nv->beside)
		return NUMA_DISTANCE_COLS;
	return (int)nv->v->nr_nodes <= room / NUMA_DISTANCE_COLS ? NUMA_DISTANCE_COLS : NUMA_CELL_COLS;
}

static struct numa_cells lay_out_cells(const struct numaview *nv, enum numa_part part, int w)
{
	const bool nodes = part == NUMA_PART_NODES, matrix = part == NUMA_PART_MATRIX;
	const int figures = nodes ? NODE_COLS : matrix ? MATRIX_COLS : ROW_COLS;

	if ((nodes && !nv->beside) || part >= NUMA_PART_PROCESSES || part == NUMA_PART_MOVES)
		return (struct numa_cells){ 0 };
	return numa_cells_for(nv->v->nr_nodes, w - name_cols(part, w) - figures - NUMA_CELLS_GAP, w, most_cols(nv, part, w),
			      nodes || matrix);
}

/* The columns of PART from left to right; returns how wide they are. */
static int collect_columns(const struct numaview *nv, enum numa_part part, struct layout *l)
{
	const unsigned int when = numaview_is_one(nv->v) ? NUMA_WHEN_ONE : NUMA_WHEN_SEVERAL;
	const struct numa_column *c;
	int sum = 0;
	size_t n;

	c = numa_columns(&n);
	for (size_t i = 0; i < n && l->n < COLUMNS_MAX; i++) {
		if (c[i].part != part || !(c[i].when & when))
			continue;
		l->col[l->n++] = &c[i];
		sum += c[i].cols;
	}
	return sum;
}

/* Takes the least important column out of L; returns how wide it was. */
static int drop_column(struct layout *l)
{
	unsigned int least = 0;
	int cols;

	for (unsigned int i = 1; i < l->n; i++) {
		if (l->col[i]->rank > l->col[least]->rank)
			least = i;
	}
	cols = l->col[least]->cols;
	memmove(&l->col[least], &l->col[least + 1], (--l->n - least) * sizeof(l->col[0]));
	return cols;
}

static struct layout numapane_lay_out(const struct numaview *nv, enum numa_part part, int w)
{
	const int name = name_cols(part, w);
	struct layout l = { .cells = lay_out_cells(nv, part, w) };
	int end = l.cells.mode ? l.cells.x - NUMA_CELLS_GAP : w;
	int sum = collect_columns(nv, part, &l);

	while (l.n && end - sum < (l.n > 1 ? name : NAME_LEAST))
		sum -= drop_column(&l);
	l.name_end = end - sum;
	for (unsigned int i = 0, x = (unsigned int)l.name_end; i < l.n; x += l.col[i++]->cols)
		l.x[i] = (int)x;
	return l;
}

static int numapane_indent_of(uint32_t depth, int end)
{
	const int indent = (int)depth * LINE_STEP, most = end - LINE_NAME_X - LINE_STEP - NAME_LEAST;

	return indent > most ? (most > 0 ? most : 0) : indent;
}

/* A line that is a table's row; the others are words. */
static bool has_figures(const struct numa_line *l)
{
	return l->level == NUMA_LEVEL_PATH || (l->level == NUMA_LEVEL_ROW && l->part != NUMA_PART_NOTES);
}

/* Whether Q was narrowed to node ID. */
static bool is_chosen(const struct query *q, unsigned int id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	for (uint32_t i = 0; i < q->terms.n; i++) {
		if (q->terms.v[i].what == TERM_NODE && !q->terms.v[i].not && !strcmp(q->terms.v[i].text, text))
			return true;
	}
	return nodeset_has(&q->nodes, id);
}

static enum style numapane_name_style(const struct numaview *nv, const struct numa_line *l, const char *label)
{
	switch (l->level) {
	case NUMA_LEVEL_PART:
		return STYLE_TITLE;
	case NUMA_LEVEL_MORE:
	case NUMA_LEVEL_WORDS:
		return STYLE_FAINT;
	case NUMA_LEVEL_NODE:
		return STYLE_TEXT;
	default:
		break;
	}
	if (l->part == NUMA_PART_NOTES)
		return l->i == NUMA_NOTE_ONE ? STYLE_TEXT : STYLE_WARN;
	if (numaview_node(l) >= 0 && is_chosen(&nv->v->query, nv->v->node[l->i].id))
		return STYLE_MATCH;
	return *label == '[' || *label == '(' ? STYLE_DOUBT : STYLE_TEXT;
}

static void numapane_draw_figures(const struct layout *lay, const struct numaview *nv, const struct numa_line *l,
				  struct canvas *cv, int y)
{
	for (unsigned int i = 0; i < lay->n; i++) {
		struct numa_figure f = { .style = STYLE_TEXT };
		int x;

		if (!*lay->col[i]->head)
			continue;
		lay->col[i]->figure(nv->v, l, &f);
		x = lay->x[i] + lay->col[i]->cols - (int)text_width(f.text, strlen(f.text));
		if (f.doubt)
			canvas_put(cv, x - 1, y, STYLE_DOUBT, "~");
		canvas_put(cv, x, y, (enum style)f.style, f.text);
	}
	numa_cells_draw(&lay->cells, nv, l, cv, y, false);
}

/* What has a colour of its own also under the cursor: bars. */
static void draw_bars(const struct layout *lay, const struct numaview *nv, const struct numa_line *l, struct canvas *cv, int y)
{
	for (unsigned int i = 0; i < lay->n; i++) {
		struct numa_figure f = { .style = STYLE_TEXT };
		struct bar_part part[2];

		if (*lay->col[i]->head)
			continue;
		lay->col[i]->figure(nv->v, l, &f);
		part[0] = (struct bar_part){ (enum style)f.style, f.share };
		part[1] = (struct bar_part){ STYLE_FAINT, f.more };
		canvas_fill(cv, lay->x[i] + 1, y, lay->col[i]->cols - 1, STYLE_TEXT, ' ');
		canvas_bars(cv, lay->x[i] + 1, y, lay->col[i]->cols - 1, part, 2);
	}
	numa_cells_draw(&lay->cells, nv, l, cv, y, true);
}

/* Heads of columns stand in the line above the rows, when these can be seen. */
static void numapane_draw_heads(const struct layout *lay, const struct numaview *nv, enum numa_part part, struct canvas *cv,
				int y)
{
	for (unsigned int i = 0; i < lay->n; i++)
		canvas_put(cv, lay->x[i] + lay->col[i]->cols - (int)strlen(lay->col[i]->head), y, STYLE_FAINT, lay->col[i]->head);
	numa_cells_heads(&lay->cells, nv->v, part, cv, y);
}

/* "21.0 % of 12,400" */
static void share_of_misses(const struct numa_figures *f, char *dst, size_t size)
{
	char share[UNITS_MAX], n[UNITS_MAX];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < MISS_NR; i++)
		sum += f->miss[i];
	snprintf(dst, size, "%s of %s", units_percent(share, f->samples ? (double)sum / (double)f->samples : 0),
		 units_thousands(n, f->samples));
}

/* What stands behind a name: how many rows are hidden there, or where the function is. */
static void draw_behind(const struct treeview *tv, uint32_t node, struct canvas *cv, int x, int y)
{
	const struct numa_line *l = &tv->numa->line[node];
	const struct tree_node *n = &tv->tree->node[node];
	char text[512] = "", count[UNITS_MAX];
	uint32_t rows = n->nr_children;

	if (treeview_more(tv->tree, node) != NODE_NONE)
		rows--;
	if (l->level == NUMA_LEVEL_PLACE)
		tree_line(tv->tree, node, text, sizeof(text));
	else if (l->level == NUMA_LEVEL_PART && !rows)
		snprintf(text, sizeof(text), "none so far");
	else if (l->part == NUMA_PART_MISSES && l->level == NUMA_LEVEL_PART)
		share_of_misses(&tv->numa->v->state->figures, text, sizeof(text));
	else if (l->level == NUMA_LEVEL_PART && !treeview_is_open(tv, node))
		snprintf(text, sizeof(text), "%s", units_thousands(count, rows));
	if (*text)
		canvas_text_cut(cv, x + 2, y, cv->w - x - 2, STYLE_FAINT, text, strlen(text));
}

/* LABEL from X on; of one that says several things those are left out for which there is no room. */
static int numapane_draw_name(const struct numa_line *l, struct canvas *cv, int x, int y, int cols, enum style style,
			      char *label)
{
	char *last;

	while (l->level == NUMA_LEVEL_ROW && (l->part == NUMA_PART_NODES || l->part == NUMA_PART_PROCESSES) &&
	       text_width(label, strlen(label)) > (size_t)(cols > 0 ? cols : 0) && (last = strrchr(label, '\xB7')))
		last[-2] = '\0';         /* the dot has two bytes, and a blank before it */
	return pane_common_list(cv, x, y, cols, style, label);
}

static void numapane_draw_row(const struct treeview *tv, const struct layout *lay, struct canvas *cv, size_t i, int y,
			      const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct numaview *nv = tv->numa;
	const struct numa_line *l = &nv->line[row->node];
	const bool heads = l->level == NUMA_LEVEL_PART && tv->tree->node[row->node].first_child != NODE_NONE &&
			   treeview_is_open(tv, row->node);
	const int end = heads || has_figures(l) ? lay->name_end : cv->w;
	const int x = LINE_NAME_X + numapane_indent_of(row->depth, end) + LINE_STEP;
	char label[LABEL_MAX];
	int used;

	pane_common_fold(tv, cv, x - LINE_STEP, y, row->node);
	treeview_label(tv, row->node, label, sizeof(label));
	used = numapane_draw_name(l, cv, x, y, end - x, numapane_name_style(nv, l, label), label);
	pane_common_matches(cv, x, y, used, s, label);
	if (heads)
		numapane_draw_heads(lay, nv, (enum numa_part)l->part, cv, y);
	else if (has_figures(l))
		numapane_draw_figures(lay, nv, l, cv, y);
	else
		draw_behind(tv, row->node, cv, x + used, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, cv->w);
	if (has_figures(l))
		draw_bars(lay, nv, l, cv, y);
}

void numapane_rows(const struct treeview *tv, struct canvas *cv, int y, int lines, const struct search *s)
{
	struct layout lay[NUMA_PARTS];

	if (!tv->numa)
		return;
	for (unsigned int p = 0; p < NUMA_PARTS; p++)
		lay[p] = numapane_lay_out(tv->numa, (enum numa_part)p, cv->w);
	for (int i = 0; i < lines && tv->top + (size_t)i < tv->rows.n; i++) {
		const size_t row = tv->top + (size_t)i;

		numapane_draw_row(tv, &lay[tv->numa->line[tv->rows.v[row].node].part], cv, row, y + i, s);
	}
}

bool numapane_on_mark(const struct treeview *tv, int w, int x, int y)
{
	const size_t row = tv->top + (size_t)(y < 0 ? 0 : y);
	const struct numa_line *l;
	struct layout lay;
	int mark;

	if (!tv->numa || row >= tv->rows.n)
		return false;
	l = &tv->numa->line[tv->rows.v[row].node];
	lay = numapane_lay_out(tv->numa, (enum numa_part)l->part, w);
	mark = LINE_NAME_X + numapane_indent_of(tv->rows.v[row].depth, has_figures(l) ? lay.name_end : w);
	return x >= mark && x < mark + LINE_STEP;
}

size_t numapane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = tv->top; tv->numa && i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const uint32_t node = tv->rows.v[i].node;
		stack_id at = numaview_stack(tv->numa, &tv->numa->line[node]);

		if (at == STACK_ROOT && tv->tree->node[node].place != ID_NONE && n < max)
			ret[n++] = tv->tree->node[node].place;
		for (size_t f = 0; f < max / (size_t)lines && at != STACK_ROOT && n < max; f++) {
			const struct stack *s = dict_get_stack(tv->numa->v->dict, at);

			ret[n++] = s->frame;
			at = s->parent;
		}
	}
	return n;
}
