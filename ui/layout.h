/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.h - places the open panes on the screen. Pure: the same sizes give the same rectangles.
 *
 * Panes stand in *columns*, from top to bottom and from left to right in their order. There are as
 * many columns as can have LAYOUT_COLS columns of the screen each, which names with figures need;
 * one column of the screen separates two of them. The first pane, the tree, has most to show: it
 * gets a column of its own where the others still have LAYOUT_GOOD_LINES lines each. Within a
 * column lines are shared by weight. A pane gets at least LAYOUT_LINES lines or is not shown; the
 * one in focus always is.
 */
#ifndef SBERF_UI_LAYOUT_H
#define SBERF_UI_LAYOUT_H

#include "ui/canvas.h"

#define LAYOUT_PANES_MAX 16u
#define LAYOUT_COLS 90
#define LAYOUT_LINES 5           /* its rule is one of them */
#define LAYOUT_GOOD_LINES 10

/*
 * Places N panes (1 to LAYOUT_PANES_MAX) in ROOM; FOCUS (below N) is the one in focus. WEIGHT[i],
 * at least 1, is the share of lines of pane I. RET[i] is its rectangle, with h = 0 if it is not
 * shown. The panes shown cover all of ROOM but the columns between. Returns how many are shown: 0
 * when ROOM has no cells, else at least 1.
 */
unsigned int layout_panes(const struct rect *room, const unsigned int *weight, unsigned int n, unsigned int focus,
			  struct rect *ret);

#endif
