/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stalls.c - works, and sleeps from 400 to 600 ms of each second of CLOCK_MONOTONIC; works in
 * first_work for 15 seconds, then in second_work: stalls [S]
 */
#include "workload.h"

#include <time.h>

#define NSEC_PER_MSEC 1000000

static void now(struct timespec *ts)
{
	clock_gettime(CLOCK_MONOTONIC, ts);
}

NOINLINE void second_work(void)
{
	burn(100000);
	sink++;
}

NOINLINE void first_work(void)
{
	burn(100000);
	sink++;
}

NOINLINE void stall(struct timespec until)
{
	until.tv_nsec = 600 * NSEC_PER_MSEC;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	sink++;
}

int main(int argc, char **argv)
{
	struct timespec ts, began;

	end_after(argc, argv);
	now(&began);
	ready();
	for (;;) {
		now(&ts);
		if (ts.tv_nsec >= 400 * NSEC_PER_MSEC && ts.tv_nsec < 600 * NSEC_PER_MSEC)
			stall(ts);
		else if (ts.tv_sec >= began.tv_sec + 15)
			second_work();
		else
			first_work();
	}
}
