// SPDX-License-Identifier: BSD-2-Clause
/*
 * fpblock.c - a large block of code without CFI that keeps frame pointers, inside a program that
 * has CFI: main calls through twenty such functions into block_callback(). PART_BLOCK is compiled
 * with frame pointers and without unwind tables.
 */
#ifdef PART_BLOCK
typedef void block_fn(void (*fn)(void));
extern volatile unsigned long block_sink;

/* Each on a page of its own, so that the block is large. */
#define LINK(name, next) \
	block_fn name; \
	__attribute__((noinline, aligned(4096))) void name(void (*fn)(void)) \
	{ \
		next; \
		block_sink++; \
	}
LINK(block_20, fn())
LINK(block_19, block_20(fn))
LINK(block_18, block_19(fn))
LINK(block_17, block_18(fn))
LINK(block_16, block_17(fn))
LINK(block_15, block_16(fn))
LINK(block_14, block_15(fn))
LINK(block_13, block_14(fn))
LINK(block_12, block_13(fn))
LINK(block_11, block_12(fn))
LINK(block_10, block_11(fn))
LINK(block_9, block_10(fn))
LINK(block_8, block_9(fn))
LINK(block_7, block_8(fn))
LINK(block_6, block_7(fn))
LINK(block_5, block_6(fn))
LINK(block_4, block_5(fn))
LINK(block_3, block_4(fn))
LINK(block_2, block_3(fn))
LINK(block_1, block_2(fn))
#else
#include "workload.h"

void block_1(void (*fn)(void));
extern volatile unsigned long block_sink;
volatile unsigned long block_sink;

NOINLINE void block_callback(void)
{
	burn(100000);
}

NOINLINE void call_block(void)
{
	block_1(block_callback);
	sink++;
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		call_block();
}
#endif
