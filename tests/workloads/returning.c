// SPDX-License-Identifier: BSD-2-Clause
/*
 * returning.c - main calls first(), which calls second(), which calls third(), and comes back to
 * main every few milliseconds: in third() it computes, sleeps, and calls counted() in turn. So return
 * probes of the three are pending nearly always, whatever is looked at.
 */
#include "workload.h"

NOINLINE void counted(unsigned long i)
{
	sink += i;
	__asm__ volatile("");
}

NOINLINE void computes(void)
{
	burn(1000000);
	sink++;
}

NOINLINE void sleeps(void)
{
	usleep(2000);
	sink++;
}

NOINLINE void third(unsigned long i)
{
	computes();
	sleeps();
	counted(i);
	sink++;
}

NOINLINE void second(unsigned long i)
{
	third(i);
	sink++;
}

NOINLINE void first(unsigned long i)
{
	second(i);
	sink++;
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (unsigned long i = 0;; i++)
		first(i);
}
