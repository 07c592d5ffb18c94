/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * budget.h - how much of the time probes in programs may be in place, so that the time that their hits
 * take from the target stays within a budget.
 *
 * A breakpoint costs its target 0.6 to 16 us a hit (probe/site.h), whether the hit is told or not. So
 * where all hits together would cost more than the budget, the probes are in place during one of SCALE
 * equal parts of the time, and each hit stands for SCALE of them. Placing them and taking them off
 * takes the kernel tens of milliseconds, in which they cost as much and are not told. How much that is
 * beside the slice itself is measured, and reckoned with.
 *
 * A probe in the kernel costs little where a hit is only counted. So of those that cost too much fewer
 * hits are told: one of so many, with what those before it weigh. Pure.
 */
#ifndef SBERF_ENGINE_BUDGET_H
#define SBERF_ENGINE_BUDGET_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_SHARE 50000u                      /* of one CPU, in millionths, unless something else is asked for */
#define BUDGET_NONE UINT32_MAX                   /* no bound */
#define BUDGET_FIRST_NS (NSEC_PER_SEC / 10)      /* after which the price of probes is known first */
#define BUDGET_LOOK_NS NSEC_PER_SEC              /* between looks at probes that are always in place, */
#define BUDGET_CHECK_NS (NSEC_PER_SEC / 40)      /* unless their hits take what they may in a shorter time */
#define BUDGET_SLICE_NS (NSEC_PER_SEC / 10)      /* in place at a time, where not always, ... */
#define BUDGET_SLICE_FIRST_NS (NSEC_PER_SEC / 50)        /* ... but when they have just cost what they may */
#define BUDGET_SCALE_MAX 1000u
/*
 * Slices in which blocks of memory are followed cost so many times less: what else a program pays for hits that come so
 * densely, such as caches turned cold, is not measured. Their frees are not probed then, which costs half as much.
 */
#define BUDGET_BLOCKS_PART 2u
#define BUDGET_SPENT 125u                        /* of budget_spent(), as long as nothing is known */

/* The share of one CPU, in millionths, that COST_NS in a time of NS are. */
uint32_t budget_share(uint64_t cost_ns, uint64_t ns);

/*
 * One of how many equal parts of the time the probes may be in place: 1 (always) to BUDGET_SCALE_MAX.
 * While they were, their hits took SHARE, in millionths of one CPU; they may take BUDGET of it. SPENT is
 * budget_spent().
 */
uint32_t budget_scale(uint32_t share, uint32_t budget, uint32_t spent);

/*
 * What slices cost in all, in percent of what hits within them do, where BEFORE was thought so: the last one
 * had IN hits, and ALL came from when its probes were being placed until all had been taken off.
 */
uint32_t budget_spent(uint32_t before, uint64_t in, uint64_t all);

/* What is left of BUDGET for one sort of probes where the other one takes SHARE: at least half of it. */
uint32_t budget_rest(uint32_t budget, uint32_t share);

/* The hits of a probe in the kernel, in some time. */
struct budget_hits {
	uint64_t rest_ns;        /* what they cost whether they are told or not */
	uint64_t told_ns;        /* what it costs beside that if all are told */
	uint32_t every;          /* set by budget_thin(): one of so many is to be told, 1 to BUDGET_SCALE_MAX */
};

/*
 * Chooses for each of the N probes V how many of its hits are told, so that all of them cost at most BUDGET in a time
 * of NS: those whose hits cost most are told least. Where to count them is more than that already, telling may cost
 * a tenth as much: to tell still fewer would save nothing.
 */
void budget_thin(struct budget_hits *v, size_t n, uint64_t ns, uint32_t budget);

/* Whether EVERY is to be replaced by NEXT: not for small differences, as what comes is never quite the same. */
bool budget_differs(uint32_t every, uint32_t next);

#endif
