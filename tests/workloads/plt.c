// SPDX-License-Identifier: BSD-2-Clause
/* plt.c - many calls of small library functions through PLT stubs, bound lazily. */
#include "workload.h"

#include <ctype.h>
#include <string.h>

NOINLINE void call_library(void)
{
	for (int i = 0; i < 1000; i++) {
		sink += (uint64_t)labs((long)sink);
		sink += (uint64_t)toascii((int)sink);
		sink += (uint64_t)ffsl((long)sink);
	}
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		call_library();
}
