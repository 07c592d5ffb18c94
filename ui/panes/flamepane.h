/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamepane.h - how a flame graph (flameview.h) looks: a line for each level, the root on top, the part of a frame in the
 * colour of each kind of time that it takes. All functions do nothing for a treeview that is none.
 */
#ifndef SBERF_UI_PANES_FLAMEPANE_H
#define SBERF_UI_PANES_FLAMEPANE_H

#include "ui/canvas.h"
#include "ui/panes/treepane.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* The rule at row Y with TITLE in it, and what is too narrow to be seen. */
void flamepane_rule(const struct treeview *tv, struct canvas *cv, int y, const char *title);

/* The levels that are on screen, from the top of CV on. Frames that S finds stand out; NULL = none. */
void flamepane_rows(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, const struct search *s);

/*
 * One line about the frame under the cursor: name, what it weighs, shares, samples, level n of m. UNIT as profile_meta.unit:
 * what weights count when they are no time.
 */
void flamepane_status(const struct treeview *tv, const struct tree_look *look, const char *unit, struct canvas *cv, int y);

/* The row of the frame at column X of line Y; SIZE_MAX where there is none. */
size_t flamepane_row_at(const struct treeview *tv, int x, int y);

/* The places of the frames on LINES lines, at most MAX into RET. Returns how many. */
size_t flamepane_frames(const struct treeview *tv, int lines, frame_id *ret, size_t max);

#endif
