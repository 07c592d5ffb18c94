// SPDX-License-Identifier: BSD-2-Clause
/*
 * timed.c - calls functions of known number and length: for each line "WHAT N" of standard input it
 * does WHAT N times, and prints "WHAT N NS", where NS is what its own clock says of all of them.
 *
 *	slow      slow(), which computes for 200 us, by a clock that it looks at itself
 *	quick     quick(), which does nothing
 *	recurse   recurse(), which calls itself down to 20 calls
 *	tail      tail(), which jumps to quick() instead of calling it
 *	leave     left(), which calls leaver(), which longjmp()s out of both; and then quick()
 *	end       a thread that ends in ends()
 *	usN       lasts(), which computes for N us, by a clock that it looks at itself; and then quick()
 */
#include "workload.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define SLOW_NS 200000u
#define DEEP 20u

static jmp_buf out;
static uint64_t slow_ns;                 /* spent in slow() */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

NOINLINE void quick(unsigned long i)
{
	sink += i;
	__asm__ volatile("");
}

NOINLINE void slow(unsigned long i)
{
	const uint64_t began_ns = now_ns();
	uint64_t now = began_ns;

	while (now < began_ns + SLOW_NS) {
		sink += i;
		now = now_ns();
	}
	slow_ns += now - began_ns;
}

NOINLINE void lasts(uint64_t ns)
{
	const uint64_t began_ns = now_ns();
	uint64_t now = began_ns;

	while (now < began_ns + ns)
		now = now_ns();
	slow_ns += now - began_ns;
}

NOINLINE void recurse(unsigned long left)
{
	if (left > 1)
		recurse(left - 1);
	sink++;
}

/* What a compiler makes of a call at the end of a function. */
void tail(unsigned long i);
__asm__(".text\n.globl tail\n.type tail,@function\ntail:\n.cfi_startproc\nnop\njmp quick\n.cfi_endproc\n"
	".size tail,.-tail\n");

NOINLINE void leaver(unsigned long i)
{
	sink += i;
	longjmp(out, 1);
}

NOINLINE void left(unsigned long i)
{
	leaver(i);
	sink++;
}

NOINLINE void ends(void)
{
	sink++;
	syscall(SYS_exit, 0);
}

static void *thread_main(void *arg)
{
	ends();
	return arg;
}

static void leave(unsigned long i)
{
	if (!setjmp(out))
		left(i);
	quick(i);
}

static void end(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, thread_main, NULL))
		pthread_join(t, NULL);
}

static void act(const char *what, unsigned long i)
{
	if (!strcmp(what, "slow"))
		slow(i);
	else if (!strncmp(what, "us", 2)) {
		lasts(strtoul(what + 2, NULL, 10) * 1000);
		quick(i);
	} else if (!strcmp(what, "quick"))
		quick(i);
	else if (!strcmp(what, "recurse"))
		recurse(DEEP);
	else if (!strcmp(what, "tail"))
		tail(i);
	else if (!strcmp(what, "leave"))
		leave(i);
	else if (!strcmp(what, "end"))
		end();
}

int main(void)
{
	char line[64], what[16];
	unsigned long n;

	ready();
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s %lu", what, &n) == 2) {
		const uint64_t began_ns = now_ns();

		slow_ns = 0;
		for (volatile unsigned long i = 0; i < n; i++)
			act(what, i);
		printf("%s %lu %llu\n", what, n, (unsigned long long)(slow_ns ? slow_ns : now_ns() - began_ns));
		fflush(stdout);
	}
	return 0;
}
