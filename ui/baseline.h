/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * baseline.h - compares a tree or a list of functions before and after a mark, or of slow calls and
 * others (query/spandiff.h), path by path, in one tree.
 *
 * Each side has its own duration: a share of 1.0 is one thread during all of that side, so no
 * thread can have more. *Before* is the snapshot of the mark, up to where off-CPU time was settled
 * then. *Since* is every whole slice after the mark: if the mark fell into an old, long slice, it
 * begins later. Both sides are of one run, so equal things have equal keys and need no matching by
 * name. Changes and their errors are those of query/treediff.h. Pure.
 */
#ifndef SBERF_UI_BASELINE_H
#define SBERF_UI_BASELINE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/flatlist.h"
#include "query/treediff.h"

#include <stdbool.h>
#include <stdint.h>

/* A mark. */
struct baseline_mark {
	struct snapshot *snapshot;       /* of then, a reference, owned; NULL = there is no mark */
	uint64_t from_ns, to_ns;         /* the time before: CLOCK_MONOTONIC */
	uint64_t mark_ns;                /* when it was set */
};

/* The comparison, beside the nodes of a tree or the rows of a list. */
struct baseline {
	struct diff diff;                /* units, and the totals in its only node: for diff_judge() */
	struct diff_node whole;
	const char *head[DIFF_SIDES];    /* what columns call the sides */
	const struct measure *lead;      /* what is counted */
	struct diff_pair *pair;          /* by node: total; by row of a list: self */
	bool young;                      /* no data since the mark yet: changes mean nothing */
};

/* What both sides are asked. */
struct baseline_question {
	const struct baseline_mark *mark;        /* without a snapshot: QUERY compares calls */
	struct snapshot *snapshot;       /* of now, */
	uint64_t end_ns;                 /* which ends then */
	const struct names *names;
	const struct query *query;
};

/*
 * Asks the mark, and the time since then, and joins both call trees: *RET_TREE has the nodes of
 * both, with the times since the mark, siblings by falling change, here or below. On success *RET
 * and *RET_TREE are the caller's; else a negative errno with a sentence.
 */
int baseline_tree(const struct baseline_question *ask, struct baseline **ret, struct tree **ret_tree, struct err *e);
/* The same for lists of functions, which are compared by their own time. */
int baseline_functions(const struct baseline_question *ask, struct baseline **ret, struct flatlist **ret_list,
		       struct err *e);
void baseline_free(struct baseline *b);          /* NULL is fine */

/* The change of NODE. */
struct diff_change baseline_change(const struct baseline *b, uint32_t node);

DEFINE_AUTO(baseline_free, struct baseline);

#endif
