/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffmatch.h - finds which nodes of two trees are the same thing, by the rules of
 * query/treediff.h. Private to diffs.
 */
#ifndef SBERF_QUERY_DIFFMATCH_H
#define SBERF_QUERY_DIFFMATCH_H

#include "query/treediff.h"

#include <stdint.h>

struct matches;

/* Matches the nodes of two trees, which must outlive the result. NULL when out of memory. */
struct matches *matches_new(const struct tree *const tree[DIFF_SIDES]);
void matches_free(struct matches *m);            /* NULL is fine */

/*
 * The number of what NODE of SIDE is: below matches_count(), and equal for the same thing on both
 * sides.
 */
uint32_t matches_what(const struct matches *m, int side, uint32_t node);
uint32_t matches_count(const struct matches *m);

/*
 * Orders two different things of one kind by their names, when all else is equal. Negative, 0 or
 * positive.
 */
int matches_compare(const struct matches *m, uint32_t a, uint32_t b);

/* The heaviest node of SIDE that is WHAT; NODE_NONE = there is none. */
uint32_t matches_node(const struct matches *m, int side, uint32_t what);
/*
 * The node that gives WHAT its name, in tree *RET_SIDE: one that has a name, and rather after than
 * before.
 */
uint32_t matches_named(const struct matches *m, uint32_t what, int *ret_side);
/* Whether WHAT is code without names, in a file that differs between the sides. */
bool matches_nameless(const struct matches *m, uint32_t what);

DEFINE_AUTO(matches_free, struct matches);

#endif
