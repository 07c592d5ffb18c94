/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growth.h - says of a site that allocates memory whether it grows, from what was told of its blocks:
 * how much was allocated and freed when, how old blocks were when they were freed, and how old those
 * are that have not been.
 *
 * What is in use is the difference of what was allocated and freed, so growth needs no list of blocks.
 * Its error does: in a window of time, growth is what was born in it and lives, less what lived before
 * it and died in it. Both are numbers of independent blocks, so they are off by the root of their
 * number (Poisson), in units of what one told block stands for.
 *
 * The first third of the time is not used: all that was allocated before the capture is unknown, so
 * what is followed grows from nothing at first, whatever the program does.
 *
 * Growth alone is not a leak: where blocks live as long as was looked, what is in use grows to some
 * level, and stays there. So a site grows only if of its old blocks few are freed; how many blocks
 * reach which age is estimated by the method of Kaplan and Meier (1958), for which blocks that still
 * live count with the age that they have reached.
 *
 * Pure.
 */
#ifndef SBERF_QUERY_GROWTH_H
#define SBERF_QUERY_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROWTH_BINS 24u          /* of the time that was looked */
#define GROWTH_AGES 160u         /* octave_class() of ms: more than 30 years */

struct growth_history {
	uint64_t from_ns, to_ns;                 /* the time that was looked, CLOCK_MONOTONIC */
	double allocated[GROWTH_BINS];           /* bytes, by equal parts of that */
	double freed[GROWTH_BINS];
	double died[GROWTH_AGES];                /* bytes that were freed, by age */
	double alive[GROWTH_AGES];               /* bytes that are in use, by age */
	double allocated_told;                   /* blocks that were told of all that it allocated */
};

/* Adds BYTES, of which so many blocks were TOLD, that were allocated, or freed at AGE, in FROM_NS to TO_NS. */
void growth_allocated(struct growth_history *h, uint64_t from_ns, uint64_t to_ns, double bytes, double told);
void growth_freed(struct growth_history *h, uint64_t from_ns, uint64_t to_ns, double bytes, unsigned int age);
/* Adds BYTES that are in use, of AGE. */
void growth_in_use(struct growth_history *h, double bytes, unsigned int age);
/* Adds all of B, which is of the same time, to TO. */
void growth_add(struct growth_history *to, const struct growth_history *b);

enum growth_verdict {
	GROWTH_UNKNOWN,          /* cannot be told yet: more_ns longer, or told more often */
	GROWTH_GROWS,
	GROWTH_PLATEAU,          /* what it allocates is freed, or it has stopped */
	GROWTH_FREED,            /* all of its blocks were freed, as far as they were told */
};

struct growth {
	enum growth_verdict verdict;
	double in_use;           /* bytes at the end */
	double per_s;            /* growth in a second, in the last two thirds of the time; may be negative */
	double error;            /* the standard error of that */
	double sure;             /* how sure it is that it grows at all: 0 to 1 */
	uint64_t more_ns;        /* GROWTH_UNKNOWN: how long it may still take to tell; 0 = that cannot be said */
	bool few;                /* too few of its blocks were told */
};

#define GROWTH_TOLD_LEAST 10u    /* blocks, below which nothing is said */

void growth_judge(const struct growth_history *h, struct growth *ret);

/* The share of blocks, by bytes, that live longer than AGE_MS: 0 to 1; below 0 when none was followed so long. */
double growth_survival(const struct growth_history *h, uint64_t age_ms);

#endif
