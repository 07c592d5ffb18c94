/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamepane.c - the pane of the flame graph (flameview.h): a line for each level, the root on top,
 * frames as coloured blocks with their names in them, the part of a frame in the colour of each
 * kind of time that it takes.
 *
 * A block ends with half a column that is blank, so that each can be told from the next one and one
 * of a single column is still seen. Neighbours have different shades where there are colours
 * enough; without colours they are underlined.
 */
#include "config.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/panes/flameview.h"
#include "ui/panes/pane_common.h"
#include "ui/panes/treepane.h"
#include "ui/text_builder.h"
#include "ui/view_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HALF 0x2590u             /* the right half of a column, in the colour of what is behind the block */
#define SHADE 0x2592u            /* what is merged */
#define LABEL_COLS 3             /* fewer columns say nothing of a name that is longer */
#define MERGED_SUMMED 256u       /* of those that are merged so many are looked at for what kinds of time they are */
#define MARK 0x25B8u             /* where the cursor is while keys go elsewhere */

static const enum style kind_style[TIME_NR][2] = {
	[TIME_RUNNING] = { STYLE_FLAME_RUNNING, STYLE_FLAME_RUNNING2 },
	[TIME_RUNNABLE] = { STYLE_FLAME_RUNNABLE, STYLE_FLAME_RUNNABLE2 },
	[TIME_BLOCKED] = { STYLE_FLAME_BLOCKED, STYLE_FLAME_BLOCKED2 },
};

/* What is being drawn. */
struct drawing {
	const struct treeview *tv;
	const struct tree_look *look;
	struct canvas *cv;
	const struct search *s;
};

/* Sums the kinds of time in F: of those that are merged in the heaviest, which tell what it is about. */
static void sum_kinds(const struct tree *t, const struct flame_frame *f, uint64_t sum[TIME_NR])
{
	uint32_t node = f->first;

	memset(sum, 0, TIME_NR * sizeof(*sum));
	for (uint32_t i = 0; i < f->merged && i < MERGED_SUMMED && node != NODE_NONE; i++) {
		for (unsigned int k = 0; k < TIME_NR && t->node[node].kind != NODE_IDLE; k++)
			sum[k] += t->node[node].value[k];
		node = t->node[node].next_sibling;
	}
}

/* The kind of time that column I of W is for: kinds stand side by side, each as wide as its share. */
static enum time_kind kind_at(const uint64_t ns[TIME_NR], int i, int w)
{
	double whole = 0, sum = 0;
	unsigned int kind = 0;

	for (unsigned int k = 0; k < TIME_NR; k++)
		whole += (double)ns[k];
	for (; kind + 1 < TIME_NR; kind++) {
		sum += (double)ns[kind];
		if ((i + 0.5) / w * whole < sum)
			break;
	}
	return (enum time_kind)kind;
}

/* That of most of it, which a single column has. */
static enum time_kind main_kind(const uint64_t ns[TIME_NR])
{
	unsigned int kind = 0;

	for (unsigned int k = 1; k < TIME_NR; k++)
		kind = ns[k] > ns[kind] ? k : kind;
	return (enum time_kind)kind;
}

/*
 * Whether S finds any of those that the frame of ROW stands for, or what is below them: all that
 * its siblings have not.
 */
static bool merged_match(const struct search *s, const struct treeview *tv, size_t row)
{
	const struct flame_frame *f = flameview_frame(tv, row), *parent = flameview_frame(tv, f->parent), *sibling;
	size_t hits = 0, len;
	char label[LABEL_MAX];

	for (uint32_t i = f->parent + 1; i < parent->end; i = sibling->end) {
		sibling = flameview_frame(tv, i);
		hits += i == row ? 0 : search_hits(s, tv, sibling->node);
	}
	hits += search_in(s, tree_label(tv->tree, parent->node, label, sizeof(label)), &len) ? 1 : 0;
	return search_hits(s, tv, parent->node) > hits;
}

static bool flamepane_found(const struct search *s, const struct treeview *tv, size_t row, const char *label)
{
	size_t len;

	return s && (flameview_frame(tv, row)->merged > 1 ? merged_match(s, tv, row) : search_in(s,
		label, &len) != NULL);
}

/* Gives the columns of a frame the colours of its kinds, or that of what it is. */
static void flamepane_colour(const struct drawing *d, size_t row, int y, const char *label)
{
	const struct flame_frame *f = flameview_frame(d->tv, row);
	const bool here = row == d->tv->cursor && !d->tv->aside, match = flamepane_found(d->s, d->tv, row, label);
	const unsigned int shade = (f->level + (unsigned int)f->x) % 2;
	uint64_t ns[TIME_NR];

	if (here || match) {
		canvas_restyle(d->cv, f->x, y, f->w,
			       here ? match ? STYLE_CURSOR_MATCH : STYLE_CURSOR : STYLE_FLAME_MATCH);
		return;
	}
	sum_kinds(d->tv->tree, f, ns);
	for (int i = 0; i < f->w; i++) {
		const enum time_kind kind = !d->look->kinds || !measure_set_is_wall(&d->look->set) ? TIME_RUNNING :
			f->w == 1 ? main_kind(ns) : kind_at(ns, i, f->w);

		canvas_restyle(d->cv, f->x + i, y, 1, kind_style[kind][shade]);
	}
}

static void flamepane_draw_name(struct canvas *cv, int x, int y, int cols, const char *label)
{
	const size_t len = strlen(label);

	if (cols >= LABEL_COLS || text_width(label, len) <= (size_t)(cols > 0 ? cols : 0))
		canvas_text_cut(cv, x, y, cols, STYLE_TEXT, label, len);
}

/* A shade, and how many frames it stands for. */
static void draw_merged(struct canvas *cv, const struct flame_frame *f, int y)
{
	char text[64], n[UNITS_MAX];

	snprintf(text, sizeof(text), " %s frames ", units_thousands(n, f->merged));
	canvas_fill(cv, f->x, y, f->w, STYLE_TEXT, cv->ascii ? ':' : SHADE);
	if ((int)strlen(text) + 2 <= f->w)
		canvas_put(cv, f->x + 1, y, STYLE_TEXT, text);
}

static void draw_frame(const struct drawing *d, size_t row, int y)
{
	const struct flame_frame *f = flameview_frame(d->tv, row);
	const bool mark = d->tv->aside && row == d->tv->cursor && row;
	char label[LABEL_MAX];

	tree_label(d->tv->tree, f->node, label, sizeof(label));
	if (f->merged > 1) {
		draw_merged(d->cv, f, y);
	} else {
		canvas_fill(d->cv, f->x, y, f->w - 1, STYLE_TEXT, ' ');
		canvas_fill(d->cv, f->x + f->w - 1, y, 1, STYLE_TEXT, d->cv->ascii ? '|' : HALF);
		flamepane_draw_name(d->cv, f->x + mark, y, f->w - 1 - mark, label);
	}
	if (mark)
		canvas_fill(d->cv, f->x, y, 1, STYLE_TEXT, MARK);
	flamepane_colour(d, row, y, label);
}

/* The next row behind I that may be on one of LINES lines. */
static size_t next_row(const struct treeview *tv, size_t i, int lines)
{
	const struct flame_frame *f = flameview_frame(tv, i);

	return (long)f->level - (long)flameview_of(tv)->top + 1 >= lines ? f->end : i + 1;
}

static void flamepane_rows(const struct treeview *tv, const struct tree_look *look, struct canvas *cv,
			   const struct search *s)
{
	const struct drawing d = { tv, look, cv, s };

	for (size_t i = 0; flameview_of(tv) && i < tv->rows.n; i = next_row(tv, i, cv->h)) {
		if (flameview_frame(tv, i)->level >= flameview_of(tv)->top)
			draw_frame(&d, i, (int)(flameview_frame(tv, i)->level - flameview_of(tv)->top));
	}
}

static void flamepane_rule(const struct treeview *tv, struct canvas *cv, int y, const char *title)
{
	const struct flame_layout *l = flameview_of(tv) ? &flameview_of(tv)->layout : NULL;
	char text[64] = "", share[UNITS_MAX];
	int x = cv->w;

	if (l && l->whole_ns && l->narrow_ns)
		snprintf(text, sizeof(text), cv->w >= 100 ? " %s in frames narrower than a column " : " %s too narrow ",
			 units_percent(share, (double)l->narrow_ns / (double)l->whole_ns));
	if (*text && cv->w >= 40)
		x -= (int)strlen(text) + 1;
	pane_common_rule(cv, y, x, title);
	if (x < cv->w)
		canvas_put(cv, x, y, STYLE_FAINT, text);
}

/* "level 5 of 33" at the right end of row Y; returns the column where it begins. */
static int draw_level(const struct treeview *tv, struct canvas *cv, int y)
{
	char text[64];
	int x;

	snprintf(text, sizeof(text), cv->w >= 60 ? "level %u of %u" : "%u/%u", flameview_here(tv)->level + 1,
		 flameview_of(tv)->layout.levels);
	x = cv->w - 1 - (int)strlen(text);
	canvas_put(cv, x, y, STYLE_FAINT, text);
	return x;
}

/* VALUE of M; UNIT is what an import counts. */
static void put_weight(struct text_builder *w, const struct measure *m, uint64_t value, const char *unit)
{
	char text[UNITS_MAX];

	text_builder_put(w, "%s%s%s", measure_text(m, value, text), m->unit == UNIT_OWN ? " " : "",
			 m->unit == UNIT_OWN ? unit : "");
}

static double flamepane_share(uint64_t ns, uint64_t of)
{
	return of ? (double)ns / (double)of : 0;
}

/* What is said of the frame under the cursor, the more important things first; returns how many. */
#define FIGURES 5
static size_t list_figures(const struct treeview *tv, const char *unit, char figure[FIGURES][96])
{
	const struct flame_frame *f = flameview_here(tv);
	const struct tree_node *n = &tv->tree->node[f->node];
	const struct measure *lead = measure_lead(&tv->tree->set);
	const uint64_t whole_ns = treeview_work_ns(tv->tree), zoom_ns = flameview_of(tv)->layout.whole_ns;
	const uint64_t parent_ns = f->parent == FLAME_NONE ? 0 : flameview_frame(tv, f->parent)->ns;
	const uint64_t ns = f->parent == FLAME_NONE ? zoom_ns : n->total_ns;
	char a[UNITS_MAX], b[UNITS_MAX];
	struct text_builder w;
	size_t i = 0;

	snprintf(figure[i++], 96, "%s", units_percent(a, flamepane_share(ns, whole_ns)));
	w = text_builder_in(figure[i++], 96);
	put_weight(&w, lead, ns, unit);
	if (f->merged > 1)
		snprintf(figure[i++], 96, "one of %s too narrow, in all %s", units_thousands(a, f->merged),
			 units_percent(b, flamepane_share(f->ns, whole_ns)));
	if (lead->unit != UNIT_OWN)
		snprintf(figure[i++], 96, "%s %s", units_thousands(a, n->count), tree_counted(tv->tree, f->node));
	if (parent_ns)
		snprintf(figure[i++], 96, "%s of its parent", units_percent(a, flamepane_share(ns, parent_ns)));
	return i;
}

static void flamepane_status(const struct treeview *tv, const char *unit, struct canvas *cv, int y)
{
	char label[LABEL_MAX], figure[FIGURES][96];
	size_t n, shown = 0;
	int room, used = 0, x;

	if (!flameview_of(tv) || !flameview_here(tv))
		return;
	room = draw_level(tv, cv, y) - 3;
	n = list_figures(tv, unit, figure);
	for (; shown < n; shown++) {
		const int cols = 3 + (int)text_width(figure[shown], strlen(figure[shown]));

		if (room - used - cols < LINE_NAME_MIN)
			break;
		used += cols;
	}
	tree_label(tv->tree, flameview_here(tv)->node, label, sizeof(label));
	x = 1 + canvas_text_cut(cv, 1, y, room - used, STYLE_TITLE, label, strlen(label));
	for (size_t i = 0; i < shown; i++) {
		x += canvas_put(cv, x, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		x += canvas_put(cv, x, y, STYLE_TEXT, figure[i]);
	}
}

static size_t flamepane_row_at(const struct treeview *tv, int x, int y)
{
	uint32_t i;

	if (!flameview_of(tv) || y < 0 || x < 0)
		return SIZE_MAX;
	i = flame_layout_at(&flameview_of(tv)->layout, x, flameview_of(tv)->top + (uint32_t)y);
	return i == FLAME_NONE || i >= tv->rows.n ? SIZE_MAX : i;
}

static size_t flamepane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; flameview_of(tv) && i < tv->rows.n && n < max; i = next_row(tv, i, lines)) {
		const frame_id f = treeview_place(tv, tv->rows.v[i].node);

		if (f != ID_NONE && flameview_frame(tv, i)->level >= flameview_of(tv)->top)
			ret[n++] = f;
	}
	return n;
}

/* The pane */

static bool flamepane_init(struct treeview *tv)
{
	struct flameview *f = calloc(1, sizeof(*f));

	if (f)
		flameview_init(tv, f);
	return f;
}

static void flamepane_fini(struct treeview *tv)
{
	if (!flameview_of(tv))
		return;
	flameview_free(flameview_of(tv));
	free(flameview_of(tv));
}

/* Begins where the user is in the call tree. */
static void flamepane_opened(struct view *v, struct pane *p)
{
	struct pane *tree = &v->pane[PANE_HOME];

	flameview_begin_at(&p->lines[tree->tv - tree->lines], tree->tv);
}

static void flamepane_draw_rule(const struct view *v, const struct pane *p, struct canvas *cv)
{
	char title[TREE_TITLE_MAX + 16] = "flame" TEXT_BUILDER_DOT;
	const size_t len = strlen(title);

	treepane_title(v, p, title + len, sizeof(title) - len);
	flamepane_rule(p->tv, cv, 0, title);
}

static void flamepane_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s)
{
	if (p->tv->rows.n)
		flamepane_rows(p->tv, &p->look, cv, s);
	else
		treepane_draw(v, p, cv, s);
}

static void flamepane_draw_status(const struct view *v, const struct pane *p, struct canvas *cv, int y)
{
	flamepane_status(p->tv, v->header.meta.unit, cv, y);
}

static size_t flamepane_names(const struct pane *p, int lines, frame_id *ret, size_t max)
{
	return flamepane_frames(p->tv, lines, ret, max);
}

static bool flamepane_act(struct view *v, struct pane *p, enum action a)
{
	struct treeview *tv = p->tv;
	const long page = tv->height > 1 ? (long)tv->height - 1 : 1;

	switch (a) {
	case ACT_UP:
	case ACT_DOWN:
		flameview_down(tv, a == ACT_UP ? -1 : 1);
		return true;
	case ACT_PGUP:
	case ACT_PGDN:
		flameview_down(tv, a == ACT_PGUP ? -page : page);
		return true;
	case ACT_LEFT:
	case ACT_RIGHT:
		flameview_aside(tv, a == ACT_RIGHT);
		return true;
	case ACT_LAST:
		flameview_last(tv);
		return true;
	case ACT_FIRST:
		treeview_first(tv);
		return true;
	case ACT_ZOOM:
		flameview_zoom(tv);
		return true;
	default:
		return false;
	}
}

static bool flamepane_click(struct view *v, struct pane *p, enum mouse what, int x, int line)
{
	const size_t row = flamepane_row_at(p->tv, x, line);

	if (row == SIZE_MAX)
		return true;
	treeview_to_row(p->tv, row);
	if (what == MOUSE_DOUBLE)
		flameview_zoom(p->tv);
	return true;
}

static bool flamepane_wheel(struct view *v, struct pane *p, long by)
{
	flameview_scroll(p->tv, by);
	return true;
}

const struct pane_ops pane_flame = {
	.traits = PANE_CALL_TREE | PANE_NO_IDLE_LINE,
	.weight = 3,
	.kinds = MEASURES_WALL,
	.ways = TREE_WAYS,
	.way = treepane_way,
	.init = flamepane_init,
	.fini = flamepane_fini,
	.build = treepane_build,
	.derives = treepane_derives,
	.derive = treepane_derive,
	.opened = flamepane_opened,
	.rule = flamepane_draw_rule,
	.rows = flamepane_draw,
	.status = flamepane_draw_status,
	.frames = flamepane_names,
	.act = flamepane_act,
	.click = flamepane_click,
	.wheel = flamepane_wheel,
	.here = treepane_here,
};
