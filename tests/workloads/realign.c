// SPDX-License-Identifier: BSD-2-Clause
/* realign.c - functions that realign their stack (-mstackrealign and 64-byte locals), with arguments on the stack. */
#include "workload.h"

#include <string.h>

struct aligned {
	char bytes[128];
} __attribute__((aligned(64)));

NOINLINE void use(struct aligned *a)
{
	memset(a, 2, sizeof(*a));
	burn(20000);
}

/* More arguments than registers, and an alloca: the frame is found through memory (DRAP). */
NOINLINE uint64_t realigned(int a, int b, int c, int d, int e, int f, int g, int h, size_t n)
{
	struct aligned local;
	char *p = __builtin_alloca(n);

	use(&local);
	memset(p, 3, n);
	burn(20000);
	if (g > 0)
		sink += realigned(a, b, c, d, e, f, g - 1, h, n + 24);
	return (uint64_t)(local.bytes[0] + p[0] + a + b + c + d + e + f + g + h);
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		sink += realigned(1, 2, 3, 4, 5, 6, 5, 8, 40);
}
