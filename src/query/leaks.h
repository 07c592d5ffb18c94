/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks.h - the sites that allocate memory, a row each: what they have in use, whether that grows
 * (query/growth.h), how large their blocks are and how long they live, and which threads allocate.
 *
 * Where blocks were not followed, but what makes memory grow was (--memory=growth), a site is who made it
 * grow: then "allocated" is what became resident by it, and "freed" what it returned. Of what is in use
 * nothing is known then, nor is there a verdict.
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
#include "base/octave.h"
#include "model/names.h"
#include "profile/profile.h"
#include "query/growth.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAKS_MAX 512u
#define LEAK_THREADS 4u          /* of a site that are told */

struct leak_amount {
	uint64_t bytes, blocks;
};

/* What a thread has at a site. */
struct leak_thread {
	thread_id thread;
	uint64_t allocated, in_use;      /* bytes */
};

struct leak_site {
	uint64_t key;            /* identity that survives refreshes; 0 of all others together */
	stack_id stack;          /* the one that has most in use; STACK_ROOT of the others */
	uint64_t in_use;         /* bytes of blocks as old as asked for */
	double error;            /* the standard error of that */
	uint64_t blocks;         /* of these */
	uint64_t leaked;         /* bytes of them whose process has ended */
	uint64_t allocated, freed, temporary;    /* bytes */
	double allocated_error;  /* the standard error of what it allocated */
	uint64_t allocated_blocks, freed_blocks;
	/* by octave_power(): blocks allocated, by their bytes; freed, by their age in ms; in use, by theirs */
	struct leak_amount sizes[OCTAVE_POWERS], lives[OCTAVE_POWERS], ages[OCTAVE_POWERS];
	struct leak_thread thread[LEAK_THREADS]; /* those that allocated most, it first */
	uint32_t threads;        /* how many there are in all */
	struct growth_history history;
	struct growth growth;
	bool unfollowed;         /* what is in use is not known: leaks_wish.unfollowed, or GROWN */
	bool grown;              /* it made memory grow */
};

/* What is asked for beside the query. */
struct leaks_wish {
	uint64_t from_ns, to_ns; /* of the capture, CLOCK_MONOTONIC; 0 = by the slices of facts */
	uint64_t older_ns;       /* only blocks that have been in use for so long count as in use */
	uint64_t min_bytes;      /* sites with less in use have no row */
	double min_percent;      /* nor have those with less of all that is in use */
	uint64_t unfollowed_ns;  /* since when, from FROM_NS on, not all frees were seen; 0 = all were */
	uint32_t scale;          /* lately one call of so many was seen, as probes cost too much; up to 1 = all */
};

struct leaks {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct leak_site *row;   /* by what is in use, then by what was allocated; the others last */
	size_t n;
	size_t left_out;         /* sites that are in no row of their own */
	uint64_t unfollowed_ns;  /* of the wish: what is in use is not known then */
	struct leak_site all;    /* everything together, without threads */
};

/*
 * Builds the list of what Q asks for: range, nodes, terms about threads and functions. On success *RET is
 * the caller's; -ENOMEM is the only failure.
 */
int leaks_build(const struct snapshot *s, const struct names *names, const struct query *q,
		const struct leaks_wish *wish, struct leaks **ret, struct err *e);
void leaks_free(struct leaks *l);                /* NULL is fine */

/* Where the functions of SITE begin: name number NAME of the innermost frame of STACK; STACK_ROOT = it has none. */
struct leak_first {
	stack_id stack;
	uint32_t name;
};
struct leak_first leak_first(const struct leaks *l, const struct leak_site *site);
/* The functions of SITE, innermost first, with an arrow between; "(others)". Returns DST. */
char *leak_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size);
/*
 * The verdict on SITE: "grows, 99.8 % sure", "plateau", "all freed", "cannot tell, 40 s more",
 * "cannot tell: 3 sampled". Returns DST.
 */
#define LEAK_VERDICT_MAX 80
char *leak_verdict(const struct leak_site *site, char dst[LEAK_VERDICT_MAX]);
/* The same in a word of at most eight characters: "grows", "plateau", "freed", "not yet", "few". */
const char *leak_verdict_word(const struct leak_site *site);

/* BYTES with what they may be off: "12 MB ±620 KB", "-3.0 KB ±1.2 KB"; exact ones alone. Returns DST. */
#define LEAK_FIGURE_MAX 64
char *leak_figure(double bytes, double error, bool ascii, char dst[LEAK_FIGURE_MAX]);
/* Bytes that SITE allocated and freed again in a second. */
uint64_t leak_churn(const struct leak_site *site);

/*
 * Numbers of the powers of two that HIST has, from *RET_FIRST to *RET_LAST; false when it has none. What
 * those from FIRST to LAST hold: "16 B to 32 B", "1.00 ms to 2.00 ms", "below 1 ms"; TIMES: of ages in ms.
 * Returns DST.
 */
bool leak_powers(const struct leak_amount hist[OCTAVE_POWERS], unsigned int *ret_first, unsigned int *ret_last);
#define LEAK_POWER_MAX 64
char *leak_powers_label(unsigned int first, unsigned int last, bool times, char dst[LEAK_POWER_MAX]);
/* "worker 4711 12 MB, worker 4712 9.0 MB, 7 others": the threads that allocate most at SITE; sanitised. Returns DST. */
char *leak_threads_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size);

DEFINE_AUTO(leaks_free, struct leaks);

#endif
