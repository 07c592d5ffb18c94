/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatpane.h - what the panes of functions and of modules have in common: lists (query/flatlist.h)
 * that are read from a call tree, with columns for self and total, and kinds of time and bars that
 * are those of self.
 *
 * The model of such a pane is the list; row I of its outline is row I of that. In percent of the
 * same as in the call tree (treepane.h).
 */
#ifndef SBERF_UI_PANES_FLATPANE_H
#define SBERF_UI_PANES_FLATPANE_H

#include "query/flatlist.h"
#include "ui/panes/pane.h"

/* The list that B, which was built for such a pane, has. */
const struct flatlist *flatpane_of(const struct built *b);
/* Makes LIST, which it takes over, what B shows; NULL = B says why there is none. */
void flatpane_take(struct built *b, struct flatlist *list);
/* The rule at row 0 of the canvas, with TITLE in it; a long one is cut. */
void flatpane_rule(const struct pane *p, struct canvas *cv, const char *title);

/*
 * Operations of pane_ops. Roots and recursion make no difference to such a list, and a call tree
 * answers it, whatever its roots, if calls of a function by itself are there.
 */
void flatpane_question(struct query *q);
bool flatpane_derives(struct query *q);
void flatpane_drop(struct built *b);
void flatpane_rows(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s);
void flatpane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y);
enum sort_by flatpane_head_at(const struct pane *p, int x);
extern const struct treeview_ops flatpane_lines;

#endif
