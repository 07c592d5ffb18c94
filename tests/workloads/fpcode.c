// SPDX-License-Identifier: BSD-2-Clause
/*
 * fpcode.c - a few functions with frame pointers and without unwind tables: main calls through fp_1
 * to fp_5 into fp_leaf(). PART_CODE is compiled so, and linked before all that has tables, behind
 * it, between, or into a library that has no table at all.
 */
#ifdef PART_CODE
extern volatile unsigned long fp_sink;
volatile unsigned long fp_sink;
unsigned long fp_leaf(unsigned long n), fp_1(unsigned long n), fp_2(unsigned long n), fp_3(unsigned long n),
	fp_4(unsigned long n), fp_5(unsigned long n);

__attribute__((noinline)) unsigned long fp_leaf(unsigned long n)
{
	for (int i = 0; i < 100000; i++)
		n = n * 1103515245u + 12345;
	return n;
}

/* Two ways out, and a jump over the first. */
#define LINK(name, next) \
	__attribute__((noinline)) unsigned long name(unsigned long n) \
	{ \
		unsigned long r = next(n); \
		if (r & 1) \
			return r + 1; \
		fp_sink += r; \
		return r; \
	}
LINK(fp_5, fp_leaf)
LINK(fp_4, fp_5)
LINK(fp_3, fp_4)
LINK(fp_2, fp_3)
LINK(fp_1, fp_2)
#else
#include "workload.h"

unsigned long fp_1(unsigned long n);

NOINLINE void call_code(void)
{
	sink += fp_1(sink);
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		call_code();
}
#endif
