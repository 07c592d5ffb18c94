/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listcolumns.h - the columns of lists (query/column.h) on a screen: which of them fit, where they
 * stand, what they show.
 */
#ifndef SBERF_UI_PANES_LISTCOLUMNS_H
#define SBERF_UI_PANES_LISTCOLUMNS_H

#include "query/column.h"
#include "ui/canvas.h"

#include <stddef.h>

#define LIST_COLUMNS_MAX 12u

struct list_layout {
	int x[LIST_COLUMNS_MAX];         /* 0 = there is no such column */
	int cols[LIST_COLUMNS_MAX];
	int name_end;                    /* where names have to end */
};

/* Places the N columns at C, at most LIST_COLUMNS_MAX, of a pane of W columns, so that the last one ends before END. */
struct list_layout listcolumns_lay_out(const struct list_column *c, size_t n, int w, int end);
/* Their heads in the rule at row Y; the lines are sorted by column SORTED, -1 = by none. */
void listcolumns_heads(const struct list_column *c, size_t n, const struct list_layout *l, struct canvas *cv,
		       int y, int sorted);
/* The figures of ROW at row Y; LEAD is its colour. */
void listcolumns_draw(const struct list_column *c, size_t n, const struct list_layout *l, const void *row,
		      enum style lead, struct canvas *cv, int y);

#endif
