// SPDX-License-Identifier: BSD-2-Clause
/*
 * shares.c - three functions that take 50, 30 and 20 % of the time. Compiled with GROWN the last
 * one takes as much as the others together (31.3, 18.7 and 50 %); with MOVED there is a function
 * more, so that nothing is where it was.
 */
#include "workload.h"

#define ROUND 100000u            /* iterations for 1 % */

#ifdef GROWN
#define BURN_20 80
#else
#define BURN_20 20
#endif

#ifdef MOVED
NOINLINE void moved(void)
{
	burn(ROUND);
	burn(ROUND / 2);
	burn(ROUND / 4);
}
#endif

NOINLINE void burn_50(void)
{
	burn(50 * ROUND);
}

NOINLINE void burn_30(void)
{
	burn(30 * ROUND);
}

NOINLINE void burn_20(void)
{
	burn(BURN_20 * ROUND);
}

NOINLINE void share(void)
{
	burn_50();
	burn_30();
	burn_20();
#ifdef MOVED
	moved();
#endif
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		share();
}
