/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timepane.c - the state of the pane of time: how long a column is, where columns are, and where
 * the cursor is.
 */
#include "config.h"

#include "ui/panes/timepane.h"

#include "base/clock.h"
#include "ui/text_builder.h"

#include <inttypes.h>
#include <stdio.h>

#define MINUTE (60 * NSEC_PER_SEC)
#define HOUR (60 * MINUTE)

static const uint64_t lengths[] = {
	100 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC, 500 * NSEC_PER_MSEC, NSEC_PER_SEC, 2 * NSEC_PER_SEC, 5 * NSEC_PER_SEC,
	10 * NSEC_PER_SEC, 30 * NSEC_PER_SEC, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR,
	2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR,
};

#define SCALES (sizeof(lengths) / sizeof(lengths[0]))

/* The refresh takes the place of the next longer one. */
static uint64_t timepane_length_of(const struct timepane *t, unsigned int scale)
{
	const uint64_t before = scale ? lengths[scale - 1] : 0;

	return t->refresh_ns > before && t->refresh_ns < lengths[scale] ? t->refresh_ns : lengths[scale];
}

static uint64_t timepane_grid(uint64_t time_ns, uint64_t column_ns)
{
	return time_ns - time_ns % column_ns;
}

/*
 * Puts first and newest column of W, which has its length. What has not ended yet counts when
 * nothing more will come.
 */
static void put_ends(struct time_window *w, const struct timeview *tv)
{
	const uint64_t end = tv->ended && tv->end_ns > tv->from_ns ? tv->end_ns - 1 + w->column_ns : tv->end_ns;

	w->first_ns = timepane_grid(tv->from_ns, w->column_ns);
	w->newest_ns = timepane_grid(end, w->column_ns);
	w->newest_ns = w->newest_ns > w->first_ns + w->column_ns ? w->newest_ns - w->column_ns : w->first_ns;
}

static uint64_t columns_between(const struct time_window *w, uint64_t from_ns, uint64_t to_ns)
{
	return (to_ns - from_ns) / w->column_ns;
}

/* Puts the length of columns, and with it their ends. */
static void timepane_put_scale(struct time_window *w, const struct timepane *t, const struct timeview *tv)
{
	const uint64_t least = t->heat ? NSEC_PER_SEC : 0, wanted = t->scaled || t->fit ? 0 : t->refresh_ns;
	unsigned int scale = t->scaled ? t->scale : 0;

	while (scale < SCALES - 1 && (timepane_length_of(t, scale) < wanted || timepane_length_of(t, scale) < least))
		scale++;
	w->column_ns = timepane_length_of(t, scale);
	put_ends(w, tv);
	while (t->fit && !t->scaled && scale < SCALES - 1 &&
	       columns_between(w, w->first_ns, w->newest_ns) >= (uint64_t)w->w) {
		w->column_ns = timepane_length_of(t, ++scale);
		put_ends(w, tv);
	}
}

/* Where the columns begin so that the cursor is on screen. */
static uint64_t left_of(const struct timepane *t, const struct time_window *w)
{
	const uint64_t wide = (uint64_t)(w->w - 1) * w->column_ns;
	uint64_t left;

	if (!t->back)
		return w->newest_ns - w->first_ns > wide ? w->newest_ns - wide : w->first_ns;
	left = timepane_grid(t->left_ns, w->column_ns);
	left = left < w->first_ns ? w->first_ns : left > w->newest_ns ? w->newest_ns : left;
	left = left > w->cursor_ns ? w->cursor_ns : left;
	return w->cursor_ns - left > wide ? w->cursor_ns - wide : left;
}

static void put_cursor(struct time_window *w, const struct timepane *t)
{
	const uint64_t cursor = timepane_grid(t->cursor_ns, w->column_ns),
		mark = timepane_grid(t->mark_ns, w->column_ns);

	w->cursor_ns = !t->back || cursor > w->newest_ns ? w->newest_ns : cursor < w->first_ns ? w->first_ns : cursor;
	w->left_ns = left_of(t, w);
	if (t->marking)
		w->marked = (struct time_range_ns){ mark < w->cursor_ns ? mark : w->cursor_ns,
						    (mark > w->cursor_ns ? mark : w->cursor_ns) + w->column_ns };
}

struct time_window timepane_window(const struct timepane *t, const struct timeview *tv, int w, int h)
{
	struct time_window r = { .x = w >= 60 ? 10 : w >= 30 ? 5 : 0, .axis = h >= 3 ? h - 1 : -1 };

	r.w = w - r.x > 0 ? w - r.x : 1;
	r.lines = r.axis < 0 ? h : h - 1;
	timepane_put_scale(&r, t, tv);
	put_cursor(&r, t);
	return r;
}

static void timepane_go_to(struct timepane *t, const struct time_window *w, uint64_t column_ns)
{
	t->left_ns = w->left_ns;
	t->cursor_ns = column_ns;
	t->back = column_ns < w->newest_ns;
}

/* FROM_NS moved by COLUMNS, no further than the ends. */
static uint64_t timepane_moved(const struct time_window *w, uint64_t from_ns, int64_t columns)
{
	const uint64_t before = columns_between(w, w->first_ns, from_ns),
		after = columns_between(w, from_ns, w->newest_ns);

	if (columns < 0)
		return from_ns - ((uint64_t)-columns < before ? (uint64_t)-columns : before) * w->column_ns;
	return from_ns + ((uint64_t)columns < after ? (uint64_t)columns : after) * w->column_ns;
}

void timepane_move(struct timepane *t, const struct time_window *w, int64_t columns)
{
	timepane_go_to(t, w, timepane_moved(w, w->cursor_ns, columns));
}

void timepane_page(struct timepane *t, const struct time_window *w, int pages)
{
	const uint64_t last = timepane_moved(w, w->newest_ns, 1 - w->w),
		       left = timepane_moved(w, w->left_ns, (int64_t)pages * w->w);

	timepane_go_to(t, w, timepane_moved(w, w->cursor_ns, (int64_t)pages * w->w));
	t->left_ns = left < last ? left : last;
}

bool timepane_to(struct timepane *t, const struct time_window *w, int x)
{
	uint64_t at;

	if (x < w->x || x >= w->x + w->w)
		return false;
	at = w->left_ns + (uint64_t)(x - w->x) * w->column_ns;
	timepane_go_to(t, w, at < w->newest_ns ? at : w->newest_ns);
	return true;
}

bool timepane_rescale(struct timepane *t, const struct time_window *w, int by)
{
	unsigned int scale = 0;
	uint64_t x;

	while (scale < SCALES - 1 && timepane_length_of(t, scale) < w->column_ns)
		scale++;
	if ((by < 0 && (!scale || (t->heat && timepane_length_of(t, scale - 1) < NSEC_PER_SEC))) ||
	    (by > 0 && scale == SCALES - 1))
		return false;
	t->scaled = true;
	t->scale = by > 0 ? scale + 1 : scale - 1;
	x = columns_between(w, w->left_ns, w->cursor_ns) * timepane_length_of(t, t->scale);
	t->cursor_ns = w->cursor_ns;
	t->left_ns = w->cursor_ns > x ? w->cursor_ns - x : 0;
	return true;
}

uint64_t timepane_since(const struct timeview *tv, uint64_t time_ns)
{
	const uint64_t start = timepane_grid(tv->start_ns, NSEC_PER_SEC);

	return time_ns > start ? time_ns - start : 0;
}

char *timepane_time(const struct timeview *tv, uint64_t time_ns, uint64_t column_ns, char *dst, size_t size)
{
	const uint64_t since = timepane_since(tv, time_ns), s = since / NSEC_PER_SEC;
	struct text_builder w = text_builder_in(dst, size);

	text_builder_put(&w, "%02" PRIu64 ":%02u:%02u", s / 3600, (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
	if (column_ns % NSEC_PER_SEC)
		text_builder_put(&w, ".%u", (unsigned int)(since / (NSEC_PER_SEC / 10) % 10));
	return dst;
}

char *timepane_range(const struct timeview *tv, const struct time_range_ns *r, uint64_t column_ns,
		     char *dst, size_t size)
{
	char from[32], to[32];

	snprintf(dst, size, "%s to %s", timepane_time(tv, r->from_ns, column_ns, from, sizeof(from)),
		 timepane_time(tv, r->to_ns, column_ns, to, sizeof(to)));
	return dst;
}
