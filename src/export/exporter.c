/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exporter.c - what all exporters share: the measures and the grouping that a format has when the
 * user names none, and the tree that it reads.
 */
#include "config.h"

#include "export/exporter.h"

#include <errno.h>

measure_mask exporter_measures(const struct exporter *x, const struct query *q, bool own)
{
	const measure_mask measures = x->waits_too && query_only_waits(q) ? MEASURES_OFF_CPU : x->measures;

	if (q->measures || !measures)
		return q->measures;
	return measures_known(measures, own);
}

/* The tree that V asks for, complete. */
static int build_tree_of(const struct exporter *x, const struct export_view *v, struct tree **ret, struct err *e)
{
	struct query q = v->query;

	q.unsorted = x->reads == EXPORT_TREE_UNSORTED;
	q.max_nodes = UINT32_MAX;
	if (!v->group_given)
		q.group_by = x->group_by;
	q.measures = exporter_measures(x, &q, v->meta->unit[0]);
	return tree_build(v->snapshot, v->names, &q, ret, e);
}

/* Formats of single events know time alone. */
static int check_measures(const struct exporter *x, const struct export_view *v, struct err *e)
{
	const struct measure_set set = measure_set(query_measures(&v->query, v->snapshot), v->query.lead);
	const struct measure *lead = measure_lead(&set);

	if (x->reads != EXPORT_EVENTS || lead->unit == UNIT_TIME || lead->unit == UNIT_OWN)
		return 0;
	return err_set(e, ENOTSUP, "this format has time only, and no %s: choose another one", lead->title);
}

int exporter_write(FILE *out, const struct exporter *x, const struct export_view *v, struct err *e)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct export_view with_tree = *v;
	int r = check_measures(x, v, e);

	if (r >= 0 && (x->reads == EXPORT_TREE || x->reads == EXPORT_TREE_UNSORTED)) {
		r = build_tree_of(x, v, &t, e);
		with_tree.tree = t;
		if (r >= 0)
			with_tree.query = t->query;
	}
	return r < 0 ? r : x->write(out, &with_tree, e);
}
