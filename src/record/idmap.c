/* SPDX-License-Identifier: BSD-2-Clause */
/* idmap.c - pages are made when something is set in them. */
#include "config.h"

#include "record/idmap.h"

#include <stdlib.h>

bool idmap_set(struct idmap *m, uint32_t id, uint32_t value)
{
	uint32_t **page;

	if (id >= EPOCH_IDS_MAX || value == ID_NONE)
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
	for (size_t i = 0; m->pages && i < EPOCH_IDS_MAX / IDMAP_PAGE; i++) {
		if (!m->page[i])
			continue;
		free(m->page[i]);
		m->page[i] = NULL;
		m->pages--;
	}
}

size_t idmap_bytes(const struct idmap *m)
{
	return (size_t)m->pages * IDMAP_PAGE * sizeof(uint32_t);
}
