// SPDX-License-Identifier: BSD-2-Clause
/* shares.c - three functions that take 50, 30 and 20 % of the time. */
#include "workload.h"

#define ROUND 100000u            /* iterations for 1 % */

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
	burn(20 * ROUND);
}

NOINLINE void share(void)
{
	burn_50();
	burn_30();
	burn_20();
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		share();
}
