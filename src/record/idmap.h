/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idmap.h - maps the ids of one dictionary to those of another, sparsely.
 *
 * Ids in a recording are not those of a profile. The writer numbers what its events use, in the
 * order of first use, so that a recording that begins in the middle of a long session holds only
 * what it needs; the reader maps the numbers back. A range of ids that a damaged block took away
 * costs nothing: pages of the map exist only where something was set, and the directory of pages
 * reaches as far as the largest id.
 */
#ifndef SBERF_RECORD_IDMAP_H
#define SBERF_RECORD_IDMAP_H

#include "base/sizes.h"
#include "model/dict.h"
#include "record/format.h"

#include <stdbool.h>
#include <stdint.h>

#define IDMAP_PAGE BUFFER_SIZE(4096u, 64u)

struct idmap {
	uint32_t **page;         /* CAP of them, of value + 1; 0 = not set */
	uint32_t cap;            /* a power of two; 0 = there is none */
	uint32_t pages;          /* pages that exist */
};

/* What ID maps to, or ID_NONE. */
static inline uint32_t idmap_get(const struct idmap *m, uint32_t id)
{
	const uint32_t *page = id / IDMAP_PAGE < m->cap ? m->page[id / IDMAP_PAGE] : NULL;

	return page ? page[id % IDMAP_PAGE] - 1 : ID_NONE;
}

/* Sets it; false when out of memory, for an ID of EPOCH_IDS_MAX or more, and for a VALUE of ID_NONE. */
bool idmap_set(struct idmap *m, uint32_t id, uint32_t value);

/* Gives all memory back; the map is empty and usable then, as a zeroed one is. */
void idmap_clear(struct idmap *m);

size_t idmap_bytes(const struct idmap *m);       /* memory held beside the struct */

#endif
