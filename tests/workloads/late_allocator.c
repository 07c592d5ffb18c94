/* SPDX-License-Identifier: BSD-2-Clause */
/* late_allocator.c - a malloc() that never has a block twice but the one that was freed last. For late_allocs.c. */
#include <stddef.h>

static unsigned char store[8u << 20];
static size_t used;
static void *freed;

__attribute__((noinline)) void *malloc(size_t size)
{
	void *p = freed;

	freed = NULL;
	if (p)
		return p;
	size = (size + 15) & ~(size_t)15;
	if (size > sizeof(store) - used)
		return NULL;
	p = store + used;
	used += size;
	return p;
}

__attribute__((noinline)) void free(void *p)
{
	freed = p;
}
