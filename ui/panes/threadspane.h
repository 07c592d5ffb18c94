/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threadspane.h - the list of threads: what each does now, where, and what its time went into.
 *
 * Its rows are the nodes of a tree of one level, so that cursor, sorting and search work as in the call tree; node I + 1 is
 * row I of the list (query/threadlist.h). In percent of the time that passed; what idles has a column of its own and does
 * not count as blocked.
 */
#ifndef SBERF_UI_PANES_THREADSPANE_H
#define SBERF_UI_PANES_THREADSPANE_H

#include "query/threadlist.h"
#include "ui/canvas.h"
#include "ui/panes/treepane.h"
#include "ui/search.h"
#include "ui/treeview.h"

/* The tree of L, to be freed with tree_free() before L is. NAMES is borrowed. NULL when out of memory. */
struct tree *threadspane_tree(const struct threadlist *l, const struct names *names);
/* The row that NODE of it is; NULL = none. */
const struct thread_row *threadspane_row(const struct threadlist *l, uint32_t node);
/* "worker 1240", and of which process when there are several; sanitised. Returns DST. */
char *threadspane_label(const struct threadlist *l, uint32_t node, char *dst, size_t size);

/* The rule at row Y with TITLE in it. All that follow do nothing for another treeview. */
void threadspane_rule(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y, const char *title);
/* The rows of TV that are on screen, from row Y on, at most LINES. S marks matches; NULL = none. */
void threadspane_rows(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y, int lines,
		      const struct search *s);
/* What the column whose head is at X of the rule (of W columns) is sorted by; SORT_NR = there is none. */
enum sort_by threadspane_head_at(const struct treeview *tv, const struct tree_look *look, int w, int x);
/* One line about the thread under the cursor. */
void threadspane_status(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, int y);

#endif
