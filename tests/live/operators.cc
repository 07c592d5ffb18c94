/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * operators.cc - allocates by the operators of C++, each form in a function of its own, and says its bytes as
 * tests/workloads/blocks.c does. Arguments: how often each is used, and milliseconds before.
 */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

static char out[4096];
static unsigned long times = 300;

#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define SITE(name, size, get, give) \
	extern "C" __attribute__((noinline)) void site_##name() \
	{ \
		for (unsigned long i = 0; i < times; i++) { \
			void *p = get; \
			KEEP(p); \
			if (i % 2) \
				give; \
		} \
		printf("site_" #name " %lu %lu\n", size * times, size * (times - times / 2)); \
	}

static const std::align_val_t wide = std::align_val_t(64);

SITE(new, 100ul, operator new(100), operator delete(p))
SITE(new_sized, 120ul, operator new(120), operator delete(p, 120ul))
SITE(new_array, 200ul, operator new[](200), operator delete[](p))
SITE(new_array_sized, 210ul, operator new[](210), operator delete[](p, 210ul))
SITE(new_nothrow, 300ul, operator new(300, std::nothrow), operator delete(p, std::nothrow))
SITE(new_aligned, 448ul, operator new(448, wide), operator delete(p, wide))
SITE(new_aligned_sized, 512ul, operator new(512, wide), operator delete(p, 512ul, wide))
SITE(new_array_aligned, 640ul, operator new[](640, wide), operator delete[](p, wide))

int main(int argc, char **argv)
{
	times = argc > 1 ? strtoul(argv[1], nullptr, 10) : times;
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	usleep(argc > 2 ? 1000 * strtoul(argv[2], nullptr, 10) : 0);
	site_new();
	site_new_sized();
	site_new_array();
	site_new_array_sized();
	site_new_nothrow();
	site_new_aligned();
	site_new_aligned_sized();
	site_new_array_aligned();
	return 0;
}
