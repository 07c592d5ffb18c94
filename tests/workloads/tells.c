/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tells.c - an allocator that samples by itself, as its users see it: it tells of each block by the static
 * probes otel_memory:alloc and otel_memory:free, with arguments where compilers may have them, and says how
 * many bytes each site has allocated and how many are in use, as blocks.c does.
 *
 * Arguments: how often each site allocates; how many milliseconds it waits before; and a file of which it reads
 * a line before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* What sys/sdt.h makes, which is not installed everywhere: a note with the ARGS of this place. */
#define STATIC_PROBE(name, args, ...) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b\n" \
			 ".8byte 0\n" \
			 ".8byte 0\n" \
			 ".asciz \"otel_memory\"\n" \
			 ".asciz \"" name "\"\n" \
			 ".asciz \"" args "\"\n" \
			 "994: .balign 4\n" \
			 ".popsection\n" : : __VA_ARGS__)

NOINLINE static void *in_registers(size_t size)
{
	void *p = malloc(size);

	STATIC_PROBE("alloc", "8@%0 8@%1 8@%2", "r"(p), "r"(size), "r"(size));
	return p;
}

NOINLINE static void *in_memory(size_t size)
{
	volatile uint64_t bytes = size;
	void *volatile p = malloc(size);

	STATIC_PROBE("alloc", "8@%0 8@%1 8@%2", "m"(p), "r"(size), "m"(bytes));
	return p;
}

/* Without a weight, which the contract asks for: a block stands for itself. */
NOINLINE static void *constant(void)
{
	void *p = malloc(48);

	STATIC_PROBE("alloc", "8@%0 -4@%1", "r"(p), "n"(48));
	return p;
}

NOINLINE static void let_go(void *p)
{
	STATIC_PROBE("free", "8@%0", "r"(p));
	free(p);
}

#define SITE(function, size, call) \
	NOINLINE static void site_##function(unsigned long times) \
	{ \
		unsigned long freed = 0; \
		for (unsigned long i = 0; i < times; i++) { \
			void *p = call; \
			if (i % 2) \
				continue; \
			let_go(p); \
			freed++; \
		} \
		printf("site_" #function " %lu %lu\n", times * (size), (times - freed) * (size)); \
	}

SITE(registers, 100, in_registers(100))
SITE(memory, 200, in_memory(200))
SITE(constant, 48, constant())

int main(int argc, char **argv)
{
	const unsigned long times = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	static char out[4096];
	char line[16];
	FILE *go;

	/* Or what is printed is a block, too. */
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	if (argc > 2)
		usleep((useconds_t)strtoul(argv[2], NULL, 10) * 1000);
	if (argc > 3) {
		go = fopen(argv[3], "r");
		if (!go || !fgets(line, sizeof(line), go))
			return 1;
	}
	site_registers(times);
	site_memory(times);
	site_constant(times);
	return 0;
}
