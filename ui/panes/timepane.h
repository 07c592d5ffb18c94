/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timepane.h - the pane of time: a strip of the last minutes with a cursor, a range, and the heat
 * map of offsets.
 *
 * A *column* of the pane is a run of time on a fixed grid; the newest complete one is at the right.
 * The *strip* has a bar for each kind of time, scaled to the highest on screen. The *heat map* has
 * a column for each second, and a row for each offset in it, from 0 at the bottom: what recurs
 * every second is a line. The strip follows the filters; the heat map shows everything, since
 * slices do not say when in them time was spent.
 *
 * Pure: state and data in, cells out.
 */
#ifndef SBERF_UI_PANES_TIMEPANE_H
#define SBERF_UI_PANES_TIMEPANE_H

#include "ui/canvas.h"
#include "query/timeview.h"

#include <stdbool.h>
#include <stdint.h>

/* What the user did. Times are CLOCK_MONOTONIC. A zeroed one needs refresh_ns. */
struct timepane {
	uint64_t refresh_ns;             /* columns are no shorter unless asked for */
	bool fit;                        /* unless asked for otherwise, as long as it takes to see all */
	bool scaled;                     /* asked for: */
	unsigned int scale;              /* index of a length of columns */
	/* the cursor is at cursor_ns and columns stay where they are; else it follows the newest */
	bool back;
	uint64_t cursor_ns, left_ns;
	bool marking;                    /* a range goes from mark_ns to the cursor */
	uint64_t mark_ns;
	bool pressed;                    /* the mouse is, since the cursor was put to press_ns */
	uint64_t press_ns;
	bool heat;                       /* the heat map, */
	uint8_t kind;                    /* of this enum time_kind */
};

struct time_range_ns {
	uint64_t from_ns, to_ns;         /* to exclusive; both 0 = none */
};

/* What of time is on a pane, and where. */
struct time_window {
	int x, w;                        /* the columns of cells that are columns of time */
	int lines, axis;                 /* lines above the axis; its row, -1 = none */
	uint64_t column_ns;
	uint64_t first_ns, newest_ns;    /* beginning of the columns that there are: the first and the last */
	uint64_t left_ns;                /* ... that is furthest left */
	uint64_t cursor_ns;              /* ... under the cursor */
	struct time_range_ns marked;     /* with the cursor at its other end */
};

/* For a pane of W x H cells below its rule. */
struct time_window timepane_window(const struct timepane *t, const struct timeview *tv, int w, int h);

/* Moves the cursor by COLUMNS; at the newest one it follows again. */
void timepane_move(struct timepane *t, const struct time_window *w, int64_t columns);
/* Moves it and what is on screen by PAGES. */
void timepane_page(struct timepane *t, const struct time_window *w, int pages);
/* Moves it to column X of the pane; false when there is none. */
bool timepane_to(struct timepane *t, const struct time_window *w, int x);
/* Longer (BY = 1) or shorter (BY = -1) columns; the cursor stays where it is. False when there are none. */
bool timepane_rescale(struct timepane *t, const struct time_window *w, int by);

#define TIMEPANE_TEXT 512

/*
 * How long after the beginning of the capture TIME_NS is. It counts from a whole second on, as
 * columns and slices do.
 */
uint64_t timepane_since(const struct timeview *tv, uint64_t time_ns);
/* "00:01:05", timepane_since(); tenths where columns are shorter than a second. Returns DST. */
char *timepane_time(const struct timeview *tv, uint64_t time_ns, uint64_t column_ns, char *dst, size_t size);
/* "00:01:05 to 00:01:12" */
char *timepane_range(const struct timeview *tv, const struct time_range_ns *r, uint64_t column_ns,
		     char *dst, size_t size);

/* The rule at row Y. */
void timepane_rule(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		   struct canvas *cv, int y);
/* All below it. CHOSEN is what other panes show; ASIDE: keys go elsewhere. */
void timepane_draw(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		   const struct time_range_ns *chosen, bool aside, struct canvas *cv);
/* One line about the column under the cursor, or the range. */
void timepane_status(const struct timepane *t, const struct timeview *tv, const struct time_window *w,
		     struct canvas *cv, int y);

#endif
