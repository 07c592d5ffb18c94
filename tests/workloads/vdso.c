// SPDX-License-Identifier: BSD-2-Clause
/* vdso.c - clock_gettime() in a loop: most of the time is spent in the vDSO. */
#include "workload.h"

NOINLINE void ask_time(void)
{
	struct timespec ts;

	for (int i = 0; i < 1000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		sink += (uint64_t)ts.tv_nsec;
	}
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		ask_time();
}
