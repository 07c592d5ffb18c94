/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapane.c - draws the view by node: names, figures, and the columns of nodes.
 *
 * Each part lays its columns out for itself, because they say different things; what there is no
 * room for leaves by its rank. The columns of nodes are at the right end, the same ones for all
 * parts, so that the eye can follow a node down the screen.
 */
#include "config.h"

#include "ui/panes/numapane.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/panes/numapane_private.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

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
#define COUNT_IN_FULL 100000u    /* counts from here on are rounded, */
#define RATE_IN_TENTHS 9.95      /* and rates are whole numbers */

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

/*
 * Distances stand beside the figures of nodes where these are complete; other parts have columns of
 * the same width then.
 */
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
	return numa_cells_for(nv->v->nr_nodes, w - name_cols(part, w) - figures - NUMA_CELLS_GAP, w,
			      most_cols(nv, part, w), nodes || matrix);
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
		if (c[i].part != part || !c[i].cols || !(c[i].when & when))
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

static const enum style tone_style[] = {
	[LIST_TONE_PLAIN] = STYLE_TEXT, [LIST_TONE_RUNNING] = STYLE_RUNNING, [LIST_TONE_RUNNABLE] = STYLE_RUNNABLE,
	[LIST_TONE_FAR] = STYLE_FAR, [LIST_TONE_DOUBT] = STYLE_DOUBT,
};

/* F as text that fits into any column. Returns DST. */
static char *numapane_brief(const struct list_figure *f, char dst[UNITS_MAX])
{
	const double rate = f->unit == LIST_RATE ? list_figure_rate(f) : 0;

	if (f->unit == LIST_COUNT && f->value >= COUNT_IN_FULL)
		return units_count(dst, f->value);
	return rate >= RATE_IN_TENTHS ? units_count(dst, (uint64_t)(rate + 0.5)) : list_figure_text(f, dst);
}

static void numapane_draw_figure(const struct list_figure *f, struct canvas *cv, int x, int y, int cols)
{
	char text[UNITS_MAX];

	if (f->unit == LIST_NONE) {
		canvas_put(cv, x + cols - 1, y, STYLE_FAINT, "\xC2\xB7");
		return;
	}
	numapane_brief(f, text);
	x += cols - (int)text_width(text, strlen(text));
	if (f->doubt)
		canvas_put(cv, x - 1, y, STYLE_DOUBT, "~");
	canvas_put(cv, x, y, f->unit == LIST_WORD ? STYLE_FAINT : tone_style[f->tone], text);
}

static void numapane_draw_figures(const struct layout *lay, const struct numaview *nv, const struct numa_line *l,
				  struct canvas *cv, int y)
{
	const struct numa_row row = numapane_row(nv->v, l);

	for (unsigned int i = 0; i < lay->n; i++) {
		const struct list_figure f = lay->col[i]->figure(&row);

		if (f.unit != LIST_BAR)
			numapane_draw_figure(&f, cv, lay->x[i], y, lay->col[i]->cols);
	}
	numa_cells_draw(&lay->cells, nv, l, cv, y, false);
}

/* What has a colour of its own also under the cursor: bars. */
static void draw_bars(const struct layout *lay, const struct numaview *nv, const struct numa_line *l,
		      struct canvas *cv, int y)
{
	const struct numa_row row = numapane_row(nv->v, l);

	for (unsigned int i = 0; i < lay->n; i++) {
		struct list_figure f;
		struct bar_part part[2];
		double each;

		if (*lay->col[i]->head)
			continue;
		f = lay->col[i]->figure(&row);
		each = f.whole ? 1 / (double)f.whole : 0;
		part[0] = (struct bar_part){ tone_style[f.tone], (double)f.value * each };
		part[1] = (struct bar_part){ STYLE_FAINT, (double)f.more * each };
		canvas_fill(cv, lay->x[i] + 1, y, lay->col[i]->cols - 1, STYLE_TEXT, ' ');
		canvas_bars(cv, lay->x[i] + 1, y, lay->col[i]->cols - 1, part, 2);
	}
	numa_cells_draw(&lay->cells, nv, l, cv, y, true);
}

/* Heads of columns stand in the line above the rows, when these can be seen. */
static void numapane_draw_heads(const struct layout *lay, const struct numaview *nv, enum numa_part part,
				struct canvas *cv, int y)
{
	for (unsigned int i = 0; i < lay->n; i++)
		canvas_put(cv, lay->x[i] + lay->col[i]->cols - (int)strlen(lay->col[i]->head), y, STYLE_FAINT,
			   lay->col[i]->head);
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
	const struct numa_line *l = &numapane_of(tv)->line[node];
	char text[512] = "", count[UNITS_MAX];
	uint32_t rows = tv->list->row[node].nr_children;

	if (treeview_more(tv, node) != NODE_NONE)
		rows--;
	if (l->level == NUMA_LEVEL_PLACE)
		numaview_place_line(numapane_of(tv), node, text, sizeof(text));
	else if (l->level == NUMA_LEVEL_PART && !rows)
		snprintf(text, sizeof(text), "none so far");
	else if (l->part == NUMA_PART_MISSES && l->level == NUMA_LEVEL_PART)
		share_of_misses(&numapane_of(tv)->v->state->figures, text, sizeof(text));
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
	const struct numaview *nv = numapane_of(tv);
	const struct numa_line *l = &nv->line[row->node];
	const bool heads = l->level == NUMA_LEVEL_PART && tv->list->row[row->node].first_child != NODE_NONE &&
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

	if (!numapane_of(tv))
		return;
	for (unsigned int p = 0; p < NUMA_PARTS; p++)
		lay[p] = numapane_lay_out(numapane_of(tv), (enum numa_part)p, cv->w);
	for (int i = 0; i < lines && tv->top + (size_t)i < tv->rows.n; i++) {
		const size_t row = tv->top + (size_t)i;

		numapane_draw_row(tv, &lay[numapane_of(tv)->line[tv->rows.v[row].node].part], cv, row, y + i, s);
	}
}

bool numapane_on_mark(const struct treeview *tv, int w, int x, int y)
{
	const size_t row = tv->top + (size_t)(y < 0 ? 0 : y);
	const struct numa_line *l;
	struct layout lay;
	int mark;

	if (!numapane_of(tv) || row >= tv->rows.n)
		return false;
	l = &numapane_of(tv)->line[tv->rows.v[row].node];
	lay = numapane_lay_out(numapane_of(tv), (enum numa_part)l->part, w);
	mark = LINE_NAME_X + numapane_indent_of(tv->rows.v[row].depth, has_figures(l) ? lay.name_end : w);
	return x >= mark && x < mark + LINE_STEP;
}

size_t numapane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = tv->top; numapane_of(tv) && i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const uint32_t node = tv->rows.v[i].node;
		stack_id at = numaview_stack(numapane_of(tv), &numapane_of(tv)->line[node]);

		if (at == STACK_ROOT && tv->list->row[node].place != ID_NONE && n < max)
			ret[n++] = tv->list->row[node].place;
		for (size_t f = 0; f < max / (size_t)lines && at != STACK_ROOT && n < max; f++) {
			const struct stack *s = dict_get_stack(numapane_of(tv)->v->dict, at);

			ret[n++] = s->frame;
			at = s->parent;
		}
	}
	return n;
}

static bool numapane_pick(struct filter_term *t, const struct numaview *nv, uint32_t node)
{
	const struct numa_line *l = &nv->line[node];
	const int i = numaview_node(l);
	struct tree_node place;
	struct tree one;
	char label[LABEL_MAX];

	if (i >= 0)
		return rowfilter_number(t, TERM_NODE, nv->v->node[i].id);
	if (l->level == NUMA_LEVEL_PLACE) {
		one = outline_as_tree(nv->rows, node, &place);
		return rowfilter_node(t, &one, 0);
	}
	if (l->level != NUMA_LEVEL_ROW)
		return false;
	switch (l->part) {
	case NUMA_PART_FUNCS:
		return rowfilter_name(t, TERM_FUNCTION, numa_func_label(nv->v, l->i, label, sizeof(label)));
	case NUMA_PART_THREADS:
		return rowfilter_thread(t, nv->v->dict, nv->v->thread[l->i].thread);
	case NUMA_PART_PROCESSES:
		return nv->v->state && rowfilter_number(t, TERM_PROCESS, nv->v->state->process.v[l->i].pid);
	default:
		return false;
	}
}

static char *numapane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return numaview_label(numapane_of(tv), node, dst, size);
}

/* A call path without functions as nodes is called by all of them. */
static bool numapane_path(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret)
{
	const stack_id path = numaview_path(numapane_of(tv), node);

	*dst = '\0';
	ret->stack = tv->list->row[node].first_child == NODE_NONE ? path : STACK_ROOT;
	return path != STACK_ROOT;
}

static const struct treeview_ops numapane_lines = {
	.label = numapane_label, .path = numapane_path, .label_places = true, .long_lists = true,
};

/* What had a place beside the nodes stays in sight when it moves below them, unless it was closed there before. */
static void numapane_keep_matrix(struct treeview *tv, const struct numaview *next)
{
	const uint32_t head = numaview_head(next, NUMA_PART_MATRIX);
	const uint64_t key = head == NODE_NONE ? 0 : next->rows->row[head].key;
	const struct numaview *nv = numapane_of(tv);

	if (head != NODE_NONE && tv->touched && nv && nv->beside && folds_get(&tv->folds, key) == FOLD_UNSET)
		folds_set(&tv->folds, key, FOLD_OPEN);
}

/* The pane */

static void numapane_question(struct query *q)
{
	const bool hide_kernel = q->hide_kernel;

	pane_list_question(q);
	q->hide_kernel = hide_kernel;
}

static void numapane_build(struct built *b, const struct names *names)
{
	const struct build_job *job = &b->job;
	const double elapsed = (double)build_elapsed_ns(job) / NSEC_PER_SEC;
	AUTO(numa_view_free) struct numa_view *numa = NULL;
	struct numaview *nv;

	if (numa_view_build(b->snapshot, names, &job->query, &numa, &b->err) < 0)
		return;
	/* Slices are whole seconds: of a short capture the first and the last are longer than what was seen. */
	if (elapsed > 0 && elapsed < numa->seconds)
		numa->seconds = elapsed;
	if (elapsed > 0 && elapsed < numa->sampled_seconds)
		numa->sampled_seconds = elapsed;
	nv = numaview_new(numa, numapane_beside(job->width, numa->nr_nodes), job->live);
	if (!nv) {
		err_nomem(&b->err, "the view by node");
		return;
	}
	take_ptr(numa);
	b->model = nv;
	b->list = nv->rows;
}

static void numapane_drop(struct built *b)
{
	struct numaview *nv = b->model;
	struct numa_view *numa = nv ? (struct numa_view *)nv->v : NULL;

	numaview_free(nv);
	numa_view_free(numa);
	b->list = NULL;          /* a part of that */
}

/* Accesses stand beside the nodes or below them, as the width allows. */
static bool numapane_fits(const struct pane *p)
{
	const struct numaview *nv = p->built ? p->built->model : NULL;
	const uint32_t nr = nv ? nv->v->nr_nodes : 0;

	return !nr || !p->at.h || numapane_beside(p->at.w, nr) == numapane_beside(p->asked_w, nr);
}

static void numapane_shows(struct treeview *tv, const struct built *b)
{
	numapane_keep_matrix(tv, b->model);
}

/* From now on there is something to see here, if that is up to us. */
static void numapane_opened(struct view *v, struct pane *p)
{
	view_begin_sampling(v);
}

static void numapane_draw_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct numaview *nv = p->built->model;
	char title[TITLE_MAX];

	pane_common_rule(cv, 0, cv->w, title_numa(nv->v, cv->w - PANE_COMMON_RULE_COLS, v->options, title,
						  sizeof(title)));
}

static void numapane_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	numapane_rows(p->tv, cv, 0, cv->h, s);
}

static void numapane_draw_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	numapane_status(p->tv, cv, y);
}

static size_t numapane_names(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	return numapane_frames(p->tv, lines, ret, max);
}

/* The index of the node under the cursor; -1 = none. */
static int numapane_node_here(const struct pane *p)
{
	const struct numaview *nv = numapane_of(p->tv);
	const uint32_t node = nv ? treeview_node(p->tv) : NODE_NONE;

	return node == NODE_NONE ? -1 : numaview_node(&nv->line[node]);
}

/* On a node, Enter narrows everything to it, or widens it again. */
static bool numapane_act(struct view *v, struct pane *p, enum action a)
{
	const int i = a == ACT_TOGGLE ? numapane_node_here(p) : -1;
	unsigned int id;

	if (i < 0)
		return false;
	id = numapane_of(p->tv)->v->node[i].id;
	if (view_filter_pick(v, TERM_NODE, id))
		snprintf(v->message, sizeof(v->message),
			 "only what the CPUs of node %u did, in all views: Esc shows all again", id);
	return true;
}

static bool numapane_mark_at(const struct pane *p, int x, int line)
{
	return numapane_on_mark(p->tv, p->at.w, x, line);
}

static bool numapane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	return numapane_pick(t, numapane_of(tv), node);
}

const struct pane_ops pane_numa = {
	.weight = 2,
	.question = numapane_question,
	.build = numapane_build,
	.drop = numapane_drop,
	.fits = numapane_fits,
	.lines = &numapane_lines,
	.shows = numapane_shows,
	.opened = numapane_opened,
	.rule = numapane_draw_rule,
	.rows = numapane_draw,
	.status = numapane_draw_status,
	.frames = numapane_names,
	.act = numapane_act,
	.on_mark = numapane_mark_at,
	.here = numapane_here,
};
