/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pages.h - an append-only array whose elements never move, with one writer and any number of
 * readers, without locks.
 *
 * Elements live in pages of 4,096, found through a directory of page pointers. A directory that is
 * full is replaced by one of twice its size and kept until the end, as readers may still use it:
 * what they may read is in it. The writer fills the element returned by pages_reserve() and makes
 * it visible with pages_commit() (a release store of the count); a reader that saw count n (an
 * acquire load) may read elements 0 .. n-1 for as long as the array lives. This is what lets a
 * snapshot of the profile share its dictionaries with the thread that goes on adding to them.
 */
#ifndef SBERF_BASE_PAGES_H
#define SBERF_BASE_PAGES_H

#include "base/sizes.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_SHIFT BUFFER_SIZE(12u, 4u)
#define PAGES_EACH (1u << PAGES_SHIFT)                 /* elements in a page */
#define PAGES_DIR 16384u                               /* pages at most */
#define PAGES_MAX (PAGES_DIR * PAGES_EACH)             /* elements at most: 67 million */

struct pages_dir {
	struct pages_dir *older; /* that it replaced; NULL = it is the first one */
	uint32_t cap;            /* pointers that it has room for */
	_Atomic(char *) page[];
};

struct pages {
	_Atomic(struct pages_dir *) dir; /* NULL until the first pages_reserve() */
	size_t size;             /* of one element, bytes */
	_Atomic uint32_t count;  /* committed elements */
	_Atomic size_t bytes;    /* held */
};

/* An empty array of elements of SIZE bytes. */
void pages_init(struct pages *p, size_t size);
/* Frees everything; the caller knows that no reader is left. Safe on a zeroed struct. */
void pages_free(struct pages *p);

/*
 * Writer: the element at index count, not yet visible, zeroed when reserved for the first time;
 * NULL when out of memory or full. The same element, as the writer left it, until it is committed.
 */
void *pages_reserve(struct pages *p);
/* Writer: makes the reserved element visible to readers. */
void pages_commit(struct pages *p);

/* Elements visible to the calling thread. */
static inline uint32_t pages_count(const struct pages *p)
{
	return atomic_load_explicit(&p->count, memory_order_acquire);
}

/* The element at I, which must be under a count that the caller has seen. */
static inline void *pages_at(const struct pages *p, uint32_t i)
{
	const struct pages_dir *dir = atomic_load_explicit(&p->dir, memory_order_relaxed);
	char *page = atomic_load_explicit(&dir->page[i >> PAGES_SHIFT], memory_order_relaxed);

	return page + (size_t)(i & (PAGES_EACH - 1)) * p->size;
}

/* Bytes of memory held. Dictionaries ask before they add anything. */
static inline size_t pages_bytes(const struct pages *p)
{
	return atomic_load_explicit(&p->bytes, memory_order_relaxed);
}

/* So many more it will be when ADDED more elements, at most PAGES_EACH, are there. */
size_t pages_growth(const struct pages *p, uint32_t added);

#endif
