/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * style.h - the meaning of a cell on the screen, and the only table of colours.
 *
 * Panes never name a colour: they say what a cell is (running time, a key, a warning), and the
 * table below says how that looks with 256, 16 and 8 colours and without. The background is the
 * terminal's own, and often unknown: so colours have a contrast of at least 3:1 with both black and
 * white (tests/unit/test_style.c). Of 256 colours such ones exist in every hue. Of 16 there are
 * few; styles without one keep the terminal's foreground, unless the background is known to be
 * dark.
 */
#ifndef SBERF_UI_STYLE_H
#define SBERF_UI_STYLE_H

#include <stdbool.h>
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

/*
 *     id, letter in style dumps, colour of 256, of 16 on dark, of 16 on any background, look with its
 *     colour, look without
 */
#define STYLES(X) \
	X(TEXT, ' ', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_PLAIN, LOOK_PLAIN) \
	X(TITLE, 't', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_BOLD, LOOK_BOLD) \
	X(FAINT, 'd', 244, 8, 8, LOOK_PLAIN, LOOK_DIM) \
	X(KEY, 'k', 31, 6, COLOUR_NONE, LOOK_BOLD, LOOK_BOLD) \
	X(RUNNING, 'g', 28, 2, COLOUR_NONE, LOOK_PLAIN, LOOK_PLAIN) \
	X(RUNNABLE, 'y', 136, 3, 12, LOOK_PLAIN, LOOK_DIM) \
	X(BLOCKED, 'r', 160, 1, 1, LOOK_PLAIN, LOOK_PLAIN) \
	X(FAR, 'm', 133, 5, 5, LOOK_PLAIN, LOOK_PLAIN) \
	X(DOUBT, 'q', 244, 8, 8, LOOK_PLAIN, LOOK_DIM) \
	X(WARN, 'w', 136, 3, COLOUR_NONE, LOOK_BOLD, LOOK_BOLD) \
	X(ALERT, 'a', 160, 1, 1, LOOK_BOLD, LOOK_BOLD) \
	X(MATCH, 'f', 136, 3, COLOUR_NONE, LOOK_BOLD | LOOK_UNDERLINE, LOOK_BOLD | LOOK_UNDERLINE) \
	X(FLAME_RUNNING, 'G', 28, 2, COLOUR_NONE, LOOK_REVERSE, LOOK_UNDERLINE) \
	X(FLAME_RUNNING2, '1', 65, 2, COLOUR_NONE, LOOK_REVERSE, LOOK_UNDERLINE) \
	X(FLAME_RUNNABLE, 'Y', 136, 3, 12, LOOK_REVERSE, LOOK_UNDERLINE | LOOK_BOLD) \
	X(FLAME_RUNNABLE2, '2', 137, 3, 12, LOOK_REVERSE, LOOK_UNDERLINE | LOOK_BOLD) \
	X(FLAME_BLOCKED, 'R', 160, 1, 1, LOOK_REVERSE, LOOK_UNDERLINE | LOOK_DIM) \
	X(FLAME_BLOCKED2, '3', 167, 1, 1, LOOK_REVERSE, LOOK_UNDERLINE | LOOK_DIM) \
	X(FLAME_MATCH, 'F', 31, 6, COLOUR_NONE, LOOK_REVERSE | LOOK_BOLD, LOOK_REVERSE | LOOK_UNDERLINE) \
	X(CURSOR, '#', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_REVERSE, LOOK_REVERSE) \
	X(CURSOR_MATCH, '%', COLOUR_NONE, COLOUR_NONE, COLOUR_NONE, LOOK_REVERSE | LOOK_BOLD | LOOK_UNDERLINE, \
	  LOOK_REVERSE | LOOK_BOLD | LOOK_UNDERLINE)

enum style {
#define X(id, letter, c256, dark, any, look, mono) STYLE_##id,
	STYLES(X)
#undef X
	STYLE_NR
};

struct style_info {
	char letter;
	int16_t colour256, dark16, any16;        /* COLOUR_NONE = leave it */
	uint8_t look, look_mono;                 /* masks of enum look; where there is no colour for it, the second */
};

/* Never NULL; for an unknown STYLE that of STYLE_TEXT. */
const struct style_info *style_info(unsigned int style);

/*
 * The colour of STYLE among COLOURS colours on a DARK background, or on an unknown one; COLOUR_NONE
 * = the terminal's own.
 */
int style_colour(unsigned int style, int colours, bool dark);
/* Its look there: a mask of enum look. */
unsigned int style_look(unsigned int style, int colours, bool dark);
/*
 * Red, green and blue of COLOUR, 16 to 255 of a 256-colour palette: these are the same on all
 * terminals.
 */
void style_rgb(int colour, unsigned char ret[3]);

/*
 * Whether the background is known to be dark: by SAID, the user's word ("dark" or "light"), else by
 * COLORFGBG as terminals set it ("15;0": the background comes last), else by TERM, the terminal
 * type. Each may be NULL.
 */
bool style_on_dark(const char *said, const char *colorfgbg, const char *term);

#endif
