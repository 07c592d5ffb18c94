/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.h - holds the executable mappings of one address space: a sorted array of ranges that do
 * not overlap.
 *
 * The kernel reports new mappings and never removed ones, so a new mapping overlays what was there:
 * older ranges are cut, split or dropped. After a fork two processes share one space until either
 * changes it.
 */
#ifndef SBERF_PROCESS_SPACE_H
#define SBERF_PROCESS_SPACE_H

#include "base/cleanup.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPACE_MAX 131072u        /* mappings at most; vm.max_map_count is 65,530 unless raised */

/* What lies behind a mapping: a number of the file table (files.h) or one of these. */
typedef uint32_t backing_id;
#define BACKING_ANON (UINT32_MAX - 1)
#define BACKING_NONE UINT32_MAX

struct mapping {
	uint64_t start, end;
	uint64_t pgoff;          /* file offset of start; for BACKING_ANON equal to start */
	backing_id backing;
};

struct space {
	VEC(struct mapping) maps;
	uint32_t refs;
};

/* An empty space with one reference; NULL when out of memory. */
struct space *space_new(void);
struct space *space_ref(struct space *s);
void space_free(struct space *s);                /* drops a reference; NULL is fine */

/* Makes *S private to its holder, copying it when it is shared. False when out of memory (*S unchanged). */
bool space_own(struct space **s);

/*
 * M now stands where it says; M.backing == BACKING_NONE only removes. Anonymous neighbours are
 * merged. False when out of memory or over SPACE_MAX, with the space unchanged. *S must be private
 * (space_own).
 */
bool space_map(struct space *s, const struct mapping *m);

/* The mapping that covers ADDR, NULL when none does; valid until the space changes. */
const struct mapping *space_find(const struct space *s, uint64_t addr);

/* The last mapping that starts at ADDR or before it, whether it covers that or not. The same. */
const struct mapping *space_find_before(const struct space *s, uint64_t addr);

size_t space_bytes(const struct space *s);

DEFINE_AUTO(space_free, struct space);

#endif
