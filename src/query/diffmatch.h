/* SPDX-License-Identifier: BSD-2-Clause */
/* diffmatch.h - which nodes of two trees are the same thing, as query/treediff.h says. Private to diffs. */
#ifndef SBERF_QUERY_DIFFMATCH_H
#define SBERF_QUERY_DIFFMATCH_H

#include "query/treediff.h"

#include <stdint.h>

struct matches;

/* Looks at the two trees, which must stay. NULL when out of memory. */
struct matches *matches_new(const struct tree *const tree[DIFF_SIDES]);
void matches_free(struct matches *m);            /* NULL is fine */

/* What NODE of SIDE is: below matches_count(), and the same for the same thing on both sides. */
uint32_t matches_what(const struct matches *m, int side, uint32_t node);
uint32_t matches_count(const struct matches *m);

/* How two different things of one kind are in order when all else is equal: by what they are called. */
int matches_compare(const struct matches *m, uint32_t a, uint32_t b);

/* The heaviest node of SIDE that is WHAT; NODE_NONE = there is none. */
uint32_t matches_node(const struct matches *m, int side, uint32_t what);
/* The node that WHAT is called by, and *RET_SIDE where it is: one with a name, and after rather than before. */
uint32_t matches_named(const struct matches *m, uint32_t what, int *ret_side);
/* WHAT stands for code of a file that has no names and is not the same on both sides. */
bool matches_nameless(const struct matches *m, uint32_t what);

DEFINE_AUTO(matches_free, struct matches);

#endif
