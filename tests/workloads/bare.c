// SPDX-License-Identifier: BSD-2-Clause
/*
 * bare.c - a program without any library and without any unwind table, whose functions lie right
 * behind its entry point: _start, bare_main, bare_outer, bare_inner, bare_leaf. They keep frame
 * pointers or not, as it is compiled.
 */
#define NOINLINE __attribute__((noinline))

extern volatile unsigned long sink;
volatile unsigned long sink;
void bare_main(void);
void bare_outer(void);
unsigned long bare_inner(unsigned long n), bare_leaf(unsigned long n);

__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall bare_main\n\thlt\n");

static long call(long nr, long a, const void *b, long c)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}

NOINLINE unsigned long bare_leaf(unsigned long n)
{
	for (int i = 0; i < 100000; i++)
		n = n * 1103515245u + 12345;
	return n;
}

NOINLINE unsigned long bare_inner(unsigned long n)
{
	unsigned long r = bare_leaf(n);

	sink += r;
	return r + 1;
}

NOINLINE void bare_outer(void)
{
	call(1, 1, "ready\n", 6);
	for (;;)
		sink += bare_inner(sink);
}

NOINLINE void bare_main(void)
{
	bare_outer();
	sink++;
}
