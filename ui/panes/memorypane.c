/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorypane.c - draws the pane of memory: what is resident and in use over time, then a line for each site that
 * allocates, and below one that is open its verdict, histograms of a column for each power of two,
 * threads and call path.
 */
#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "query/funcs.h"
#include "query/memorycolumns.h"
#include "ui/panes/listcolumns.h"
#include "ui/panes/memoryview.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/rowfilter.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

#define WORD_COLS 12             /* of what a picture is of */

/* What the columns are sorted by when their heads are pressed; there is no order of their errors. */
static const enum sort_by column_sort[MEMORY_COLUMNS] = {
	[MEMORY_COLUMN_IN_USE] = SORT_TOTAL, [MEMORY_COLUMN_ERROR] = SORT_NR, [MEMORY_COLUMN_ALLOCATED] = SORT_SELF,
	[MEMORY_COLUMN_CHURN] = SORT_RUNNING, [MEMORY_COLUMN_GROWTH] = SORT_RUNNABLE,
	[MEMORY_COLUMN_BLOCKS] = SORT_BLOCKED, [MEMORY_COLUMN_VERDICT] = SORT_NR,
};

static const struct memoryview *memorypane_of(const struct treeview *tv)
{
	return tv->model;
}

static const struct list_column *memorypane_columns(const struct memoryview *mv)
{
	return mv->leaks->all.grown ? grown_columns : memory_columns;
}

static struct list_layout memorypane_lay_out(const struct memoryview *mv, int w)
{
	return listcolumns_lay_out(memorypane_columns(mv), MEMORY_COLUMNS, w, w);
}

/* Drawing */

/* A column for each power of two from the first to the last that has blocks; returns how many. */
static int memorypane_draw_histogram(const struct leak_amount *hist, struct canvas *cv, int x, int y)
{
	unsigned int first, last;
	uint64_t most = 1;

	if (!leak_powers(hist, &first, &last))
		return 0;
	for (unsigned int p = first; p <= last; p++)
		most = hist[p].blocks > most ? hist[p].blocks : most;
	for (unsigned int p = first; p <= last; p++)
		if (hist[p].blocks && x + (int)(p - first) < cv->w)
			canvas_spark(cv, x + (int)(p - first), y, STYLE_TITLE,
				     (double)hist[p].blocks / (double)most);
	return (int)(last - first) + 1;
}

/* A series over time; returns how many columns that takes. */
static int memorypane_draw_series(const double at[GROWTH_BINS], struct canvas *cv, int x, int y)
{
	double most = 1;

	for (unsigned int b = 0; b < GROWTH_BINS; b++)
		most = at[b] > most ? at[b] : most;
	for (unsigned int b = 0; b < GROWTH_BINS && x + (int)b < cv->w; b++)
		canvas_spark(cv, x + (int)b, y, STYLE_TITLE, at[b] / most);
	return (int)GROWTH_BINS;
}

/* Of a row with a picture: its word and the picture, from X on; returns where its words go on. */
static int memorypane_draw_picture(const struct memoryview *mv, uint32_t node, struct canvas *cv, int x, int y)
{
	const struct leak_amount *hist = memoryview_histogram(mv, node);
	const char *word = memoryview_word(mv, node);
	double series[GROWTH_BINS];

	if (!*word)
		return x;
	canvas_put(cv, x, y, STYLE_FAINT, word);
	x += WORD_COLS;
	if (hist)
		x += memorypane_draw_histogram(hist, cv, x, y);
	else if (memoryview_series(mv, node, series))
		x += memorypane_draw_series(series, cv, x, y);
	return x + 2;
}

static enum style memorypane_style(const struct memoryview *mv, uint32_t node)
{
	const struct leak_site *r = memoryview_site(mv, node);

	switch (mv->line[node].level) {
	case MEMORY_LEVEL_SITE:
		return r->growth.verdict == GROWTH_GROWS && !r->unfollowed ? STYLE_ALERT : STYLE_TEXT;
	case MEMORY_LEVEL_PLACE:
	case MEMORY_LEVEL_RESIDENT:
	case MEMORY_LEVEL_ALL:
		return STYLE_TEXT;
	default:
		return STYLE_FAINT;
	}
}

static void memorypane_draw_row(const struct treeview *tv, struct canvas *cv, const struct list_layout *l, size_t i,
				int y, const struct search *s)
{
	const struct tree_row *row = &tv->rows.v[i];
	const struct memoryview *mv = memorypane_of(tv);
	const bool site = mv->line[row->node].level == MEMORY_LEVEL_SITE;
	const int end = site ? l->name_end : cv->w;
	const enum style style = memorypane_style(mv, row->node);
	int x = LINE_NAME_X + pane_common_indent(row->depth, end) + LINE_STEP, used;
	char label[LABEL_MAX];

	pane_common_fold(tv, cv, x - LINE_STEP, y, row->node);
	x = memorypane_draw_picture(mv, row->node, cv, x, y);
	treeview_label(tv, row->node, label, sizeof(label));
	used = x < end ? pane_common_list(cv, x, y, end - x, style, label) : 0;
	pane_common_matches(cv, x, y, used, s, label);
	if (site)
		listcolumns_draw(memorypane_columns(mv), MEMORY_COLUMNS, l, memoryview_site(mv, row->node), STYLE_TITLE,
				 cv, y);
	if (i == tv->cursor)
		pane_common_cursor(tv, cv, y, cv->w);
}

static void memorypane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	const struct treeview *tv = p->tv;
	const struct list_layout l = memorypane_lay_out(memorypane_of(tv), cv->w);

	for (int i = 0; i < cv->h && tv->top + (size_t)i < tv->rows.n; i++)
		memorypane_draw_row(tv, cv, &l, tv->top + (size_t)i, i, s);
}

static struct pane_heads memorypane_heads(const struct memoryview *mv, const struct list_layout *l)
{
	const struct list_column *columns = memorypane_columns(mv);
	struct pane_heads h = { 0 };

	for (size_t c = 0; c < MEMORY_COLUMNS; c++)
		pane_common_add_head(&h, l->x[c], l->cols[c], columns[c].head, column_sort[c]);
	return h;
}

static void memorypane_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	const struct memoryview *mv = p->built->model;
	const struct list_layout l = memorypane_lay_out(mv, cv->w);
	const struct pane_heads heads = memorypane_heads(mv, &l);
	char title[TITLE_MAX];

	title_memory(&p->built->job.query, mv->leaks, v->options, title, sizeof(title));
	pane_common_rule_heads(cv, l.name_end, title, &heads, &p->look.set, p->tv->sort, true);
}

static enum sort_by memorypane_head_at(const struct pane *p, int x)
{
	const struct memoryview *mv = memorypane_of(p->tv);
	struct pane_heads heads;
	struct list_layout l;

	if (!mv)
		return SORT_NR;
	l = memorypane_lay_out(mv, p->at.w);
	heads = memorypane_heads(mv, &l);
	return pane_common_head_at(&heads, x);
}

/* What a pane of few columns leaves out. */
static void memorypane_put_words(const struct leak_site *r, struct text_builder *ret)
{
	char text[LEAK_FIGURE_MAX], verdict[LEAK_VERDICT_MAX], n[UNITS_MAX];

	if (!r->unfollowed)
		text_builder_put(ret, "%s in use" TEXT_BUILDER_DOT "%s block%s" TEXT_BUILDER_DOT "%s" TEXT_BUILDER_DOT,
				 leak_figure((double)r->in_use, r->error, false, text), units_thousands(n, r->blocks),
				 r->blocks == 1 ? "" : "s", leak_verdict(r, verdict));
	text_builder_put(ret, r->grown ? "%s became resident" : "%s allocated",
			 leak_figure((double)r->allocated, r->allocated_error, false, text));
	if (r->grown && r->freed)
		text_builder_put(ret, TEXT_BUILDER_DOT "%s returned", units_bytes(n, r->freed));
}

/* The name of what is under the cursor with the figures of its site, and which row it is. */
static void memorypane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	const struct treeview *tv = p->tv;
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX], figures[256], place[1] = "";
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	int room;

	if (node == NODE_NONE)
		return;
	if (memorypane_of(tv)->line[node].level == MEMORY_LEVEL_SITE)
		memorypane_put_words(memoryview_site(memorypane_of(tv), node), &words);
	room = pane_common_status_room(tv, cv, y, place, figures);
	pane_common_status(cv, y, room, treeview_label(tv, node, label, sizeof(label)), place, figures);
}

static bool memorypane_on_mark(const struct pane *p, int x, int line)
{
	return pane_common_on_mark(p->tv, x, line, p->at.w);
}

/* The frames of the paths on the screen. */
static size_t memorypane_frames(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	const struct treeview *tv = p->tv;
	const struct memoryview *mv = memorypane_of(tv);
	size_t n = 0;

	for (size_t i = tv->top; i < tv->rows.n && i < tv->top + (size_t)lines; i++) {
		const uint32_t node = tv->rows.v[i].node;

		if (mv->line[node].level == MEMORY_LEVEL_SITE)
			n = pane_common_frames(mv->leaks->dict, memoryview_site(mv, node)->stack, max / (size_t)lines,
					       ret, n, max);
	}
	return n;
}

/* The rows */

static bool memorypane_here(const struct treeview *tv, uint32_t node, struct filter_term *t)
{
	struct tree_node place;
	const struct tree one = outline_as_tree(memorypane_of(tv)->rows, node, &place);

	return tv->list->row[node].place != ID_NONE && rowfilter_node(t, &one, 0);
}

static char *memorypane_label(const struct treeview *tv, uint32_t node, char *dst, size_t size)
{
	return memoryview_label(memorypane_of(tv), node, dst, size);
}

/* A path whose functions are rows is found by these, and by its site. */
static bool memorypane_path(const struct treeview *tv, uint32_t node, char *dst, size_t size, struct row_path *ret)
{
	const struct memoryview *mv = memorypane_of(tv);
	const struct leak_site *r = memoryview_site(mv, node);
	struct leak_first first;

	if (mv->line[node].level != MEMORY_LEVEL_SITE || !r->key)
		return false;
	first = leak_first(mv->leaks, r);
	dst[0] = '\0';
	*ret = (struct row_path){ first.stack, first.name };
	return true;
}

static uint64_t memorypane_value(const struct treeview *tv, uint32_t node, enum sort_by sort)
{
	const struct memoryview *mv = memorypane_of(tv);
	const struct leak_site *r = memoryview_site(mv, node);

	if (mv->line[node].level == MEMORY_LEVEL_ALL || mv->line[node].level == MEMORY_LEVEL_RESIDENT)
		return UINT64_MAX;
	if (mv->line[node].level != MEMORY_LEVEL_SITE)
		return 0;
	switch (sort) {
	case SORT_SELF:
		return r->allocated;
	case SORT_RUNNING:
		return leak_churn(r);
	case SORT_RUNNABLE:
		return r->growth.per_s > 0 ? (uint64_t)r->growth.per_s : 0;
	case SORT_BLOCKED:
		return r->blocks;
	default:
		return 0;
	}
}

static const struct treeview_ops memorypane_lines = {
	.label = memorypane_label, .path = memorypane_path, .label_places = true, .value = memorypane_value,
};

/* The pane */

static void memorypane_build(struct built *b, const struct names *names)
{
	const struct profile_meta *m = &b->job.meta;
	const struct leaks_wish wish = {
		.from_ns = m->start_mono_ns, .to_ns = m->start_mono_ns + m->duration_ns,
		.unfollowed_ns = m->mem_unfollowed_ns, .scale = (uint32_t)m->probe_scale,
	};
	struct memory_history *sizes = NULL;
	struct leaks *leaks = NULL;
	struct memoryview *mv;

	if (memory_history_build(b->snapshot, names, &b->job.query, &sizes, &b->err) < 0)
		return;
	if (leaks_build(b->snapshot, names, &b->job.query, &wish, &leaks, &b->err) < 0) {
		memory_history_free(sizes);
		return;
	}
	mv = memoryview_new(leaks, sizes);
	if (!mv) {
		err_nomem(&b->err, "the list of sites that allocate");
		return;
	}
	b->model = mv;
	b->list = mv->rows;
}

static void memorypane_drop(struct built *b)
{
	memoryview_free(b->model);
	b->list = NULL;          /* a part of that */
}

/* To the place in the tree where the function under the cursor has most, which counts memory then. */
static void memorypane_in_tree(struct view *v, struct pane *p)
{
	const uint32_t node = treeview_node(p->tv);
	const struct memoryview *mv = memorypane_of(p->tv);
	struct tree_node place;
	struct tree one;

	if (node == NODE_NONE || p->tv->list->row[node].place == ID_NONE)
		return;
	one = outline_as_tree(mv->rows, node, &place);
	view_count_memory(v, mv->leaks->all.grown, !memoryview_site(mv, node)->in_use);
	view_show_in_tree(v, func_key(&one, 0));
}

/* Who looks here wants to know: what makes memory grow costs little to follow. */
static void memorypane_opened(struct view *v, struct pane *p)
{
	const struct session *s = v->session;

	(void)p;
	if (s->growth && !s->ended(s->ctx) && !s->growing(s->ctx))
		s->growth(s->ctx, true);
}

static bool memorypane_act(struct view *v, struct pane *p, enum action a)
{
	const struct session *s = v->session;

	if (a == ACT_IN_TREE)
		memorypane_in_tree(v, p);
	else if (a == ACT_BLOCKS && (!s->blocks || s->ended(s->ctx)))
		view_say(v, "Blocks can be followed only while the program runs.");
	else if (a == ACT_BLOCKS)
		s->blocks(s->ctx, !s->has_blocks(s->ctx));
	return a == ACT_IN_TREE || a == ACT_BLOCKS;
}

static const char *memorypane_nothing(const struct pane *p)
{
	const struct memoryview *mv = p->built->model;

	if (mv->leaks->n || mv->sizes->moment.n)
		return NULL;
	return "No memory is followed. --memory shows who makes it grow, for 1 % of the time; --memory=allocs, or U, "
		"follows blocks, for 1 us a call, and --memory=preload those of a command, for 2 ns.";
}

static const char *memorypane_sort_name(const struct pane *p, enum sort_by sort)
{
	static const char *const names[SORT_NR] = {
		[SORT_TOTAL] = "bytes in use", [SORT_SELF] = "bytes allocated", [SORT_RUNNING] = "churn",
		[SORT_RUNNABLE] = "growth", [SORT_BLOCKED] = "blocks in use",
	}, *const of_growth[SORT_NR] = {
		[SORT_TOTAL] = "bytes grown", [SORT_RUNNING] = "bytes returned", [SORT_RUNNABLE] = "growth",
	};

	return p->tv->model && memorypane_of(p->tv)->leaks->all.grown ? of_growth[sort] : names[sort];
}

const struct pane_ops pane_memory = {
	.weight = 2,
	.question = pane_list_question,
	.build = memorypane_build,
	.drop = memorypane_drop,
	.lines = &memorypane_lines,
	.opened = memorypane_opened,
	.rule = memorypane_rule,
	.rows = memorypane_rows,
	.status = memorypane_status,
	.nothing = memorypane_nothing,
	.sort_name = memorypane_sort_name,
	.frames = memorypane_frames,
	.on_mark = memorypane_on_mark,
	.head_at = memorypane_head_at,
	.here = memorypane_here,
	.act = memorypane_act,
};
