/* SPDX-License-Identifier: BSD-2-Clause */
/* keyhelp.c - see keyhelp.h. Two columns of keys where there is room for them; where there is little, only the first of several keys. */
#include "config.h"

#include "ui/keyhelp.h"

#include <string.h>

#define KEYS_COLS 14
#define LEAST_COLS 40            /* a column with less than that */
#define FIRST_KEY_COLS 7
#define COLUMN_COLS 49           /* a screen of at least two of these and margins shows two columns */

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
	const struct binding *b;
	int valid = 0, at = 0, each;
	size_t n;

	b = keymap(&n);
	for (size_t i = 0; i < n; i++)
		valid += binding_valid(&b[i], mode, can);
	each = (valid + columns - 1) / columns;
	if (*top > each - lines)
		*top = each - lines;
	if (*top < 0)
		*top = 0;
	for (size_t i = 0; i < n; i++) {
		int line;

		if (!binding_valid(&b[i], mode, can))
			continue;
		line = at % each - *top;
		if (line >= 0 && line < lines)
			draw_binding(cv, 1 + at / each * cols, y + line, &b[i], cols);
		at++;
	}
	return each;
}
