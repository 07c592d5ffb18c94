/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffformats.h - the difference of two profiles as text for people and for other programs.
 *
 * Each writes to OUT, flushes it, and returns 0, or a negative errno with a sentence, as export.h says.
 */
#ifndef SBERF_EXPORT_DIFFFORMATS_H
#define SBERF_EXPORT_DIFFFORMATS_H

#include "base/err.h"
#include "export/flame.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A difference, and how it is to be shown. All pointers are borrowed. */
struct diff_view {
	const struct diff *diff;
	const char *name[DIFF_SIDES];    /* of the two sides, such as files; foreign text */
	uint64_t wall_ns[DIFF_SIDES];    /* for how long each was recorded; 0 = not known */
	double min_percent;      /* what changed less, in points, is left out and counted; 0 = nothing is */
	uint32_t max_depth;      /* levels under the groups; 0 = all */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	const char *title;       /* of a picture; NULL = the names of the two sides */
	struct flame_options flame;      /* how to draw one */
};

/*
 * X(ID, NAME, EXTENSION, WRITE): DIFF_FORMAT_ID is chosen by --format NAME, or by an output file that ends in ".EXTENSION" ("" = by
 * none), and written by WRITE.
 */
#define DIFF_FORMATS(X) \
	X(TREE, "tree", "txt", export_diff_tree) \
	X(FLAT, "flat", "", export_diff_flat) \
	X(FOLDED, "folded", "folded", export_diff_folded) \
	X(SVG, "svg", "svg", export_diff_svg) \
	X(HTML, "html", "html,htm", export_diff_html)

enum diff_format {
	DIFF_FORMAT_NONE,        /* not given */
#define X(id, name, extension, write) DIFF_FORMAT_##id,
	DIFF_FORMATS(X)
#undef X
	DIFF_FORMAT_NR,
};

/* Writes V to OUT in FORMAT. */
int diff_write(FILE *out, enum diff_format format, const struct diff_view *v, struct err *e);
/* The format that a file called PATH is to have by its extension; DIFF_FORMAT_NONE when it says nothing. */
enum diff_format diff_format_of_file(const char *path);

/*
 * An indented tree: shares before and after, what changed in points (percent of what a share is of), by how much it could be off, how
 * much of the change each kind of time is where there are several, and both times; of each family the child first below which most has changed. "~" stands before a change that sampling alone makes
 * (diff_is_noise()). What appeared or vanished says so.
 */
int export_diff_tree(FILE *out, const struct diff_view *v, struct err *e);

/* The functions by what they took themselves and with what they call, by kinds of time as well; those that changed most come first. */
int export_diff_flat(FILE *out, const struct diff_view *v, struct err *e);

/*
 * Folded stacks with two numbers, microseconds before and after, as flamegraph.pl and inferno-flamegraph draw them. What was before is
 * scaled so that both numbers are of the same whole: that of after (its total, or its wall time), or not at all without
 * normalisation. Lines, their order and rounding are as in export_folded().
 */
int export_diff_folded(FILE *out, const struct diff_view *v, struct err *e);

/* One flame graph of both sides (flame.h): what grew is red, what shrank is blue, and what vanished is there. As SVG, as HTML. */
int export_diff_svg(FILE *out, const struct diff_view *v, struct err *e);
int export_diff_html(FILE *out, const struct diff_view *v, struct err *e);

#endif
