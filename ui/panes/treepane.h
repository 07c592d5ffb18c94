/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treepane.h - what panes have in common that show a call tree: a rule with title and column heads,
 * then one line a row.
 *
 * Where waits were followed there is a column for each kind of time, in percent of the time that
 * passed: of one thread, so that four busy threads have 400 %. Else there is running time alone, in
 * percent of all of it.
 */
#ifndef SBERF_UI_PANES_TREEPANE_H
#define SBERF_UI_PANES_TREEPANE_H

#include "query/label.h"
#include "ui/panes/pane.h"
#include "ui/title.h"

#define TREE_GROUPS (GROUP_HOST + 1u)
#define TREE_WAYS (4 * TREE_GROUPS)      /* each way of grouping, inverted, and by node */
#define TREE_TITLE_MAX (TITLE_MAX + LABEL_MAX + 160)

/* "off-CPU . by process . in main", of a call tree. Returns DST. */
char *treepane_title(const struct view *v, const struct pane *p, char *dst, size_t size);

/* Operations of pane_ops. */
unsigned int treepane_way(const struct query *q);
void treepane_build(struct built *b, const struct names *names);
bool treepane_derives(struct query *q);
void treepane_derive(struct built *b, const struct tree *t);
void treepane_draw(const struct view *v, const struct pane *p, struct canvas *cv, const struct search *s);
bool treepane_here(const struct treeview *tv, uint32_t node, struct filter_term *t);

#endif
