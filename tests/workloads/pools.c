/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pools.c - has an allocator of its own: blocks of a pool, whose chunks are from malloc(). Two sites allocate, half of
 * the blocks of the second are freed, and each says its bytes as blocks.c does:
 *
 *	site_kept 100000 100000
 *
 * Arguments: how often each allocates, 1000; and how many milliseconds it waits before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define CHUNK (64u << 10)
#define CLASSES 16u
#define EACH 64u                 /* bytes between classes, and more than a header */

struct free_block {
	struct free_block *next;
};

static struct free_block *free_of[CLASSES];
static char out[4096];           /* so that standard output allocates none */
static char *chunk;
static size_t left;

/* A block of SIZE bytes, less than CLASSES times EACH; its class stands before it. */
NOINLINE void *pool_alloc(size_t size)
{
	const size_t class = (size + sizeof(size_t) + EACH - 1) / EACH, need = class * EACH;
	size_t *at = (size_t *)(void *)free_of[class];

	if (at) {
		free_of[class] = free_of[class]->next;
	} else {
		if (left < need) {
			chunk = malloc(CHUNK);
			left = chunk ? CHUNK : 0;
		}
		if (left < need)
			return NULL;
		at = (size_t *)(void *)chunk;
		chunk += need;
		left -= need;
	}
	*at = class;
	return at + 1;
}

NOINLINE void pool_free(void *p)
{
	size_t *at = (size_t *)p - 1;
	const size_t class = *at;
	struct free_block *b = (struct free_block *)(void *)at;

	b->next = free_of[class];
	free_of[class] = b;
}

NOINLINE static void site_kept(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		if (!pool_alloc(100))
			abort();
	printf("site_kept %lu %lu\n", 100 * times, 100 * times);
}

NOINLINE static void site_half(unsigned long times)
{
	for (unsigned long i = 0; i < times; i++) {
		void *p = pool_alloc(300);

		if (p && i % 2)
			pool_free(p);
	}
	printf("site_half %lu %lu\n", 300 * times, 300 * (times - times / 2));
}

int main(int argc, char **argv)
{
	const unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	usleep((useconds_t)(argc > 2 ? strtoul(argv[2], NULL, 10) * 1000 : 0));
	site_kept(times);
	site_half(times);
	return 0;
}
