/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff_view.h - what an exporter of a difference of two profiles gets, and the functions that write
 * one.
 *
 * Each writes to OUT, flushes it, and returns 0, or a negative errno with a sentence, like
 * exporter.write().
 */
#ifndef SBERF_EXPORT_DIFF_VIEW_H
#define SBERF_EXPORT_DIFF_VIEW_H

#include "base/err.h"
#include "export/flame.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct export_view;

/* A difference and how to show it. All pointers are borrowed. */
struct diff_view {
	const struct diff *diff;
	const char *name[DIFF_SIDES];    /* of the two sides, such as files; foreign text */
	const char *head[DIFF_SIDES];    /* what columns call them; NULL = "before" and "after" */
	uint64_t wall_ns[DIFF_SIDES];    /* for how long each was recorded; 0 = not known */
	double min_percent;      /* what changed less, in points, is left out and counted; 0 = nothing is */
	uint32_t max_depth;      /* levels under the groups; 0 = all */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	const char *title;       /* of a picture; NULL = the names of the two sides */
	struct flame_options flame;      /* how to draw one */
	const struct export_view *of[DIFF_SIDES];        /* each side as a report has it; NULL = both are of one */
};

/* What columns call SIDE. */
static inline const char *diff_view_head(const struct diff_view *v, int side)
{
	return v->head[side] ? v->head[side] : side == DIFF_BEFORE ? "before" : "after";
}

/*
 * An indented tree: shares before and after, what changed in points (percent of what a share is
 * of), by how much it could be off, how much of the change each kind of time is where there are
 * several, and both times; of each family the child first below which most has changed. "~" stands
 * before a change that sampling alone makes (diff_is_noise()). What appeared or vanished says so.
 */
int export_diff_tree(FILE *out, const struct diff_view *v, struct err *e);

/*
 * The functions by what they took themselves and with what they call, by kinds of time as well;
 * those that changed most come first.
 */
int export_diff_flat(FILE *out, const struct diff_view *v, struct err *e);

/* Everything, for scripts: docs/json-format.md. */
int export_diff_json(FILE *out, const struct diff_view *v, struct err *e);

/*
 * What is in use and was allocated on each side; and of everything and of the sites that differ most how many blocks
 * there are by size and by age. It reads the sides themselves (diff_view.of), not their difference.
 */
int export_diff_memory(FILE *out, const struct diff_view *v, struct err *e);

/* One flame graph of both sides (flame.h): what grew is red, what shrank is blue, and what vanished is there. */
int export_diff_flame(FILE *out, const struct diff_view *v, flame_drawer *draw, struct err *e);

#endif
