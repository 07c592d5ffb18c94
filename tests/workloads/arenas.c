/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arenas.c - has an allocator of its own whose arguments are in another order than those of malloc(3). Each site says
 * its bytes as blocks.c does, of all blocks and of those that are kept.
 *
 * Arguments: how often each site allocates, 1000; and how many milliseconds it waits before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define ALIGN 16u

struct arena {
	char *chunk;
	size_t left;
};

static struct arena arena;
static char out[4096];           /* so that standard output allocates none */

static void *take(struct arena *a, size_t bytes)
{
	char *p;

	bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
	if (a->left < bytes) {
		a->left = 1u << 20;
		a->chunk = malloc(a->left);
		if (!a->chunk)
			abort();
	}
	p = a->chunk;
	a->chunk += bytes;
	a->left -= bytes;
	return p;
}

NOINLINE void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
	__asm__ volatile("" : : "r"(align));
	return take(a, bytes);
}

NOINLINE void *arena_table(struct arena *a, size_t each, size_t n)
{
	return memset(take(a, each * n), 0, each * n);
}

/* The block is its last argument but one of those in registers; the size is the last of all. */
NOINLINE void *arena_resize(struct arena *a, int x, int y, int z, void *block, size_t bytes)
{
	char *p = take(a, bytes);

	__asm__ volatile("" : : "r"(x), "r"(y), "r"(z));
	*p = *(char *)block;
	return p;
}

NOINLINE int arena_get(size_t bytes, size_t align, struct arena *a, void **where)
{
	__asm__ volatile("" : : "r"(align));
	if (bytes == 0)
		return 1;
	*where = take(a, bytes);
	return 0;
}

NOINLINE void arena_free(struct arena *a, int flags, void *block)
{
	__asm__ volatile("" : : "r"(a), "r"(flags), "r"(block) : "memory");
}

NOINLINE static void site_alloc(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++) {
		void *p = arena_alloc(&arena, 100, 4096);

		if (i % 2)
			arena_free(&arena, 4096, p);
	}
	printf("site_alloc %lu %lu\n", 100 * times, 100 * (times - times / 2));
}

NOINLINE static void site_table(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		arena_table(&arena, 24, 10);
	printf("site_table %lu %lu\n", 240 * times, 240 * times);
}

NOINLINE static void site_resize(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		arena_resize(&arena, 1, 2, 3, arena_resize(&arena, 1, 2, 3, out, 50), 70);
	printf("site_resize %lu %lu\n", 120 * times, 70 * times);
}

NOINLINE static void site_get(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++) {
		void *p = NULL;

		if (arena_get(i % 3 ? 200 : 0, 64, &arena, &p) == 0 && i % 3 == 1)
			arena_free(NULL, 0, p);
	}
	/* Of each three calls the first has no room, and what the second one brings is freed. */
	printf("site_get %lu %lu\n", 200 * (times / 3 + times / 3), 200 * (times / 3));
}

int main(int argc, char **argv)
{
	const unsigned long times = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000) / 3 * 3;

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	usleep((useconds_t)(argc > 2 ? strtoul(argv[2], NULL, 10) * 1000 : 0));
	site_alloc(times);
	site_table(times);
	site_resize(times);
	site_get(times);
	return 0;
}
