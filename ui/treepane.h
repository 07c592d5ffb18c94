/* SPDX-License-Identifier: BSD-2-Clause */
/* treepane.h - draws a treeview: a rule with title and column heads, then one line a row. */
#ifndef SBERF_UI_TREEPANE_H
#define SBERF_UI_TREEPANE_H

#include "ui/canvas.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* The rule at row Y of the canvas, with TITLE in it; a long one is cut. */
void treepane_rule(const struct treeview *tv, struct canvas *cv, int y, const char *title);

/* The rows of TV that are on screen, from row Y on, at most LINES. S marks matches; NULL = none. */
void treepane_rows(const struct treeview *tv, struct canvas *cv, int y, int lines, const struct search *s);

/* One line about the node under the cursor: name, place, self, share of its parent, row n of m. */
void treepane_status(const struct treeview *tv, struct canvas *cv, int y);

/* True when column X at row Y (of the pane) is on the fold mark of that line. */
bool treepane_on_mark(const struct treeview *tv, int w, int x, int y);

#endif
