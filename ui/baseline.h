/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * baseline.h - what a tree or a list of functions took before a mark and what it takes since, path by path, as one tree.
 *
 * Each side counts at its own rate: a share of 1.0 is one thread all the time of that side, so no thread can have more. Before is what the snapshot of the mark
 * has, up to where time off the CPU was settled by then; since is what lies in whole slices behind the mark, so the older a slice
 * that the mark fell into, the later it begins. Both are of the same run, so what is the same has the same key, and nothing need be
 * matched by name. Changes and their errors are those of query/treediff.h. Pure.
 */
#ifndef SBERF_UI_BASELINE_H
#define SBERF_UI_BASELINE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stdint.h>

/* A mark. */
struct baseline_mark {
	struct snapshot *snapshot;       /* of then, a reference, owned; NULL = there is no mark */
	uint64_t from_ns, to_ns;         /* what is before: CLOCK_MONOTONIC */
	uint64_t mark_ns;                /* when it was set */
};

/* What stands beside the nodes of a tree. */
struct baseline {
	struct diff diff;                /* has units, and the whole in its only node: for diff_judge() */
	struct diff_node whole;
	struct diff_pair *pair;          /* by node: total, or self in a flat list */
	bool flat;
	bool young;                      /* nothing is known since the mark yet: changes say nothing */
};

/*
 * Builds both sides of what Q asks for, M's and that since M in S until END_NS, and puts them into one tree: the nodes of both, with
 * the times since the mark, siblings by falling change, here or below. FLAT: the list of functions. On success *RET and *RET_TREE are
 * the caller's. -ENOMEM is the only failure.
 */
int baseline_build(const struct baseline_mark *m, struct snapshot *s, uint64_t end_ns, const struct names *names, const struct query *q,
		   bool flat, struct baseline **ret, struct tree **ret_tree, struct err *e);
void baseline_free(struct baseline *b);          /* NULL is fine */

/* How NODE changed. */
struct diff_change baseline_change(const struct baseline *b, uint32_t node);

DEFINE_AUTO(baseline_free, struct baseline);

#endif
