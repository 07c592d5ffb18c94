/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * panes.h - what a page can show of a profile: the call tree with its flame graph, lists, and texts of reports. A new
 * one is a row of the table in panes.c.
 *
 * A pane writes a member of an object: "flame" is the graph as flame_data.c writes it; "list" has "columns", the heads,
 * the first of which is that of the names, "rows", [level, name, cell, ...], depth first, how many "more" rows are left
 * out, and how many columns behind the names are "texts", not figures; "text" is a report, line by line.
 */
#ifndef SBERF_SERVE_PANES_H
#define SBERF_SERVE_PANES_H

#include "export/export_view.h"

#include <stdbool.h>
#include <stdio.h>

#define SERVE_TREE_NODES (1u << 17)      /* of a tree on a page; what is beyond stays with its parent */
#define SERVE_ROWS 2000u                 /* of a list */

struct serve_pane {
	const char *name;                /* in paths; never changes */
	const char *title;
	bool (*there)(const struct export_view *v);      /* there is something to show; NULL = always */
	int (*write)(FILE *out, const struct export_view *v, struct err *e);     /* a member; NULL: */
	const char *text;                /* this format of reports is it */
};

/* The NR-th, counted from 0; NULL = no more. */
const struct serve_pane *serve_pane_get(unsigned int nr);
/* The one called NAME; NULL = none. */
const struct serve_pane *serve_pane_named(const char *name);
/* Writes the member that P shows of V. 0, or a negative errno with a sentence. */
int serve_pane_write(const struct serve_pane *p, FILE *out, const struct export_view *v, struct err *e);

#endif
