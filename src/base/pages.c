/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.c - the writer's side of the append-only array. */
#include "config.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

void pages_init(struct pages *p, size_t size)
{
	memset(p, 0, sizeof(*p));
	p->size = size;
}

void pages_free(struct pages *p)
{
	for (uint32_t i = 0; p->dir && i < PAGES_DIR; i++)
		free(atomic_load_explicit(&p->dir[i], memory_order_relaxed));
	free(p->dir);
	pages_init(p, p->size);
}

void *pages_reserve(struct pages *p)
{
	const uint32_t n = atomic_load_explicit(&p->count, memory_order_relaxed);

	if (n >= PAGES_MAX)
		return NULL;
	if (!p->dir)
		p->dir = calloc(PAGES_DIR, sizeof(*p->dir));
	if (!p->dir)
		return NULL;
	if (!atomic_load_explicit(&p->dir[n >> PAGES_SHIFT], memory_order_relaxed)) {
		char *page = calloc(PAGES_EACH, p->size);

		if (!page)
			return NULL;
		atomic_store_explicit(&p->dir[n >> PAGES_SHIFT], page, memory_order_relaxed);
	}
	return pages_at(p, n);
}

void pages_commit(struct pages *p)
{
	const uint32_t n = atomic_load_explicit(&p->count, memory_order_relaxed);

	/* The release pairs with pages_count(): a reader that sees the count sees the element and its page pointer. */
	atomic_store_explicit(&p->count, n + 1, memory_order_release);
}

size_t pages_bytes(const struct pages *p)
{
	const size_t used = (pages_count(p) + PAGES_EACH - 1) >> PAGES_SHIFT;

	return p->dir ? PAGES_DIR * sizeof(*p->dir) + used * PAGES_EACH * p->size : 0;
}
