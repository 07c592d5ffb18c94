// SPDX-License-Identifier: BSD-2-Clause
/*
 * recurse.c - recursion as deep as the second argument says (1000), then work; third argument
 * "wide": by frames of 2.5 KB.
 */
#include "workload.h"

#include <string.h>

#define WIDE 2500u
static volatile int stop;        /* never set */

NOINLINE uint64_t recurse(unsigned int depth)
{
	if (depth <= 1) {
		ready();
		while (!stop)
			burn(1000000);
		return 0;
	}
	sink = recurse(depth - 1);       /* so that no compiler makes a loop of it */
	return sink + depth;
}

NOINLINE uint64_t recurse_wide(unsigned int depth)
{
	volatile char frame[WIDE];

	frame[depth % WIDE] = (char)depth;
	sink = depth <= 1 ? recurse(1) : recurse_wide(depth - 1);
	return sink + (uint64_t)frame[depth % WIDE];
}

int main(int argc, char **argv)
{
	const unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 1000;

	end_after(argc, argv);
	sink = argc > 3 && strcmp(argv[3], "wide") == 0 ? recurse_wide(depth) : recurse(depth);
	return 0;
}
