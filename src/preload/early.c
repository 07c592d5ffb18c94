/* SPDX-License-Identifier: BSD-2-Clause */
/* early.c - one piece of memory, from which pieces are cut off. */
#include "config.h"

#include "preload/early.h"

#include <errno.h>
#include <stdint.h>

#define EARLY_BYTES 65536u

static char memory[EARLY_BYTES] __attribute__((aligned(4096)));
static size_t used;

void *early_allocate(size_t size, size_t align)
{
	size_t at;

	align = align < 16 ? 16 : align;
	if (size > EARLY_BYTES || align > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	/* With more than it needs it is aligned in any case, and apart from the next one. */
	at = __atomic_fetch_add(&used, size + align, __ATOMIC_RELAXED);
	at = (at + align - 1) & ~(align - 1);
	if (at + size > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	return memory + at;
}

bool early_is(const void *p)
{
	return (uintptr_t)p - (uintptr_t)memory < EARLY_BYTES;
}

size_t early_rest(const void *p)
{
	return EARLY_BYTES - (size_t)((uintptr_t)p - (uintptr_t)memory);
}
