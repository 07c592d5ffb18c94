/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * style.h - what a cell of the screen means, and the one table of colours.
 *
 * Panes never name a colour: they say what a cell is (running time, a key, a warning) and the table below says how that looks
 * with 256, 16 and 8 colours and with none. The hues are readable on dark and on light backgrounds; the background is always
 * the terminal's own.
 */
#ifndef SBERF_UI_STYLE_H
#define SBERF_UI_STYLE_H

#include <stdint.h>

/* How a style looks without or beside its colour: a mask of these. */
enum look {
	LOOK_PLAIN = 0,
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_UNDERLINE = 4,
	LOOK_REVERSE = 8,
};

#define COLOUR_NONE (-1)         /* the terminal's own foreground */

/*     id, letter in style dumps, colour of 256, colour of 16, colour of 8, look with colours, look without */
#define STYLES(X) \
	X(TEXT, ' ', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_PLAIN, LOOK_PLAIN) \
	X(TITLE, 't', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_BOLD, LOOK_BOLD) \
	X(FAINT, 'd', 244, 8, COLOUR_NONE, LOOK_PLAIN, LOOK_DIM) \
	X(KEY, 'k', 31, 6, 6, LOOK_BOLD, LOOK_BOLD) \
	X(RUNNING, 'g', 34, 2, 2, LOOK_PLAIN, LOOK_PLAIN) \
	X(RUNNABLE, 'y', 136, 3, 3, LOOK_PLAIN, LOOK_PLAIN) \
	X(BLOCKED, 'r', 160, 1, 1, LOOK_PLAIN, LOOK_PLAIN) \
	X(FAR, 'm', 133, 5, 5, LOOK_PLAIN, LOOK_PLAIN) \
	X(DOUBT, 'q', 244, 8, COLOUR_NONE, LOOK_PLAIN, LOOK_DIM) \
	X(WARN, 'w', 136, 3, 3, LOOK_BOLD, LOOK_BOLD) \
	X(ALERT, 'a', 160, 1, 1, LOOK_BOLD, LOOK_BOLD) \
	X(MATCH, 'f', 136, 3, 3, LOOK_BOLD | LOOK_UNDERLINE, LOOK_BOLD | LOOK_UNDERLINE) \
	X(CURSOR, '#', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_REVERSE, LOOK_REVERSE) \
	X(CURSOR_MATCH, '%', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_REVERSE | LOOK_BOLD | LOOK_UNDERLINE, \
	  LOOK_REVERSE | LOOK_BOLD | LOOK_UNDERLINE)

enum style {
#define X(id, letter, c256, c16, c8, look, mono) STYLE_##id,
	STYLES(X)
#undef X
	STYLE_NR
};

struct style_info {
	char letter;
	int16_t colour256, colour16, colour8;    /* COLOUR_NONE = leave it */
	uint8_t look, look_mono;                 /* masks of enum look */
};

/* Never NULL; for an unknown STYLE that of STYLE_TEXT. */
const struct style_info *style_info(unsigned int style);

#endif
