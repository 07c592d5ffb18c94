// SPDX-License-Identifier: BSD-2-Clause
/* batching.c - two functions that take 90 and 10 % of the time; SIGUSR1 makes them change places. */
#include "workload.h"

#include <signal.h>

#define ROUND 100000u            /* iterations for 1 % */

static volatile sig_atomic_t turned;

static void turn(int signal)
{
	(void)signal;
	turned = !turned;
}

NOINLINE void burn_first(void)
{
	burn((turned ? 10 : 90) * ROUND);
}

NOINLINE void burn_second(void)
{
	burn((turned ? 90 : 10) * ROUND);
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, turn);
	end_after(argc, argv);
	ready();
	for (;;) {
		burn_first();
		burn_second();
	}
}
