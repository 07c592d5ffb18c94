/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probed.c - what probes are compared on: probed call|read
 *
 * It calls probed(), or reads a byte of /dev/zero, all the time, in a stack of ten functions, and says each half of a
 * second how many ns that took each time. The first instruction of probed() is a push, which the kernel emulates.
 */
#include "config.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 7                  /* with main() and what begins a program: ten */
#define TURN 200                 /* between looks at the clock */
#define TELL_NS (NSEC_PER_SEC / 2)

static volatile uint64_t sink;
static volatile bool over;       /* never: so the compiler does not know that nothing returns */

long probed(long x);

__attribute__((noinline)) long probed(long x)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "rbx");
#endif
	return x + 1;
}

static void turn(int fd)
{
	char byte;

	for (int i = 0; i < TURN; i++) {
		if (fd < 0)
			sink += (uint64_t)probed(i);
		else if (read(fd, &byte, 1) != 1)
			_exit(1);
	}
}

static void run(int fd)
{
	while (!over) {
		const uint64_t from = clock_mono_ns();
		uint64_t n = 0, now;

		do {
			turn(fd);
			n += TURN;
			now = clock_mono_ns();
		} while (now - from < TELL_NS);
		printf("%.1f\n", (double)(now - from) / (double)n);
		fflush(stdout);
	}
}

static __attribute__((noinline)) void down(int depth, int fd)
{
	if (depth)
		down(depth - 1, fd);
	else
		run(fd);
	sink++;
}

int main(int argc, char **argv)
{
	const int fd = argc > 1 && !strcmp(argv[1], "read") ? open("/dev/zero", O_RDONLY | O_CLOEXEC) : -1;

	down(DEPTH, fd);
	return 0;
}
