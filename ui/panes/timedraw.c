/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timedraw.c - draws the pane of time: the strip, the heat map, the axis below, and the status
 * line.
 */
#include "config.h"

#include "ui/panes/timepane.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <stdio.h>
#include <string.h>

#define TICK_COLS 12             /* from one time on the axis to the next, at least */
#define TICK 0x2575u
#define NO_TIMES "There are no times."
#define RANGE PANE_COMMON_RULE_HEAVY

static const struct {
	const char *name, *brief;
	enum style style;
} kinds[TIME_NR] = {
	[TIME_RUNNING] = { "running", "run", STYLE_RUNNING },
	[TIME_RUNNABLE] = { "runnable", "rq", STYLE_RUNNABLE },
	[TIME_BLOCKED] = { "blocked", "blk", STYLE_BLOCKED },
};

static uint64_t column_at(const struct time_window *w, int i)
{
	return w->left_ns + (uint64_t)i * w->column_ns;
}

static bool is_column(const struct time_window *w, int i)
{
	return i < w->w && column_at(w, i) <= w->newest_ns;
}

/* Of FROM_NS to TO_NS, the time of which there are data; all of it, when that is too little to say much. */
static double known_ns(const struct timeview *tv, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t a = from_ns > tv->from_ns ? from_ns : tv->from_ns, b = to_ns < tv->end_ns ? to_ns : tv->end_ns;

	return (double)(b > a && b - a >= (to_ns - from_ns) / 2 ? b - a : to_ns - from_ns);
}

/* Threads at each kind of time, on average. */
static void timedraw_levels(const struct timeview *tv, uint64_t from_ns, uint64_t to_ns, double ret[TIME_NR])
{
	const double whole = known_ns(tv, from_ns, to_ns);

	heat_sum(tv->filtered ? &tv->asked : &tv->heat, from_ns, to_ns, ret);
	for (unsigned int k = 0; k < TIME_NR; k++)
		ret[k] /= whole;
}

/* The strip */

/* A bar of LINES lines with its foot at row Y; what is not nothing is seen. */
static void timedraw_draw_bar(struct canvas *cv, int x, int y, int lines, enum style style, double fraction)
{
	for (int i = 0; i < lines; i++) {
		const double part = fraction * lines - i;

		if (part > 0)
			canvas_spark(cv, x, y - i, style, part);
	}
}

/*
 * What stands beside the bars of KIND, of which the first of LINES is at row Y: its name, and what
 * the highest stands for.
 */
static void timedraw_draw_scale(const struct time_window *w, struct canvas *cv, int y, int lines, enum time_kind kind,
				double top)
{
	const bool wide = w->x >= 10;
	char text[32];

	if (!w->x)
		return;
	canvas_text(cv, 1, y, w->x - 1, kinds[kind].style, wide ? kinds[kind].name : kinds[kind].brief,
		    strlen(wide ? kinds[kind].name : kinds[kind].brief));
	if (lines < 2)
		return;
	snprintf(text, sizeof(text), wide ? "%.2f" : "%.0f", top);
	canvas_text(cv, 1, y + 1, w->x - 1, STYLE_FAINT, text, strlen(text));
}

/* The highest levels on screen. */
static void timedraw_highest(const struct timeview *tv, const struct time_window *w, double ret[TIME_NR])
{
	double level[TIME_NR];

	for (unsigned int k = 0; k < TIME_NR; k++)
		ret[k] = 0;
	for (int i = 0; is_column(w, i); i++) {
		timedraw_levels(tv, column_at(w, i), column_at(w, i) + w->column_ns, level);
		for (unsigned int k = 0; k < TIME_NR; k++)
			ret[k] = level[k] > ret[k] ? level[k] : ret[k];
	}
}

/* One kind of time in LINES lines from row Y on. */
static void draw_kind(const struct timeview *tv, const struct time_window *w, struct canvas *cv, int y, int lines,
		      enum time_kind kind, double top)
{
	double level[TIME_NR];

	for (int i = 0; top > 0 && is_column(w, i); i++) {
		timedraw_levels(tv, column_at(w, i), column_at(w, i) + w->column_ns, level);
		timedraw_draw_bar(cv, w->x + i, y + lines - 1, lines, kinds[kind].style, level[kind] / top);
	}
	timedraw_draw_scale(w, cv, y, lines, kind, top);
}

/* Where there is no room for all kinds, those that say most; one of which there is nothing takes one line. */
static void draw_strip(const struct timeview *tv, const struct time_window *w, struct canvas *cv)
{
	static const enum time_kind order[3][TIME_NR] = { { TIME_RUNNING }, { TIME_RUNNING, TIME_BLOCKED },
							  { TIME_RUNNING, TIME_RUNNABLE, TIME_BLOCKED } };
	const int all = tv->off_cpu ? TIME_NR : 1, n = w->lines < all ? w->lines : all;
	double top[TIME_NR];
	int y = 0, left = w->lines, shares = 0;

	timedraw_highest(tv, w, top);
	for (int i = 0; i < n; i++) {
		shares += top[order[n - 1][i]] > 0;
		left -= top[order[n - 1][i]] <= 0;
	}
	for (int i = 0; i < n; i++) {
		const enum time_kind kind = order[n - 1][i];
		const int lines = top[kind] > 0 ? (left + shares - 1) / shares : 1;

		draw_kind(tv, w, cv, y, lines, kind, top[kind]);
		y += lines;
		left -= top[kind] > 0 ? lines : 0;
		shares -= top[kind] > 0;
	}
}

/* The heat map */

/* How much of KIND there is in row ROW of ROWS, 0 the lowest, of a column with these OFFSETS. */
static double cell_of(const double offsets[HEAT_ROWS], int row, int rows)
{
	const unsigned int from = (unsigned int)row * HEAT_ROWS / (unsigned int)rows;
	const unsigned int to = ((unsigned int)row + 1) * HEAT_ROWS / (unsigned int)rows;
	double sum = 0;

	for (unsigned int i = from; i < to; i++)
		sum += offsets[i];
	return sum / (to - from);
}

static void column_offsets(const struct timepane *t, const struct timeview *tv, const struct time_window *w, int i,
			   double ret[HEAT_ROWS])
{
	const uint64_t from = column_at(w, i), to = from + w->column_ns;

	heat_offsets(&tv->heat, (enum time_kind)t->kind, from, to, ret);
}

static void draw_shade(struct canvas *cv, int x, int y, enum style style, double fraction)
{
	static const uint32_t shades[] = { 0x2591, 0x2592, 0x2593, 0x2588 };

	if (fraction <= 0)
		return;
	if (cv->ascii)
		canvas_spark(cv, x, y, style, fraction < 0.1 ? 0.1 : fraction);
	else
		canvas_fill(cv, x, y, 1, style, shades[fraction >= 1 ? 3 : (int)(fraction * 4)]);
}

/* What stands beside row ROW of ROWS. */
static void draw_offset(const struct time_window *w, struct canvas *cv, int row, int rows)
{
	const bool wide = w->x >= 10;
	const char *text = !row ? wide ? "0 ms" : "0" : row == rows - 1 ? "1 s" : wide ? "500 ms" : "500";

	if (w->x && (!row || row == rows - 1 || (row == rows / 2 && rows >= 5)))
		canvas_text(cv, 1, rows - 1 - row, w->x - 1, STYLE_FAINT, text, strlen(text));
}

static void draw_heat(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		      struct canvas *cv)
{
	const int rows = w->lines < (int)HEAT_ROWS ? w->lines : (int)HEAT_ROWS;
	double offsets[HEAT_ROWS], top = 0;

	for (int i = 0; is_column(w, i); i++) {
		column_offsets(t, tv, w, i, offsets);
		for (int row = 0; row < rows; row++)
			top = cell_of(offsets, row, rows) > top ? cell_of(offsets, row, rows) : top;
	}
	for (int i = 0; top > 0 && is_column(w, i); i++) {
		column_offsets(t, tv, w, i, offsets);
		for (int row = 0; row < rows; row++)
			draw_shade(cv, w->x + i, rows - 1 - row, kinds[t->kind].style,
				   cell_of(offsets, row, rows) / top);
	}
	for (int row = 0; row < rows; row++)
		draw_offset(w, cv, row, rows);
}

/* Axis and cursor */

/* Seconds from one time on the axis to the next. */
static uint64_t tick_seconds(const struct time_window *w)
{
	static const uint64_t steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
					  21600, 43200, 86400 };
	const uint64_t least = w->column_ns * TICK_COLS;
	unsigned int i = 0;
	uint64_t step;

	while (i < sizeof(steps) / sizeof(steps[0]) - 1 && steps[i] * NSEC_PER_SEC < least)
		i++;
	for (step = steps[i]; step * NSEC_PER_SEC < least;)
		step *= 2;
	return step;
}

static void draw_axis(const struct timeview *tv, const struct time_window *w, struct canvas *cv)
{
	const uint64_t every = tick_seconds(w) * NSEC_PER_SEC;
	char text[32];

	for (int i = 0, end = 0; i < w->w; i++) {
		const uint64_t at = timepane_since(tv, column_at(w, i));

		/* Where it all began, and at the first column of each EVERY. */
		if (i < end || (at % every >= w->column_ns && (i || w->left_ns > w->first_ns)))
			continue;
		timepane_time(tv, column_at(w, i), NSEC_PER_SEC, text, sizeof(text));
		end = i + 1 + (int)strlen(text);
		if (end > w->w)
			break;
		canvas_fill(cv, w->x + i, w->axis, 1, STYLE_FAINT, cv->ascii ? '|' : TICK);
		canvas_text(cv, w->x + i + 1, w->axis, w->w - i - 1, STYLE_FAINT, text, strlen(text));
	}
}

/* Marks the columns of R: on the axis, or, where there is none, as a whole. */
static void draw_range(const struct time_window *w, const struct time_range_ns *r, struct canvas *cv)
{
	for (int i = 0; i < w->w && r->to_ns; i++) {
		if (column_at(w, i) + w->column_ns <= r->from_ns || column_at(w, i) >= r->to_ns)
			continue;
		if (w->axis >= 0)
			canvas_fill(cv, w->x + i, w->axis, 1, STYLE_WARN, cv->ascii ? '=' : RANGE);
		for (int y = 0; w->axis < 0 && y < w->lines; y++)
			canvas_restyle(cv, w->x + i, y, 1, STYLE_CURSOR);
	}
}

static void draw_cursor(const struct time_window *w, struct canvas *cv)
{
	const int x = w->x + (int)((w->cursor_ns - w->left_ns) / w->column_ns);

	for (int y = 0; y < w->lines + (w->axis >= 0); y++)
		canvas_restyle(cv, x, y, 1, STYLE_CURSOR);
}

void timepane_draw(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		   const struct time_range_ns *chosen, bool aside, struct canvas *cv)
{
	if (tv->end_ns <= tv->from_ns) {
		canvas_text_cut(cv, 1, 0, cv->w - 2, STYLE_FAINT, NO_TIMES, strlen(NO_TIMES));
		return;
	}
	if (t->heat)
		draw_heat(t, tv, w, cv);
	else
		draw_strip(tv, w, cv);
	if (w->axis >= 0)
		draw_axis(tv, w, cv);
	draw_range(w, t->marking ? &w->marked : chosen, cv);
	if (!aside)
		draw_cursor(w, cv);
}

/* Words */

static void timedraw_put_length(struct text_builder *w, uint64_t ns)
{
	char text[UNITS_MAX];

	if (ns % NSEC_PER_SEC || ns > 60 * NSEC_PER_SEC)
		text_builder_put(w, "%s", units_time(text, ns));
	else
		text_builder_put(w, "%u s", (unsigned int)(ns / NSEC_PER_SEC));
}

void timepane_rule(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		   struct canvas *cv, int y)
{
	const uint64_t right = column_at(w, w->w - 1);
	char title[TIMEPANE_TEXT];
	struct text_builder text = text_builder_in(title, sizeof(title));

	text_builder_put(&text, t->heat ? "time" TEXT_BUILDER_DOT "heat map, %s" : "time", kinds[t->kind].name);
	text_builder_put(&text, TEXT_BUILDER_DOT);
	timedraw_put_length(&text, w->column_ns);
	text_builder_put(&text, " a column");
	if (tv->filtered)
		text_builder_put(&text, t->heat ? TEXT_BUILDER_DOT "of everything" : TEXT_BUILDER_DOT "filtered");
	if (w->newest_ns > right) {
		text_builder_put(&text, TEXT_BUILDER_DOT);
		timedraw_put_length(&text, w->newest_ns - right);
		text_builder_put(&text, " newer");
	}
	pane_common_rule(cv, y, cv->w, title);
}

/* How fully something is said. */
enum form { FORM_FULL, FORM_LEVELS, FORM_SHORT, FORM_LEAST, FORMS };

static void put_levels(struct text_builder *w, const struct timeview *tv, const struct time_range_ns *r, enum form form)
{
	double level[TIME_NR];

	timedraw_levels(tv, r->from_ns, r->to_ns, level);
	text_builder_put(w, TEXT_BUILDER_DOT "%s %.2f", form < FORM_SHORT ? "running" : "run", level[TIME_RUNNING]);
	if (tv->off_cpu && form < FORM_LEAST)
		text_builder_put(w, TEXT_BUILDER_DOT "%s %.2f", form < FORM_SHORT ? "runnable" : "rq",
				 level[TIME_RUNNABLE]);
	if (tv->off_cpu)
		text_builder_put(w, TEXT_BUILDER_DOT "%s %.2f", form < FORM_SHORT ? "blocked" : "blk",
				 level[TIME_BLOCKED]);
}

static void put_status(struct text_builder *words, const struct timepane *t, const struct timeview *tv,
		       const struct time_window *w, enum form form)
{
	const struct time_range_ns cursor = { w->cursor_ns, w->cursor_ns + w->column_ns };
	const struct time_range_ns *r = t->marking ? &w->marked : &cursor;
	char time[80];

	text_builder_put(words, "%s", t->marking ? timepane_range(tv, r, w->column_ns, time, sizeof(time)) :
		  timepane_time(tv, r->from_ns, w->column_ns, time, sizeof(time)));
	put_levels(words, tv, r, form);
	if (form == FORM_FULL)
		text_builder_put(words, "%s", t->marking ? TEXT_BUILDER_DOT
				 "Enter shows only this" : t->back ? "" : TEXT_BUILDER_DOT "newest");
}

void timepane_status(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		     struct canvas *cv, int y)
{
	char text[TIMEPANE_TEXT];
	struct text_builder words;

	for (enum form form = FORM_FULL; form < FORMS; form++) {
		words = text_builder_in(text, sizeof(text));
		put_status(&words, t, tv, w, form);
		if ((int)text_width(text, words.n) <= cv->w - 2)
			break;
	}
	canvas_text(cv, 1, y, cv->w - 2, STYLE_TITLE, text, words.n);
}
