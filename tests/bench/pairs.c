/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pairs.c - says how many ns of a CPU a malloc(3) of 16 to 271 bytes takes with its free(3), in a stack of ten
 * functions: pairs THOUSANDS
 */
#include "config.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 7                  /* with main() and what begins a program: ten */

/* The compiler would leave out what is freed at once. */
static void *(*volatile allocate)(size_t size) = malloc;
static volatile int depth = DEPTH;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static double run(unsigned long n)
{
	const uint64_t from = cpu_ns();

	for (unsigned long i = 0; i < n; i++)
		free(allocate(16 + (i * 37 & 255)));
	return (double)(cpu_ns() - from) / (double)n;
}

__attribute__((noinline)) static double deeper(int left, unsigned long n)
{
	const double ns = left ? deeper(left - 1, n) : run(n);

	/* So it is no jump. */
	__asm__ volatile("" ::: "memory");
	return ns;
}

int main(int argc, char **argv)
{
	const unsigned long thousands = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;

	(void)deeper(depth, thousands * 10);
	printf("%.2f\n", deeper(depth, thousands * 1000));
	return 0;
}
