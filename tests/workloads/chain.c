// SPDX-License-Identifier: BSD-2-Clause
/* chain.c - a chain of five calls; linked in many ways, it shows what each way of linking does to unwinding. */
#include "workload.h"

NOINLINE void level_5(void)
{
	for (;;)
		burn(1000000);
}

NOINLINE void level_4(void)
{
	level_5();
	sink++;
}

NOINLINE void level_3(void)
{
	level_4();
	sink++;
}

NOINLINE void level_2(void)
{
	level_3();
	sink++;
}

NOINLINE void level_1(void)
{
	level_2();
	sink++;
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	level_1();
	return 0;
}
