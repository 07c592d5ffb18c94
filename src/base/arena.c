/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.c - blocks double up to 1 MiB, so small arenas stay small and large ones make few mallocs.
 */
#include "config.h"

#include "base/arena.h"

#include "base/sizes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MIN BUFFER_SIZE(4096u, 512u)
#define BLOCK_MAX (1u << 20)

struct arena_block {
	struct arena_block *next;
	max_align_t data[];
};

static bool add_block(struct arena *a, size_t need)
{
	size_t cap = a->cap < BLOCK_MIN ? BLOCK_MIN : a->cap >= BLOCK_MAX / 2 ? BLOCK_MAX : a->cap * 2;
	struct arena_block *b;

	if (cap < need)
		cap = need;
	if (cap > SIZE_MAX - sizeof(*b))
		return false;
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return false;
	b->next = a->blocks;
	a->blocks = b;
	a->used = 0;
	a->cap = cap;
	a->total += sizeof(*b) + cap;
	return true;
}

void *arena_alloc(struct arena *a, size_t n)
{
	const size_t align = _Alignof(max_align_t);
	void *p;

	if (n > SIZE_MAX - align)
		return NULL;
	n = (n + align - 1) & ~(align - 1);
	if ((!a->blocks || n > a->cap - a->used) && !add_block(a, n))
		return NULL;
	p = (char *)a->blocks->data + a->used;
	a->used += n;
	return memset(p, 0, n);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = len < SIZE_MAX ? arena_alloc(a, len + 1) : NULL;

	return p && len ? memcpy(p, s, len) : p;
}

void arena_reset(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	memset(a, 0, sizeof(*a));
}
