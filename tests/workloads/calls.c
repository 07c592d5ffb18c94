// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls.c - calls of the C library in known numbers, each by way of outer() and inner(): `calls N`
 * asks malloc() N times for CALLS_SIZE bytes, and getenv() as often for a name of its own.
 */
#include "workload.h"

#define CALLS_SIZE 12345

static void *volatile kept;

NOINLINE void inner(void)
{
	kept = malloc(CALLS_SIZE);
	free(kept);
	kept = getenv("NAME_OF_THE_TEST");
	sink++;
}

NOINLINE void outer(void)
{
	inner();
	sink++;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1000;

	ready();
	for (int i = 0; i < n; i++)
		outer();
	return 0;
}
