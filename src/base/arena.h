/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - allocates memory that is freed all at once.
 *
 * Allocations are bumped from blocks and never move; there is no per-object free. Used for what
 * lives exactly as long as its owner (a tree, a symbol table). Not thread-safe.
 */
#ifndef SBERF_BASE_ARENA_H
#define SBERF_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;  /* newest first */
	size_t used, cap;            /* of the newest block */
	size_t total;                /* bytes obtained from malloc, for memory figures */
};

/* N zeroed bytes aligned for any type, valid until arena_reset(); NULL when out of memory. N may be 0. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((malloc));

/* A copy of the first LEN bytes of S with a NUL behind; NULL when out of memory. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

/* Frees everything; the arena is empty and usable. A zeroed struct arena is an empty arena. */
void arena_reset(struct arena *a);

#endif
