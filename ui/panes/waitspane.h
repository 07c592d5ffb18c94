/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitspane.h - draws the list of waits: class, call, stack, waker, with totals and a histogram of lengths; then the threads
 * that still wait. The treeview shows the tree of waitsview.h; all functions do nothing for another one.
 */
#ifndef SBERF_UI_PANES_WAITSPANE_H
#define SBERF_UI_PANES_WAITSPANE_H

#include "ui/canvas.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* The rule at row Y of the canvas, with TITLE in it, heads and the scale of the histogram. */
void waitspane_rule(const struct treeview *tv, struct canvas *cv, int y, const char *title);
/* The rows of TV that are on screen, from row Y on, at most LINES. S marks matches; NULL = none. */
void waitspane_rows(const struct treeview *tv, struct canvas *cv, int y, int lines, const struct search *s);
/* One line about the row under the cursor. */
void waitspane_status(const struct treeview *tv, struct canvas *cv, int y);
/* True when column X at row Y (of the pane) is on the fold mark of that line. */
bool waitspane_on_mark(const struct treeview *tv, int w, int x, int y);

/* The frames of the stacks on the LINES > 0 rows that are on screen, at most MAX into RET, shared evenly. Returns how many. */
size_t waitspane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max);

#endif
