/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workload.h - what the programs of known truth share.
 *
 * A workload says "ready" on stdout when it is in the shape that its table row in README.md
 * describes, keeps that shape, and ends after the number of seconds given as its first argument, or
 * never.
 */
#ifndef SBERF_TESTS_WORKLOAD_H
#define SBERF_TESTS_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

/* What work leaves behind, so that none of it can be left out. */
extern volatile uint64_t sink;
volatile uint64_t sink;

/* The process ends SECONDS (of argv[1]) after this call; without an argument it runs on. */
static inline void end_after(int argc, char **argv)
{
	if (argc > 1 && atoi(argv[1]) > 0)
		alarm((unsigned int)atoi(argv[1]));
}

static inline void ready(void)
{
	static const char word[] = "ready\n";

	if (write(STDOUT_FILENO, word, sizeof(word) - 1) < 0)
		_exit(1);
}

/* About N times a nanosecond of pure user time, without a call. Inlined into the function that burns. */
static inline __attribute__((always_inline)) void burn(uint64_t n)
{
	uint64_t x = sink | 1;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	sink = x;
}

#endif
