// SPDX-License-Identifier: BSD-2-Clause
/* noreturns.c - calls of functions that never return, as the last instruction of their callers. */
#include "workload.h"

__attribute__((noreturn)) NOINLINE void never_returns(void)
{
	ready();
	for (;;)
		burn(1000000);
}

__attribute__((noreturn)) NOINLINE void calls_noreturn(void)
{
	sink++;
	never_returns();
}

/* Stands behind calls_noreturn() in the file: its first byte is that function's return address. */
NOINLINE void innocent(void)
{
	sink += 2;
}

__attribute__((noreturn)) NOINLINE void outer_noreturn(void)
{
	innocent();
	calls_noreturn();
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	outer_noreturn();
}
