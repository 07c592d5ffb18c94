/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idmap.c - pages are made when something is set in them, and the directory grows to the last of
 * them.
 */
#include "config.h"

#include "record/idmap.h"

#include <stdlib.h>
#include <string.h>

#define DIR_FIRST 8u      /* pages that the first directory has room for */

/* Makes the directory reach page AT. */
static bool idmap_reach(struct idmap *m, uint32_t at)
{
	uint32_t cap = m->cap ? m->cap : DIR_FIRST;
	uint32_t **page;

	if (at < m->cap)
		return true;
	while (cap <= at)
		cap *= 2;
	page = realloc(m->page, cap * sizeof(*page));
	if (!page)
		return false;
	memset(page + m->cap, 0, (cap - m->cap) * sizeof(*page));
	m->page = page;
	m->cap = cap;
	return true;
}

bool idmap_set(struct idmap *m, uint32_t id, uint32_t value)
{
	uint32_t **page;

	if (id >= EPOCH_IDS_MAX || value == ID_NONE || !idmap_reach(m, id / IDMAP_PAGE))
		return false;
	page = &m->page[id / IDMAP_PAGE];
	if (!*page) {
		*page = calloc(IDMAP_PAGE, sizeof(**page));
		if (!*page)
			return false;
		m->pages++;
	}
	(*page)[id % IDMAP_PAGE] = value + 1;
	return true;
}

void idmap_clear(struct idmap *m)
{
	for (uint32_t i = 0; i < m->cap; i++)
		free(m->page[i]);
	free(m->page);
	*m = (struct idmap){ 0 };
}

size_t idmap_bytes(const struct idmap *m)
{
	return (size_t)m->pages * IDMAP_PAGE * sizeof(uint32_t) + m->cap * sizeof(*m->page);
}
