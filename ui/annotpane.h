/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotpane.h - draws the code of a function over the panes: a rule, a line of heads, and rows with
 * their shares of the function's time.
 *
 * Figures are refreshed; the cursor stays on its line or instruction. Until a key moves it, it is
 * on the hottest row.
 */
#ifndef SBERF_UI_ANNOTPANE_H
#define SBERF_UI_ANNOTPANE_H

#include "annotate/annotation.h"
#include "ui/canvas.h"
#include "ui/search.h"

#include <stdbool.h>
#include <stddef.h>

struct annotview {
	bool shown;
	struct listing_of of;            /* the function */
	char why[ERR_TEXT_MAX];          /* why it cannot be shown, a sentence; "" = it can */
	struct annotation *a;            /* owned; NULL = it is being read */
	enum annot_layout layout;
	size_t cursor, top, height;      /* rows; height is that of the last drawing, at least 1 */
	size_t matches;                  /* of the search, in this layout */
	int first;                       /* line of the last drawing on which the first row stands */
	int x;                           /* columns of text that are scrolled out to the left */
	bool moved;                      /* by the user */
	struct search search;            /* only its text is used */
};

void annotview_clear(struct annotview *v);       /* as when it was not shown yet; the layout stays */

/* Shows A, which V owns from now on, instead of what it showed. */
void annotview_show(struct annotview *v, struct annotation *a);
void annotview_move(struct annotview *v, long by);
void annotview_to_row(struct annotview *v, size_t row);  /* SIZE_MAX: the last */
void annotview_scroll(struct annotview *v, int cols);    /* sideways */
void annotview_hottest(struct annotview *v);
/*
 * Goes to the next match of the search; without a search to the next of the hottest rows; BACK: to
 * the previous one. False when there is none.
 */
bool annotview_next(struct annotview *v, bool back);
/* Goes to the first match from row FROM on; false when there is none. */
bool annotview_find(struct annotview *v, size_t from);
void annotview_set_layout(struct annotview *v, enum annot_layout layout);

/* Draws on all of CV. KINDS says in words which time is shown; RULE: the first line is a rule. */
void annotpane_draw(struct annotview *v, struct canvas *cv, const char *kinds, bool rule);
/* Draws a line about the row under the cursor at row Y. */
void annotpane_status(const struct annotview *v, struct canvas *cv, int y);
/* The row at line Y of what annotpane_draw() drew; SIZE_MAX = none. */
size_t annotpane_at(const struct annotview *v, int y);

#endif
