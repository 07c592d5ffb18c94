/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numapane.h - draws the view by node: parts with their own column heads, rows with figures, and at
 * the right, where there is room, one column for each node. The treeview shows the rows of
 * numaview.h; with other content all functions do nothing.
 */
#ifndef SBERF_UI_PANES_NUMAPANE_H
#define SBERF_UI_PANES_NUMAPANE_H

#include "ui/canvas.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* Whether a screen of W columns has room for accesses from node to node beside the lines of NR nodes. */
bool numapane_beside(int w, uint32_t nr);

/* The rows of TV that are on screen, from row Y on, at most LINES. S marks matches; NULL = none. */
void numapane_rows(const struct treeview *tv, struct canvas *cv, int y, int lines, const struct search *s);
/* One line about the row under the cursor. */
void numapane_status(const struct treeview *tv, struct canvas *cv, int y);
/* True when column X at row Y (of the pane) is on the fold mark of that line. */
bool numapane_on_mark(const struct treeview *tv, int w, int x, int y);

/*
 * The frames of the call paths on the LINES > 0 rows that are on screen, at most MAX into RET,
 * shared evenly. Returns how many.
 */
size_t numapane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max);

#endif
