/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks.h - the sites that allocate memory, a row each: what they have in use, whether that grows
 * (query/growth.h), and how long their blocks live.
 *
 * A site is what a stack reads, without the functions that allocate (query/stack_signature.h). Those with
 * most in use have a row, up to LEAKS_MAX; the others are one row together.
 *
 * Pure: the same snapshot, names and query give the same list.
 */
#ifndef SBERF_QUERY_LEAKS_H
#define SBERF_QUERY_LEAKS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/names.h"
#include "profile/profile.h"
#include "query/growth.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAKS_MAX 512u

struct leak_site {
	uint64_t key;            /* identity that survives refreshes; 0 of all others together */
	stack_id stack;          /* the one that has most in use; STACK_ROOT of the others */
	uint64_t in_use;         /* bytes of blocks as old as asked for */
	double error;            /* the standard error of that */
	uint64_t blocks;         /* of these */
	uint64_t leaked;         /* bytes of them whose process has ended */
	uint64_t allocated, freed, temporary;    /* bytes */
	struct growth_history history;
	struct growth growth;
};

/* What is asked for beside the query. */
struct leaks_wish {
	uint64_t from_ns, to_ns; /* of the capture, CLOCK_MONOTONIC; 0 = by the slices of facts */
	uint64_t older_ns;       /* only blocks that have been in use for so long count as in use */
	uint64_t min_bytes;      /* sites with less in use have no row */
	double min_percent;      /* nor have those with less of all that is in use */
};

struct leaks {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct leak_site *row;   /* by what is in use, then by what was allocated; the others last */
	size_t n;
	size_t left_out;         /* sites that are in no row of their own */
	struct leak_site all;    /* everything together */
};

/*
 * Builds the list of what Q asks for: range, nodes, terms about threads and functions. On success *RET is
 * the caller's; -ENOMEM is the only failure.
 */
int leaks_build(const struct snapshot *s, const struct names *names, const struct query *q,
		const struct leaks_wish *wish, struct leaks **ret, struct err *e);
void leaks_free(struct leaks *l);                /* NULL is fine */

/* The functions of SITE, innermost first, with an arrow between; "(others)". Returns DST. */
char *leak_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size);
/*
 * The verdict on SITE: "grows, 99.8 % sure", "plateau", "cannot tell yet, 40 s more", "too few blocks were sampled".
 * Returns DST.
 */
#define LEAK_VERDICT_MAX 80
char *leak_verdict(const struct leak_site *site, char dst[LEAK_VERDICT_MAX]);

DEFINE_AUTO(leaks_free, struct leaks);

#endif
