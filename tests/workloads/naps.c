// SPDX-License-Identifier: BSD-2-Clause
/* naps.c - sleeps 23 ms 200 times in one function: naps [S] [MS] [COUNT] */
#include "truth.h"

NOINLINE void nap(uint64_t ms)
{
	sleep_ns(ms * NSEC_PER_MSEC);
	sink++;
}

int main(int argc, char **argv)
{
	struct truth naps = { .name = "nap" }, all = { .name = "thread:naps" };
	const uint64_t ms = argument(argc, argv, 2, 23), count = argument(argc, argv, 3, 200);

	tell_after(argc, argv);
	ready();
	truth_begin(&all);
	for (uint64_t i = 0; i < count && !time_is_over; i++) {
		truth_begin(&naps);
		nap(ms);
		truth_end(&naps, 1);
	}
	truth_end(&all, count);
	truth_tell(&naps);
	truth_tell(&all);
	return 0;
}
