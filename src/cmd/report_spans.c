/* SPDX-License-Identifier: BSD-2-Clause */
/* report_spans.c - see report_spans.h. */
#include "config.h"

#include "cmd/report_spans.h"

#include "base/units.h"
#include "model/probes.h"
#include "query/spandiff.h"

#include <stdio.h>

#define SIDE_TEXT_MAX (PROBES_TEXT_MAX + 2 * SPAN_LIMITS_MAX)

int report_spans_say(const struct open_recording *l, const struct query *q, struct err *e)
{
	struct span_figures figures;
	char text[2 * PROBES_TEXT_MAX], ns[UNITS_MAX];
	int r = q->span ? span_figures(l->snapshot, l->names, q, &figures, e) : 0;

	if (!q->span || r < 0)
		return r;
	/* A comparison begins with what it is of. */
	if (!span_is_compared(q))
		fprintf(stderr, "sberf report: shown: %s\n", span_text(q, &figures, text, sizeof(text)));
	if (figures.open_ns)
		fprintf(stderr, "sberf report: %s of it inside calls that were not seen to end\n",
			units_time(ns, figures.open_ns));
	if (figures.ns[SPAN_PLACE_NOT_KNOWN])
		fprintf(stderr, "sberf report: of %s it is not known whether it was inside, as the probe was not in "
			"place all the time (--budget)\n", units_time(ns, figures.ns[SPAN_PLACE_NOT_KNOWN]));
	return 0;
}

/* Whoever compares should know on how little that rests. */
static void say_few(const struct span_sides *sides)
{
	char counted[UNITS_MAX];

	for (int side = 0; side < DIFF_SIDES; side++)
		if (sides->figures[side].counted < SPAN_FEW)
			fprintf(stderr, "sberf report: only %s samples and waits were inside the %s calls: too few to "
				"tell much\n", units_thousands(counted, sides->figures[side].counted),
				span_side_name(&sides->query[DIFF_AFTER], side));
}

static int compare_trees(const struct exporter *x, const struct export_view *v, struct span_sides *sides,
			 struct tree *tree[DIFF_SIDES], struct err *e)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct query *q = &sides->query[side];
		int r;

		q->measures = q->measures ? q->measures : x->diff.measures;
		q->group_by = v->group_given ? v->query.group_by : x->diff.group_by;
		q->max_nodes = UINT32_MAX;
		r = tree_build(v->snapshot, v->names, q, &tree[side], e);
		if (r < 0)
			return r;
	}
	return 0;
}

int report_spans_compare(FILE *out, const struct exporter *x, const struct export_view *v, struct err *e)
{
	const struct measure *probe = probes_measure(v->query.span - 1u);
	char name[DIFF_SIDES][SIDE_TEXT_MAX], title[PROBES_TEXT_MAX + 64];
	struct tree *tree[DIFF_SIDES] = { NULL };
	AUTO(diff_free) struct diff *d = NULL;
	struct span_sides sides;
	struct diff_view view = {
		.min_percent = v->min_percent, .max_depth = v->max_depth, .ascii = v->ascii, .flame = v->flame,
		.title = v->title ? v->title : title,
	};
	int r = span_sides(v->snapshot, v->names, &v->query, &sides, e);

	if (r < 0)
		return r;
	say_few(&sides);
	for (int side = 0; side < DIFF_SIDES; side++) {
		view.name[side] = span_side_text(&sides, side, name[side], sizeof(name[side]));
		view.head[side] = span_side_name(&v->query, side);
	}
	snprintf(title, sizeof(title), "%s calls of %s, compared with %s ones", view.head[DIFF_AFTER],
		 probe ? probe->name : "a probe", view.head[DIFF_BEFORE]);
	r = compare_trees(x, v, &sides, tree, e);
	r = r < 0 ? r : diff_build(tree[DIFF_BEFORE], tree[DIFF_AFTER], DIFF_BY_CALL, sides.calls, &d, e);
	view.diff = d;
	r = r < 0 ? r : x->diff.write(out, &view, e);
	for (int side = 0; side < DIFF_SIDES; side++)
		tree_free(tree[side]);
	return r;
}
