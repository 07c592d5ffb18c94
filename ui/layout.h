/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.h - where the open panes stand on a screen. Pure: the same sizes give the same rectangles.
 *
 * Panes stand in *columns*, from top to bottom and from left to right in their own order. There are as many columns as leave
 * each of them LAYOUT_COLS columns of the screen, for what has names and figures needs so many; between two of them one
 * column of the screen stays free. The first pane has a column of its own where that leaves the others LAYOUT_GOOD_LINES
 * lines each: that is the tree, which has most to say. Within a column the lines are shared by weight. A pane gets
 * LAYOUT_LINES lines or is not shown; the one in focus always is.
 */
#ifndef SBERF_UI_LAYOUT_H
#define SBERF_UI_LAYOUT_H

#include "ui/canvas.h"

#define LAYOUT_PANES_MAX 16u
#define LAYOUT_COLS 90
#define LAYOUT_LINES 5           /* its rule is one of them */
#define LAYOUT_GOOD_LINES 10

/*
 * Places N panes (1 to LAYOUT_PANES_MAX), of which number FOCUS (below N) is the one in focus, in ROOM. WEIGHT[i], at least
 * 1, says how many lines pane I deserves compared with others. RET[i] is its rectangle; one that is not shown has h = 0.
 * Those that are shown cover all of ROOM but for the columns between. Returns how many are shown: 0 when ROOM has no cells,
 * else at least 1.
 */
unsigned int layout_panes(const struct rect *room, const unsigned int *weight, unsigned int n, unsigned int focus,
			  struct rect *ret);

#endif
