// SPDX-License-Identifier: BSD-2-Clause
/* recurse.c - recursion as deep as the second argument says (1000), then work. */
#include "workload.h"

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

int main(int argc, char **argv)
{
	end_after(argc, argv);
	sink = recurse(argc > 2 ? (unsigned int)atoi(argv[2]) : 1000);
	return 0;
}
