/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * residency.h - estimates where a process has its memory, from a bounded sample of its pages.
 *
 * The pages that could be there, all mappings but those that nothing may touch, are cut into
 * *pieces* by address: large mappings stand alone, small neighbours go together. Pages are drawn at
 * random within pieces, in a few rounds. What is found tells how much of a piece is in memory;
 * where that is neither nothing nor all the piece is cut, and the next round asks more of where
 * memory is. Pieces are kept from survey to survey. So of a reservation of a terabyte with some
 * megabytes in use most is soon left alone, but for a part of the sample that always explores.
 *
 * The kernel says how much is in memory altogether. What the sample says is fitted to that: pieces
 * give way as far as they are uncertain, those that are certain (all of it is there) hardly. So one
 * lucky hit in a terabyte does no harm. What no page of the sample was found of is in no row: then
 * the sum is less than what the kernel says, and more of the sample explores.
 *
 * Pure: mappings and answers in, addresses and an estimate out; the same seed gives the same.
 *
 *	residency_begin(&r, areas, pages, 4096, seed);
 *	for (unsigned int i = 0; i < RESIDENCY_ROUNDS; i++)
 *		if ((n = residency_round(&r, budget, &sample)))
 *			... set sample[0 .. n - 1].status
 *	residency_end(&r, bytes, &rows);
 */
#ifndef SBERF_NUMA_RESIDENCY_H
#define SBERF_NUMA_RESIDENCY_H

#include "base/vec.h"
#include "numa/areas.h"
#include "numa/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESIDENCY_ROUNDS 3u
#define OPEN_WAIT_MERGE_MAX 256u
#define RESIDENCY_UNKNOWN UINT64_MAX     /* the kernel does not say how much is there */

/* A page of the sample. */
struct sampled_page {
	uint64_t addr;
	int status;              /* its node, or a negative errno: not in memory */
};

/* A run of addresses, up to where the next piece begins. */
struct piece {
	uint64_t start;
	uint64_t first, pages;   /* number of its first page that could be there, and how many there are */
	uint32_t asked, found;   /* in this survey */
	double share;            /* of its pages that were in memory in the last survey; negative = not known */
};

struct residency {
	bool huge;               /* of pages of hugetlbfs only, else of all others; set before the first survey */
	VEC(struct piece) pieces;
	VEC(struct sampled_page) sample;
	/* of the survey under way: */
	const struct areas *areas;
	VEC(uint64_t) before;    /* pages that could be there, before each area and behind the last */
	uint64_t there;          /* pages that are, as the kernel says, or RESIDENCY_UNKNOWN */
	uint64_t page_bytes, seed, drawn;
};

void residency_free(struct residency *r);        /* zeroed is fine */

/*
 * Begins a survey of AREAS, which must not change until its end. THERE pages of PAGE_BYTES are in memory, as the kernel
 * says, or RESIDENCY_UNKNOWN. False when out of memory.
 */
bool residency_begin(struct residency *r, const struct areas *areas, uint64_t there,
		     uint64_t page_bytes, uint64_t seed);

/*
 * Draws about BUDGET more pages (a few more when there are more pieces), *RET being where they are:
 * the caller fills in status. Returns how many; 0 when there is nothing to ask for or no memory.
 */
size_t residency_round(struct residency *r, size_t budget, struct sampled_page **ret);

struct residency_sum {
	uint32_t asked, found;
};

/*
 * Ends the survey: appends to *RET what is in memory by kind and node, in no order, BYTES at most,
 * or RESIDENCY_UNKNOWN: as the sample says. False when out of memory.
 */
bool residency_end(struct residency *r, uint64_t bytes, resident_vec *ret, struct residency_sum *ret_sum);

#endif
