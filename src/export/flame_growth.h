/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_growth.h - a flame graph that is shown while it grows: only what has changed is written.
 *
 *	{"epoch":1, "from":4, "to":5, "title":..., "facts":[...], "unit":"ns",
 *	 "nrLabels":1, "labels":"...", "nrNodes":2, "tree":"...", "nrValues":7, "values":"..."}
 *
 * Labels and nodes get their numbers when they come, and keep them: a node that is there no more is
 * one without weight. "labels" are those that are new, a line each, as in flame_data.c. "tree": of
 * each new node, in the order of their numbers, how much less its parent's number is, and its label.
 * "values": of each node that has changed, by number, how much more that is than the one before,
 * << 3 | a bit for each kind of time that is not zero; then what ends here of these kinds. Whoever
 * has the state FROM has the state TO after it; 0 is nothing at all.
 */
#ifndef SBERF_EXPORT_FLAME_GROWTH_H
#define SBERF_EXPORT_FLAME_GROWTH_H

#include "base/cleanup.h"
#include "export/flame.h"

#include <stdint.h>
#include <stdio.h>

/* A state that somebody has; all zero = none. */
struct flame_mark {
	uint32_t epoch;          /* numbers begin anew with each; no two graphs of a process have the same */
	uint32_t version;
};

struct flame_growth;

/* One that is empty; NULL when out of memory. */
struct flame_growth *flame_growth_new(void);
void flame_growth_free(struct flame_growth *g);          /* NULL is fine */

/* From now on G is F, which is no comparison. 0, or -ENOMEM with a sentence: then G is empty. */
int flame_growth_take(struct flame_growth *g, const struct flame *f, struct err *e);

/*
 * Writes what leads from HAVE to what G is now, to OUT; all of it when HAVE is too old, or of another
 * graph. What is written is in *RET_MARK. 0, or a negative errno with a sentence.
 */
int flame_growth_write(FILE *out, const struct flame_growth *g, const struct flame_mark *have,
		       struct flame_mark *ret_mark, struct err *e);

DEFINE_AUTO(flame_growth_free, struct flame_growth);

#endif
