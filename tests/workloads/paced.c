// SPDX-License-Identifier: BSD-2-Clause
/* paced.c - calls one function COUNT times in each ms, and sleeps for the rest of it: paced [S] [COUNT] */
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
	uint64_t next = now_ns(), calls = 0, late = 0;

	tell_after(argc, argv);
	ready();
	while (!time_is_over) {
		for (uint64_t i = 0; i < count; i++)
			sink += (uint64_t)paced((long)i);
		calls += count;
		next += NSEC_PER_MSEC;
		if (now_ns() < next)
			sleep_ns(next - now_ns());
		else
			late++;
	}
	printf("truth: paced %" PRIu64 " calls, late %" PRIu64 "\n", calls, late);
	return 0;
}
