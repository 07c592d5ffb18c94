/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotpane.c - draws the code of a function over the panes, and moves its cursor. Figures come
 * from annotator.c.
 */
#include "config.h"

#include "ui/annotpane.h"

#include "annotate/srcfile.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIGURE_COLS 9
#define NARROW_COLS 7            /* of the only figure on a narrow screen */
#define NARROW 60                /* columns of such a screen */
#define TINY 30                  /* ... and of one that has no room for addresses and numbers of lines */
#define HEAD_ROWS 5              /* a screen of fewer rows has no heads */
#define HOT 0.10                 /* shares from which on figures stand out, */
#define WARM 0.03
#define COOL 0.005               /* and below which they are faint */
#define TEXT_SIZE (ANNOT_TEXT_MAX + PATH_MAX)

static const char *const layouts[] = { "source + code", "source", "code" };

void annotview_clear(struct annotview *v)
{
	const enum annot_layout layout = v->layout;

	annotation_free(v->a);
	search_free(&v->search);
	*v = (struct annotview){ .layout = layout, .height = 1 };
}

static size_t annotview_rows(const struct annotview *v)
{
	return v->a ? v->a->layout[v->layout].row.n : 0;
}

static const struct annot_row *annotpane_row_at(const struct annotview *v, size_t i)
{
	return i < annotview_rows(v) ? &v->a->layout[v->layout].row.v[i] : NULL;
}

static void annotpane_clamp(struct annotview *v)
{
	const size_t n = annotview_rows(v);

	if (v->cursor >= n)
		v->cursor = n ? n - 1 : 0;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (v->cursor - v->top >= v->height)
		v->top = v->cursor - v->height + 1;
	if (v->top + v->height > n)
		v->top = n > v->height ? n - v->height : 0;
}

/* Puts the cursor on ROW, somewhere in the middle when it was not on screen. */
static void annotpane_go(struct annotview *v, size_t row)
{
	v->cursor = row;
	if (row < v->top || row - v->top >= v->height)
		v->top = row > v->height / 3 ? row - v->height / 3 : 0;
	annotpane_clamp(v);
}

static void go_to_hottest(struct annotview *v)
{
	const size_t row = v->a ? annotation_hottest(v->a, v->layout,
						     v->of.inlined[0] ? v->of.inlined : NULL) : SIZE_MAX;

	annotpane_go(v, row == SIZE_MAX ? 0 : row);
}

/* What R, a line or an instruction, says without where it is. */
static const char *bare_text(const struct annotview *v, const struct annot_row *r)
{
	const struct listing *l = v->a->listing;
	const char *text = r->kind == ANNOT_LINE ? l->line.v[r->of].text : l->insn.v[r->of].text;

	return text ? text : "";
}

/* Many rows are looked at with each key: most of them are told by their text, without where they are. */
static bool is_match(const struct annotview *v, size_t row)
{
	const struct annot_row *r = annotpane_row_at(v, row);
	const bool plain = r->kind == ANNOT_LINE || r->kind == ANNOT_INSN;
	char text[TEXT_SIZE];
	size_t len;

	if (plain && search_in(&v->search, bare_text(v, r), &len))
		return true;
	if (plain && strspn(v->search.text, " :0123456789abcdefABCDEF") < v->search.len)
		return false;
	return search_in(&v->search, annotation_text(v->a, r, text, sizeof(text)), &len);
}

static void count_matches(struct annotview *v)
{
	const size_t n = v->search.len ? annotview_rows(v) : 0;

	v->matches = 0;
	for (size_t i = 0; i < n; i++)
		v->matches += is_match(v, i);
}

void annotview_show(struct annotview *v, struct annotation *a)
{
	const bool first = !v->a;

	annotation_free(v->a);
	v->a = a;
	if (first || !v->moved)
		go_to_hottest(v);
	annotpane_clamp(v);
}

void annotview_to_row(struct annotview *v, size_t row)
{
	v->moved = true;
	v->cursor = row;
	annotpane_clamp(v);
}

void annotview_move(struct annotview *v, long by)
{
	const size_t back = by < 0 ? (size_t)-by : 0;

	annotview_to_row(v, by >= 0 ? v->cursor + (size_t)by : v->cursor > back ? v->cursor - back : 0);
}

void annotview_scroll(struct annotview *v, int cols)
{
	v->x += cols;
	if (v->x < 0)
		v->x = 0;
	if (v->x > (int)SRCFILE_LINE_MAX)
		v->x = (int)SRCFILE_LINE_MAX;
}

void annotview_hottest(struct annotview *v)
{
	v->moved = false;
	go_to_hottest(v);
}

bool annotview_find(struct annotview *v, size_t from)
{
	const size_t n = annotview_rows(v);

	count_matches(v);
	for (size_t i = 0; i < n && v->matches; i++) {
		if (is_match(v, (from + i) % n)) {
			v->moved = true;
			annotpane_go(v, (from + i) % n);
			return true;
		}
	}
	return false;
}

static bool previous_match(struct annotview *v)
{
	const size_t n = annotview_rows(v);

	for (size_t i = 1; i <= n; i++) {
		if (is_match(v, (v->cursor + n - i) % n)) {
			annotpane_go(v, (v->cursor + n - i) % n);
			return true;
		}
	}
	return false;
}

bool annotview_next(struct annotview *v, bool back)
{
	size_t row;

	v->moved = true;
	if (v->search.len)
		return back ? previous_match(v) : annotview_find(v, v->cursor + 1);
	row = v->a ? annotation_next_hottest(v->a, v->layout, v->cursor, back) : SIZE_MAX;
	if (row == SIZE_MAX)
		return false;
	annotpane_go(v, row);
	return true;
}

void annotview_set_layout(struct annotview *v, enum annot_layout layout)
{
	const struct annot_row *r = annotpane_row_at(v, v->cursor);
	const struct annot_row here = r ? *r : (struct annot_row){ 0 };

	v->layout = layout;
	if (!v->a)
		return;
	if (v->moved)
		annotpane_go(v, annotation_find(v->a, layout, &here));
	else
		go_to_hottest(v);
	count_matches(v);
}

/* Drawing */

static void annotpane_draw_rule(const struct annotview *v, struct canvas *cv, const char *kinds)
{
	const struct instruction_costs *h = v->a ? v->a->hits : NULL;
	char title[512], self[UNITS_MAX], total[UNITS_MAX], count[UNITS_MAX];
	struct text_builder w = text_builder_in(title, sizeof(title));

	text_builder_put(&w, "%s", v->of.name);
	if (v->of.inlined[0])
		text_builder_put(&w, ", which has %s in it", v->of.inlined);
	if (h && h->all.total_ns) {
		text_builder_put(&w, TEXT_BUILDER_DOT "%s" TEXT_BUILDER_DOT "%s here, %s with calls", kinds,
			  units_time(self, h->all.self_ns), units_time(total, h->all.total_ns));
		text_builder_put(&w, TEXT_BUILDER_DOT "%s sample%s", units_thousands(count, h->count),
				 h->count == 1 ? "" : "s");
	}
	if (v->a && listing_has_source(v->a->listing))
		text_builder_put(&w, TEXT_BUILDER_DOT "%s", layouts[v->layout]);
	pane_common_rule(cv, 0, cv->w, title);
}

static int figures_cols(const struct canvas *cv)
{
	return cv->w < NARROW ? 1 + NARROW_COLS : 1 + 2 * FIGURE_COLS;
}

static void annotpane_draw_heads(struct canvas *cv, int y)
{
	static const char skid[] = "samples stand on the instruction after what took the time";
	const int x = figures_cols(cv);

	if (cv->w < NARROW) {
		pane_common_head(cv, 1, y, NARROW_COLS, "total", false);
		return;
	}
	canvas_put(cv, 1 + FIGURE_COLS - 5, y, STYLE_FAINT, "total");
	canvas_put(cv, x - 4, y, STYLE_FAINT, "self");
	canvas_text_cut(cv, x + 2, y, cv->w - x - 3, STYLE_FAINT, skid, strlen(skid));
}

static enum style annotpane_heat(uint64_t ns, uint64_t all)
{
	const double share = all ? (double)ns / (double)all : 0;

	return share >= HOT ? STYLE_ALERT : share >= WARM ? STYLE_WARN : share >= COOL ? STYLE_TEXT : STYLE_FAINT;
}

static void draw_figure(struct canvas *cv, int x, int y, int cols, uint64_t ns, uint64_t all)
{
	if (ns)
		pane_common_percent(cv, x, y, cols, annotpane_heat(ns, all), ns, all, false);
}

static enum style text_style(const struct annotview *v, const struct annot_row *r)
{
	switch (r->kind) {
	case ANNOT_NOTE:
		return STYLE_WARN;
	case ANNOT_FILE:
		return STYLE_KEY;
	case ANNOT_LINE:
		if (!v->a->listing->line.v[r->of].code)
			return STYLE_FAINT;
		return v->layout == ANNOT_BOTH ? STYLE_TITLE : STYLE_TEXT;
	case ANNOT_GAP:
		return STYLE_FAINT;
	default:
		return STYLE_TEXT;
	}
}

/* TEXT without what its first COLS columns hold. */
static const char *skip_columns(const char *text, int cols)
{
	uint32_t cp;

	while (cols > 0 && *text) {
		text += text_decode(text, strlen(text), &cp);
		cols -= text_cp_width(cp);
	}
	return text;
}

static void annotpane_draw_row(const struct annotview *v, struct canvas *cv, int y, size_t row)
{
	const struct annot_row *r = annotpane_row_at(v, row);
	const uint64_t all = v->a->hits->all.total_ns;
	const bool figures = r->kind == ANNOT_LINE || r->kind == ANNOT_INSN;
	const int x = figures ? figures_cols(cv) + 1 : 2;
	char text[TEXT_SIZE];
	const char *at = annotation_text(v->a, r, text, sizeof(text));

	if (figures) {
		draw_figure(cv, 1, y, cv->w < NARROW ? NARROW_COLS : FIGURE_COLS, r->hit.total_ns, all);
		if (cv->w >= NARROW)
			draw_figure(cv, 1 + FIGURE_COLS, y, FIGURE_COLS, r->hit.self_ns, all);
		if (cv->w < TINY)
			at = bare_text(v, r);
		at = skip_columns(at, v->x);
	}
	pane_common_list(cv, x, y, cv->w - x, text_style(v, r), at);
	if (v->search.len)
		pane_common_matches(cv, x, y, cv->w - x, &v->search, at);
	if (row == v->cursor)
		canvas_restyle(cv, 0, y, cv->w, STYLE_CURSOR);
}

static int first_line(const struct canvas *cv, bool rule)
{
	return (rule ? 1 : 0) + (cv->h >= HEAD_ROWS ? 1 : 0);
}

void annotpane_draw(struct annotview *v, struct canvas *cv, const char *kinds, bool rule)
{
	const int y = first_line(cv, rule);
	const char *text = v->why[0] ? v->why : "reading \xE2\x80\xA6";

	if (rule)
		annotpane_draw_rule(v, cv, kinds);
	v->first = y;
	v->height = cv->h > y ? (size_t)(cv->h - y) : 1;
	annotpane_clamp(v);
	if (!v->a) {
		canvas_text_cut(cv, 2, y, cv->w - 3, v->why[0] ? STYLE_WARN : STYLE_TITLE, text, strlen(text));
		return;
	}
	if (cv->h >= HEAD_ROWS)
		annotpane_draw_heads(cv, y - 1);
	for (int i = 0; y + i < cv->h && v->top + (size_t)i < annotview_rows(v); i++)
		annotpane_draw_row(v, cv, y + i, v->top + (size_t)i);
}

size_t annotpane_at(const struct annotview *v, int y)
{
	const size_t row = y < v->first ? SIZE_MAX : v->top + (size_t)(y - v->first);

	return row < annotview_rows(v) ? row : SIZE_MAX;
}

/* "app.c:12" of what R is made of; "" when it is not known. */
static void annotpane_put_place(struct text_builder *w, const struct annotview *v, const struct annot_row *r)
{
	const struct listing *l = v->a->listing;
	const uint32_t line = r->kind == ANNOT_LINE ? r->of : r->kind == ANNOT_INSN ?
		l->insn.v[r->of].line : LISTING_NONE;
	const char *slash;

	if (r->kind == ANNOT_INSN && l->insn.v[r->of].inlined)
		text_builder_put(w, TEXT_BUILDER_DOT "%s", l->insn.v[r->of].inlined);
	if (line == LISTING_NONE)
		return;
	slash = strrchr(l->file.v[l->line.v[line].file].path, '/');
	text_builder_put(w, TEXT_BUILDER_DOT "%s:%u", slash ? slash + 1 : l->file.v[l->line.v[line].file].path,
			 l->line.v[line].number);
}

void annotpane_status(const struct annotview *v, struct canvas *cv, int y)
{
	const struct annot_row *r = annotpane_row_at(v, v->cursor);
	char text[512], place[3 * UNITS_MAX], a[UNITS_MAX], b[UNITS_MAX];
	struct text_builder w = text_builder_in(text, sizeof(text));
	const uint64_t all = v->a ? v->a->hits->all.total_ns : 0;
	int x;

	if (!r)
		return;
	snprintf(place, sizeof(place), cv->w >= NARROW ? "%s of %s rows" : "%s/%s", units_thousands(a, v->cursor + 1),
		 units_thousands(b, annotview_rows(v)));
	x = cv->w - 1 - (int)strlen(place);
	canvas_put(cv, x, y, STYLE_FAINT, place);
	text_builder_put(&w, "%s", v->of.name);
	annotpane_put_place(&w, v, r);
	if (r->hit.total_ns && all)
		text_builder_put(&w, TEXT_BUILDER_DOT "%s in all, %s itself", units_time(a, r->hit.total_ns),
				 units_time(b, r->hit.self_ns));
	canvas_text_cut(cv, 1, y, x - 3, STYLE_TEXT, text, strlen(text));
}
