/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idmap.h - from the ids of one dictionary to those of another, sparse.
 *
 * Ids in a recording are not those of a profile. The writer numbers what its events use, in the order of first use, so that a
 * recording that begins in the middle of a long session holds only what it needs; the reader maps the numbers back. A range
 * of ids that a damaged block took away costs nothing: pages of the map exist only where something was set.
 */
#ifndef SBERF_RECORD_IDMAP_H
#define SBERF_RECORD_IDMAP_H

#include "model/dict.h"
#include "record/format.h"

#include <stdbool.h>
#include <stdint.h>

#define IDMAP_PAGE 4096u

struct idmap {
	uint32_t *page[EPOCH_IDS_MAX / IDMAP_PAGE];      /* of value + 1; 0 = not set */
	uint32_t pages;                                  /* pages that exist */
};

/* What ID maps to, or ID_NONE. */
static inline uint32_t idmap_get(const struct idmap *m, uint32_t id)
{
	const uint32_t *page = id < EPOCH_IDS_MAX ? m->page[id / IDMAP_PAGE] : NULL;

	return page ? page[id % IDMAP_PAGE] - 1 : ID_NONE;
}

/* Sets it; false when out of memory, for an ID of EPOCH_IDS_MAX or more, and for a VALUE of ID_NONE. */
bool idmap_set(struct idmap *m, uint32_t id, uint32_t value);

void idmap_clear(struct idmap *m);               /* empty and usable; a zeroed map is an empty one */

size_t idmap_bytes(const struct idmap *m);       /* memory held beside the struct */

#endif
