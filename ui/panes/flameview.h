/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flameview.h - a treeview as a flame graph: its rows are the visible frames, in the order of
 * flamelayout.h, and the one under the cursor, however narrow. So cursor, zoom, search and
 * refreshes work as in the call tree. Knows nothing of cells or keys.
 */
#ifndef SBERF_UI_PANES_FLAMEVIEW_H
#define SBERF_UI_PANES_FLAMEVIEW_H

#include "ui/panes/flamelayout.h"
#include "ui/treeview.h"

#include <stddef.h>
#include <stdint.h>

struct flameview {
	struct flame_layout layout;      /* by row */
	int width;                       /* columns */
	uint32_t top;                    /* first level on screen */
};

static inline struct flameview *flameview_of(const struct treeview *tv)
{
	return tv->own;
}

/* Makes TV, which is empty, a flame graph. F, zeroed, is borrowed for its life. */
void flameview_init(struct treeview *tv, struct flameview *f);
void flameview_free(struct flameview *f);

/*
 * Begins with the zoom and the cursor of LINES, a call tree of the same question, if the user has
 * moved there. Does nothing when the user has moved in TV.
 */
void flameview_begin_at(struct treeview *tv, const struct treeview *lines);

/* The frame of a row, which there is; that under the cursor, NULL when there are no rows. */
const struct flame_frame *flameview_frame(const struct treeview *tv, size_t row);
const struct flame_frame *flameview_here(const struct treeview *tv);

/* Moving the cursor. Folded idle waits are skipped; the cursor never leaves the zoom. */

/* BY levels towards the leaves along the heaviest path, or, when BY is negative, towards the root. */
void flameview_down(struct treeview *tv, long by);
/*
 * To the next sibling, or, after the last one, to the next frame of the level; RIGHT = false: the
 * other way.
 */
void flameview_aside(struct treeview *tv, bool right);
/* To the end of the heaviest path through the frame. */
void flameview_last(struct treeview *tv);
/* Scrolls by BY levels as far as there are any; a cursor that would leave the screen goes along its path. */
void flameview_scroll(struct treeview *tv, long by);
/* Zooms into the frame under the cursor; on the top frame out again. */
void flameview_zoom(struct treeview *tv);

#endif
