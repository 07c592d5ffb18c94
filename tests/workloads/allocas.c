// SPDX-License-Identifier: BSD-2-Clause
/* allocas.c - frames whose size is known only at run time. */
#include "workload.h"

#include <alloca.h>
#include <string.h>

NOINLINE void touch(char *p, size_t n)
{
	memset(p, 1, n);
	burn(20000);
	sink += (unsigned char)p[n - 1];
}

NOINLINE uint64_t with_alloca(size_t n)
{
	char *p = alloca(n);

	touch(p, n);
	if (n < 4000)
		with_alloca(n * 2 + 17);
	burn(20000);
	return (uint64_t)(unsigned char)p[0];
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		sink += with_alloca(64);
}
