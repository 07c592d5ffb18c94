/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treepane.h - what panes have in common that show a call tree, or a list of its functions: a rule
 * with title and column heads, then one line a row.
 *
 * Where waits were followed there is a column for each kind of time, in percent of the time that
 * passed: of one thread, so that four busy threads have 400 %. Else there is running time alone, in
 * percent of all of it. A flat list (funcsview.h) has columns for self and total, and its kinds of
 * time and bars are those of self.
 */
#ifndef SBERF_UI_PANES_TREEPANE_H
#define SBERF_UI_PANES_TREEPANE_H

#include "query/label.h"
#include "ui/panes/pane.h"
#include "ui/title.h"

#define TREE_GROUPS (GROUP_CGROUP + 1u)
#define TREE_WAYS (4 * TREE_GROUPS)      /* each way of grouping, inverted, and by node */
#define TREE_TITLE_MAX (TITLE_MAX + LABEL_MAX + 160)

/* The rule at row 0 of the canvas, with TITLE in it; a long one is cut. */
void treepane_rule(const struct treeview *tv, const struct tree_look *look, struct canvas *cv, const char *title);
/* "off-CPU . by process . in main", of a call tree. Returns DST. */
char *treepane_title(const struct view *v, const struct pane *p, char *dst, size_t size);

/* Operations of pane_ops. */
unsigned int treepane_way(const struct query *q);
void treepane_build(struct built *b, const struct names *names);
bool treepane_derives(struct query *q);
void treepane_derive(struct built *b, const struct tree *t);
void treepane_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s);
/* One line about the node under the cursor: name, place, self, share of its parent, row n of m. */
void treepane_status(const struct view *v, const struct pane *p, struct canvas *cv, int y);
enum sort_by treepane_head_at(const struct pane *p, int x);
bool treepane_here(const struct treeview *tv, uint32_t node, struct filter_term *t);

#endif
