// SPDX-License-Identifier: BSD-2-Clause
/*
 * paced.c - calls one function COUNT times in each ms, sleeps for the rest of it, and says each second
 * how many calls that were: paced [S] [COUNT]
 */
#include "truth.h"

/* Its first instruction is none that the kernel emulates. */
NOINLINE long paced(long x)
{
	__asm__ volatile("");
	return 3 * x + 1;
}

int main(int argc, char **argv)
{
	const uint64_t count = argument(argc, argv, 2, 20);
	uint64_t next = now_ns(), told = next, calls = 0;

	tell_after(argc, argv);
	ready();
	while (!time_is_over) {
		for (uint64_t i = 0; i < count; i++)
			sink += (uint64_t)paced((long)i);
		calls += count;
		if (now_ns() - told >= NSEC_PER_SEC) {
			printf("%" PRIu64 "\n", calls * NSEC_PER_SEC / (now_ns() - told));
			fflush(stdout);
			told = now_ns();
			calls = 0;
		}
		next += NSEC_PER_MSEC;
		if (now_ns() < next)
			sleep_ns(next - now_ns());
	}
	return 0;
}
