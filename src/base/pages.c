/* SPDX-License-Identifier: BSD-2-Clause */
/* pages.c - the writer's side of the append-only array. */
#include "config.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

#define DIR_FIRST 16u    /* pages that the first directory has room for */

static struct pages_dir *dir_of(const struct pages *p)
{
	return atomic_load_explicit(&p->dir, memory_order_relaxed);
}

static size_t dir_bytes(uint32_t cap)
{
	return sizeof(struct pages_dir) + cap * sizeof(_Atomic(char *));
}

static uint32_t pages_of(uint32_t elements)
{
	return (elements + PAGES_EACH - 1) >> PAGES_SHIFT;
}

void pages_init(struct pages *p, size_t size)
{
	memset(p, 0, sizeof(*p));
	p->size = size;
}

void pages_free(struct pages *p)
{
	struct pages_dir *dir = dir_of(p);

	for (uint32_t i = 0; dir && i < dir->cap; i++)
		free(atomic_load_explicit(&dir->page[i], memory_order_relaxed));
	while (dir) {
		struct pages_dir *older = dir->older;

		free(dir);
		dir = older;
	}
	pages_init(p, p->size);
}

static void pages_grew(struct pages *p, size_t bytes)
{
	atomic_store_explicit(&p->bytes, pages_bytes(p) + bytes, memory_order_relaxed);
}

/* A directory that has room for page I, with what is known of those before it. Readers get it with the next count. */
static struct pages_dir *dir_for(struct pages *p, uint32_t i)
{
	struct pages_dir *old = dir_of(p), *dir;
	const uint32_t cap = old ? 2 * old->cap : DIR_FIRST;

	if (old && i < old->cap)
		return old;
	dir = calloc(1, dir_bytes(cap));
	if (!dir)
		return NULL;
	dir->older = old;
	dir->cap = cap;
	for (uint32_t k = 0; old && k < old->cap; k++)
		atomic_init(&dir->page[k], atomic_load_explicit(&old->page[k], memory_order_relaxed));
	pages_grew(p, dir_bytes(cap));
	atomic_store_explicit(&p->dir, dir, memory_order_release);
	return dir;
}

void *pages_reserve(struct pages *p)
{
	const uint32_t n = atomic_load_explicit(&p->count, memory_order_relaxed), i = n >> PAGES_SHIFT;
	struct pages_dir *dir;

	if (n >= PAGES_MAX)
		return NULL;
	dir = dir_for(p, i);
	if (!dir)
		return NULL;
	if (!atomic_load_explicit(&dir->page[i], memory_order_relaxed)) {
		char *page = calloc(PAGES_EACH, p->size);

		if (!page)
			return NULL;
		atomic_store_explicit(&dir->page[i], page, memory_order_relaxed);
		pages_grew(p, PAGES_EACH * p->size);
	}
	return pages_at(p, n);
}

void pages_commit(struct pages *p)
{
	const uint32_t n = atomic_load_explicit(&p->count, memory_order_relaxed);

	/*
	 * The release pairs with pages_count(): who sees the count sees the element, its page and
	 * the directory that has it.
	 */
	atomic_store_explicit(&p->count, n + 1, memory_order_release);
}

size_t pages_growth(const struct pages *p, uint32_t added)
{
	const uint32_t have = pages_of(pages_count(p)), want = pages_of(pages_count(p) + added);
	const struct pages_dir *dir = dir_of(p);
	const uint32_t cap = dir ? dir->cap : 0;

	return (size_t)(want - have) * PAGES_EACH * p->size + (want > cap ? dir_bytes(cap ? 2 * cap : DIR_FIRST) : 0);
}
