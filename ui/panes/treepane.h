/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treepane.h - draws a treeview: a rule with title and column heads, then one line a row.
 *
 * Where waits were followed there is a column for each kind of time, in percent of the time that passed: of one thread, so
 * that four busy threads have 400 %. Else there is running time alone, in percent of all of it. A flat list (funcsview.h) has
 * columns for self and total, and its kinds of time and bars are those of self.
 */
#ifndef SBERF_UI_PANES_TREEPANE_H
#define SBERF_UI_PANES_TREEPANE_H

#include "ui/canvas.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* What the columns are about. */
struct tree_look {
	struct measure_set set;  /* what was asked for */
	unsigned int kinds;      /* its places that have a column, as a mask; 0 = there is one measure, which needs none */
	uint64_t elapsed_ns;     /* what 100 % is with KINDS */
	bool flat;               /* a list of functions */
};

/* The rule at row Y of the canvas, with TITLE in it; a long one is cut. */
void treepane_rule(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y, const char *title);

/* The rows of TV that are on screen, from row Y on, at most LINES. S marks matches; NULL = none. */
void treepane_rows(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y, int lines,
		   const struct search *s);

/* The one line of T that idle waits were folded into; nothing when there is none. */
void treepane_idle(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y);

/* One line about the node under the cursor: name, place, self, share of its parent, row n of m. */
void treepane_status(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y);

/* True when column X at row Y (of the pane) is on the fold mark of that line. */
bool treepane_on_mark(const struct treeview *tv, const struct tree_look *look, int w, int x, int y);
/* What the column whose head is at X of the rule is sorted by; SORT_NR = there is none. */
enum sort_by treepane_head_at(const struct treeview *tv, const struct tree_look *look, int w, int x);

#endif
