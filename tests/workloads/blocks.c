/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.c - allocates blocks in all ways that C has, each way in a function of its own, and says how many
 * bytes each has allocated and how many of these are in use at the end:
 *
 *	site_malloc 100000 50000
 *
 * Arguments: how often each way is used, 1000; and how many milliseconds it waits before.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

static char out[4096];
static unsigned long times = 1000;
static volatile size_t huge = SIZE_MAX / 4;

/* What a site has allocated, and freed. */
struct site {
	const char *name;
	uint64_t allocated, freed;
};

static void say(const struct site *s)
{
	printf("%s %llu %llu\n", s->name, (unsigned long long)s->allocated,
	       (unsigned long long)(s->allocated - s->freed));
}

/* P of SIZE bytes was allocated by S, the I-th time; every other one is freed. */
NOINLINE static void got(struct site *s, void *p, size_t size, unsigned long i)
{
	KEEP(p);
	if (!p)
		return;
	s->allocated += size;
	if (i % 2)
		return;
	s->freed += size;
	free(p);
}

#define SITE(function, size, call) \
	NOINLINE static void site_##function(void) \
	{ \
		struct site s = { .name = "site_" #function }; \
		for (unsigned long i = 0; i < times; i++) \
			got(&s, call, size, i); \
		say(&s); \
	}

static void *posix_aligned(size_t size)
{
	void *p = NULL;

	return posix_memalign(&p, 64, size) ? NULL : p;
}

SITE(malloc, 100, malloc(100))
SITE(calloc, 7 * 30, calloc(7, 30))
SITE(realloc_new, 120, realloc(NULL, 120))
SITE(reallocarray, 5 * 50, reallocarray(NULL, 5, 50))
SITE(memalign, 300, memalign(64, 300))
SITE(aligned_alloc, 256, aligned_alloc(128, 256))
SITE(posix_memalign, 500, posix_aligned(500))
SITE(valloc, 700, valloc(700))
#ifndef NO_PVALLOC
SITE(pvalloc, 900, pvalloc(900))
#endif

/* A block grows in nine steps, and is then kept or freed. Each step ends the block before it. */
NOINLINE static void site_realloc(void)
{
	struct site s = { .name = "site_realloc" };

	for (unsigned long i = 0; i < times; i++) {
		void *p = NULL;

		for (size_t size = 100; size <= 900; size += 100) {
			p = realloc(p, size);
			KEEP(p);
			s.allocated += size;
			s.freed += size < 900 ? size : 0;
		}
		if (i % 2)
			continue;
		free(p);
		s.freed += 900;
	}
	say(&s);
}

/* Where there is no memory for the new block, the old one stays. */
NOINLINE static void site_failed(void)
{
	struct site s = { .name = "site_failed" };

	for (unsigned long i = 0; i < times; i++) {
		void *p = malloc(80);

		s.allocated += 80;
		if (realloc(p, huge) || errno != ENOMEM)
			abort();
		KEEP(p);
	}
	if (malloc(huge) || calloc(huge, 8))
		abort();
	say(&s);
}

/* Freed as soon as it is there. */
NOINLINE static void site_churn(void)
{
	struct site s = { .name = "site_churn" };

	for (unsigned long i = 0; i < 10 * times; i++) {
		void *p = malloc(64);

		KEEP(p);
		s.allocated += 64;
		s.freed += 64;
		free(p);
	}
	say(&s);
}

int main(int argc, char **argv)
{
	/* What printing allocates is no site's. */
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (argc > 1)
		times = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		usleep((useconds_t)strtoul(argv[2], NULL, 10) * 1000);
	site_malloc();
	site_calloc();
	site_realloc_new();
	site_reallocarray();
	site_memalign();
	site_aligned_alloc();
	site_posix_memalign();
	site_valloc();
#ifndef NO_PVALLOC
	site_pvalloc();
#endif
	site_realloc();
	site_failed();
	site_churn();
	return 0;
}
