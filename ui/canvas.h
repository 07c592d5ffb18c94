/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas.h - a grid of styled cells. Everything is drawn through it, and it sanitises all text.
 *
 * Positions are columns and rows from 0 at the top left, as int. What lies outside the clip
 * rectangle is not drawn, so panes need not check. A wide character takes two cells; one that does
 * not fit becomes blanks. Combining marks join the cell before. In ASCII mode every cell holds
 * printable ASCII.
 */
#ifndef SBERF_UI_CANVAS_H
#define SBERF_UI_CANVAS_H

#include "base/cleanup.h"
#include "ui/style.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_MARKS 2u            /* combining marks kept per cell; further ones are dropped */
#define CANVAS_SIDE_MAX 4096     /* columns or rows */

struct cell {
	uint32_t ch;             /* a character; 0 = the right half of the wide character before it */
	uint32_t mark[CELL_MARKS];       /* 0 = none */
	uint8_t style;           /* enum style */
	uint8_t width;           /* 1, 2, or 0 for the right half */
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int w, h;                /* at least 1 each */
	int stride;              /* cells from one row to the next */
	bool ascii;
	struct rect clip;        /* always inside the canvas */
	struct cell *cell;       /* row by row */
};

/*
 * The *part* R of CV as a canvas with its origin at the corner of R; drawing there draws on CV. R
 * must lie on CV and have cells. The part borrows CV's cells: do not resize or free it, and do not
 * use it after CV.
 */
struct canvas canvas_part(const struct canvas *cv, const struct rect *r);

/* NULL when out of memory. Sizes are clamped to 1 .. CANVAS_SIDE_MAX. Blank, unclipped. */
struct canvas *canvas_new(int w, int h, bool ascii);
void canvas_free(struct canvas *cv);                     /* NULL is fine */

/* Changes the size and blanks everything; false when out of memory (unchanged). */
bool canvas_resize(struct canvas *cv, int w, int h);
/* Blanks everything and lifts the clip. */
void canvas_clear(struct canvas *cv);
/* Draws only inside R (cut to the canvas) until the next call; NULL = everywhere. */
void canvas_clip(struct canvas *cv, const struct rect *r);

/* The cell at (X, Y), which must be on the canvas. */
const struct cell *canvas_at(const struct canvas *cv, int x, int y);
/* True when both look the same. */
bool cell_same(const struct cell *a, const struct cell *b);

/*
 * Draws the LEN bytes at S from (X, Y), sanitised, never beyond COLS columns. Returns the columns
 * used. Text that is too long is cut at its end (canvas_text) or loses its middle to an ellipsis
 * (canvas_text_cut).
 */
int canvas_text(struct canvas *cv, int x, int y, int cols, enum style style, const char *s, size_t len);
int canvas_text_cut(struct canvas *cv, int x, int y, int cols, enum style style, const char *s, size_t len);
/* The same for NUL-terminated text, without a limit but the clip. */
int canvas_put(struct canvas *cv, int x, int y, enum style style, const char *s);
int canvas_printf(struct canvas *cv, int x, int y, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* One character N times. */
void canvas_fill(struct canvas *cv, int x, int y, int n, enum style style, uint32_t ch);
/*
 * Gives each cell of a run the style STYLE; if STYLE is STYLE_CURSOR, a match gets the cursor's own
 * style of a match.
 */
void canvas_restyle(struct canvas *cv, int x, int y, int n, enum style style);

/*
 * A bar of at most COLS columns for FRACTION (0 to 1, clamped) in eighths of a column; whole
 * columns of '#' in ASCII.
 */
void canvas_bar(struct canvas *cv, int x, int y, int cols, enum style style, double fraction);
/*
 * The same for PARTS bars in one, one after the other, each with its style and fraction of COLS. A
 * column has one colour: that of the part that has most of it.
 */
struct bar_part {
	enum style style;
	double fraction;
};
void canvas_bars(struct canvas *cv, int x, int y, int cols, const struct bar_part *part, int parts);
/* Draws FRACTION (0 to 1, clamped) as the height of one column; in ASCII as one of " .:-=+*#". */
void canvas_spark(struct canvas *cv, int x, int y, enum style style, double fraction);

/* The canvas as text, one line a row, trailing blanks cut; the caller frees it. NULL when out of memory. */
char *canvas_dump(const struct canvas *cv);
/* The same with the letter of each cell's style in place of its character. */
char *canvas_dump_styles(const struct canvas *cv);

DEFINE_AUTO(canvas_free, struct canvas);

#endif
