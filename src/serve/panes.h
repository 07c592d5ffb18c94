/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * panes.h - what a page can show of a profile: the call tree with its flame graph, lists, and texts of reports. A new
 * one is a row of the table in panes.c.
 *
 * A pane writes a member of an object: "flame" is the graph as flame_data.c writes it; of a stream it is "growth", what
 * has changed in it since the event before (flame_growth.h); "list" has "columns", the heads,
 * the first of which is that of the names, "rows", [level, name, cell, ...], depth first, how many "more" rows are left
 * out, how many columns behind the names are "texts", not figures, and by which column ("sort") they come, falling,
 * when that is not how they weigh; "text" is a report, line by line.
 */
#ifndef SBERF_SERVE_PANES_H
#define SBERF_SERVE_PANES_H

#include "export/export_view.h"
#include "export/flame.h"

#include <stdbool.h>
#include <stdio.h>

#define SERVE_TREE_NODES (1u << 17)      /* of a tree on a page; what is beyond stays with its parent */
#define SERVE_ROWS 2000u                 /* of a list */

struct serve_pane {
	const char *name;                /* in paths; never changes */
	const char *title;
	bool (*there)(const struct export_view *v);      /* there is something to show; NULL = always */
	bool counts;                     /* one measure is shown, which can be chosen */
	bool grows;                      /* it is the call tree, of which a stream gets what has changed */
	/* a member, of a list so many ROWS; NULL: */
	int (*write)(FILE *out, const struct export_view *v, uint32_t rows, struct err *e);
	const char *text;                /* this format of reports is it */
};

/* The NR-th, counted from 0; NULL = no more. */
const struct serve_pane *serve_pane_get(unsigned int nr);
/* The one called NAME; NULL = none. */
const struct serve_pane *serve_pane_named(const char *name);
/* Writes the member that P shows of V, of a list ROWS at most. 0, or a negative errno with a sentence. */
int serve_pane_write(const struct serve_pane *p, FILE *out, const struct export_view *v, uint32_t rows, struct err *e);

/* The call tree of V as a flame graph, to *RET, the caller's. 0, or a negative errno with *RET empty. */
int serve_tree(struct flame *ret, const struct export_view *v, struct err *e);

/* What panes can count in V: wall time, which is called so, and each measure of which something was seen. */
#define SERVE_COUNT_TIME "time"
measure_mask serve_counts(const struct export_view *v);
/* The name of what V counts when nobody chooses; "" when that is none of these. */
const char *serve_count_default(const struct export_view *v);
/* The measures that NAME means; 0 = none. */
measure_mask serve_count_named(const char *name);

#endif
