// SPDX-License-Identifier: BSD-2-Clause
/*
 * stays.c - a stack that is always deeper than any copy of it: as many frames as the second argument says of 544 bytes, or of 64 KiB each
 * (third argument "large"), below which it works; with the fourth argument "waits" it sleeps 2 ms at a time instead, and with "asleep" for
 * as long as it lives.
 */
#include "workload.h"

#include <string.h>

#define SMALL 512u
#define LARGE 65536u
static volatile int stop;        /* never set */
static int waits, asleep;

NOINLINE uint64_t innermost(void)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };

	ready();
	while (!stop)
		if (asleep)
			pause();
		else if (waits)
			nanosleep(&nap, NULL);
		else
			burn(1000000);
	return sink;
}

NOINLINE uint64_t stay_small(unsigned int depth)
{
	volatile char frame[SMALL];

	frame[depth % SMALL] = (char)depth;
	sink = depth <= 1 ? innermost() : stay_small(depth - 1);
	return sink + (uint64_t)frame[depth % SMALL];
}

/* Of its buffer only one byte is ever touched. */
NOINLINE uint64_t stay_large(unsigned int depth)
{
	volatile char frame[LARGE];

	frame[depth % LARGE] = (char)depth;
	sink = depth <= 1 ? innermost() : stay_large(depth - 1);
	return sink + (uint64_t)frame[depth % LARGE];
}

int main(int argc, char **argv)
{
	const unsigned int depth = argc > 2 ? (unsigned int)atoi(argv[2]) : 1000;

	end_after(argc, argv);
	waits = argc > 4 && strcmp(argv[4], "waits") == 0;
	asleep = argc > 4 && strcmp(argv[4], "asleep") == 0;
	sink = argc > 3 && strcmp(argv[3], "large") == 0 ? stay_large(depth) : stay_small(depth);
	return 0;
}
