/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sums.h - counts the branches of many calls, and finds where two kinds of calls part.
 *
 * Calls are on one of two sides: those that meet a condition, and the others. For each branch it is counted how many
 * calls of each side took it, however often. An instruction parts the calls when both sides come to it, and one of its
 * branches was taken by calls of one side alone. Of these instructions the first one is that which calls come to
 * first: before which the fewest other instructions that branch were met.
 *
 * A way that hardly any call of its side took, below PART_SHARE_LEAST, says nothing: it counts when there is nothing
 * better. When no branch is of one side alone, the instruction is chosen at which the shares of the sides differ most.
 */
#ifndef SBERF_BRANCH_SUMS_H
#define SBERF_BRANCH_SUMS_H

#include "base/cleanup.h"
#include "branch/branch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_SHARE_LEAST 100u    /* one call in so many */
#define PART_WAYS_MAX 16u        /* branches of one instruction that are told; tables of jumps have more */
#define SUMS_BRANCHES_MAX (1u << 20)

enum branch_side {
	SIDE_OTHER,
	SIDE_MEETS,              /* the condition */
	SIDES
};

/* A branch, counted. */
struct branch_sum {
	uint64_t from, to;
	uint32_t space;
	uint32_t how;            /* enum branch_how; never a gap */
	uint64_t calls[SIDES];   /* that took it */
	uint64_t hits[SIDES];    /* how often they did, together */
	uint64_t last_call;      /* internal: the last call that took it */
};

struct branch_sums;

struct branch_sums *branch_sums_new(void);               /* NULL when out of memory */
void branch_sums_free(struct branch_sums *s);            /* NULL is fine */

/* CALL, of SIDE. False when there is no room for some branch of it, which are then not counted. */
bool branch_sums_add(struct branch_sums *s, const struct branch_call *call, enum branch_side side);

/* Calls that were added. */
uint64_t branch_sums_calls(const struct branch_sums *s, enum branch_side side);

/*
 * All branches, ordered by space, from and to; *RET_N of them. Valid until the next call. NULL when there are none, or
 * out of memory.
 */
const struct branch_sum *branch_sums_all(struct branch_sums *s, size_t *ret_n);

/* An instruction at which the sides part. */
struct branch_parting {
	uint64_t from;
	uint32_t space;
	bool clear;              /* some branch of it is of one side alone */
	uint32_t rank;           /* how many instructions that branch a call met before it, at least */
	uint64_t reached[SIDES]; /* calls that came to it */
	uint32_t n;
	struct branch_sum way[PART_WAYS_MAX];    /* its branches, those that most calls took first */
	uint64_t untold;         /* ways of it for which there was no room in WAY */
};

/*
 * Where the sides part, the first one first, to RET, which has room for MAX. Returns how many there are, at most MAX;
 * 0: one side has no call, or nothing tells them apart.
 */
size_t branch_sums_part(struct branch_sums *s, struct branch_parting *ret, size_t max);

DEFINE_AUTO(branch_sums_free, struct branch_sums);

#endif
