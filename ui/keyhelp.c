/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyhelp.c - draws the help screen. There are two columns of keys where they fit; where there is
 * little room, only the first of several keys for one action.
 */
#include "config.h"

#include "ui/keyhelp.h"

#include <string.h>

#define KEYS_COLS 14
#define LEAST_COLS 40            /* a column with less than that */
#define FIRST_KEY_COLS 7
#define COLUMN_COLS 49           /* a screen of at least two of these and margins shows two columns */

/*
 * What somebody needs who is here for the first time, in this order. The other keys come behind an
 * empty line. Where there are few keys, they are seen at once and stand in the order of the table.
 */
static const enum action keyhelp_first[] = {
	ACT_UP, ACT_DOWN, ACT_TOGGLE, ACT_IN_TREE, ACT_THREAD, ACT_ATTACH, ACT_SEARCH, ACT_ZOOM, ACT_SORT,
		ACT_WAITS, ACT_FUNCS,
	ACT_IDLE, ACT_QUIT,
};
#define NR_FIRST (sizeof(keyhelp_first) / sizeof(keyhelp_first[0]))
#define FEW 20u
#define LINES_MAX 256u

static size_t keyhelp_place(enum action a)
{
	size_t i = 0;

	while (i < NR_FIRST && keyhelp_first[i] != a)
		i++;
	return i;
}

/* The lines of the help, at most LINES_MAX, NULL = an empty one. Returns how many. */
static size_t keyhelp_lines(enum ui_mode mode, unsigned int can, const struct binding **line)
{
	size_t n, valid = 0, nr = 0;
	const struct binding *b = keymap(&n);
	bool few;

	for (size_t i = 0; i < n; i++)
		valid += binding_valid(&b[i], mode, can);
	few = valid <= FEW;
	for (size_t place = few ? NR_FIRST : 0; place <= NR_FIRST; place++) {
		if (place == NR_FIRST && nr)
			line[nr++] = NULL;
		for (size_t i = 0; i < n && nr + 1 < LINES_MAX; i++)
			if (binding_valid(&b[i], mode, can) && (few || keyhelp_place(b[i].action) == place))
				line[nr++] = &b[i];
	}
	return nr;
}

static void draw_binding(struct canvas *cv, int x, int y, const struct binding *b, int cols)
{
	const int keys = cols < LEAST_COLS - 2 ? FIRST_KEY_COLS : KEYS_COLS;
	const size_t len = keys == KEYS_COLS ? strlen(b->shown) : strcspn(b->shown, " ");

	canvas_text_cut(cv, x, y, keys - 1, STYLE_KEY, b->shown, len);
	canvas_text_cut(cv, x + keys, y, cols - keys, STYLE_TEXT, b->help, strlen(b->help));
}

int keyhelp_draw(struct canvas *cv, int y, int lines, enum ui_mode mode, unsigned int can, int *top)
{
	const int columns = cv->w >= 2 * COLUMN_COLS + 2 ? 2 : 1;
	const int cols = (cv->w - 2) / columns;
	const struct binding *line[LINES_MAX];
	const int n = (int)keyhelp_lines(mode, can, line), each = (n + columns - 1) / columns;

	if (*top > each - lines)
		*top = each - lines;
	if (*top < 0)
		*top = 0;
	for (int i = 0; i < n; i++) {
		const int at = i % each - *top;

		if (line[i] && at >= 0 && at < lines)
			draw_binding(cv, 1 + i / each * cols, y + at, line[i], cols);
	}
	return each;
}
