/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd.c - a program with very many threads and call paths, for benchmarks of what shows them:
 *
 *	crowd THREADS BUSY [WAYS]        until it is told to end
 *
 * BUSY threads compute all the time; the others do for a moment and then sleep for up to a second.
 * What they compute they do at the end of paths of 20 calls that are chosen by chance among eight
 * functions: one of WAYS paths, or without that hardly any twice. Prints "ready".
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 20u
#define STACK_BYTES (64u << 10)
#define SPIN 2000u

static unsigned long busy, ways;

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

static uint64_t go(uint64_t way, unsigned int depth);

/* Each calls the next one from a place of its own, and does something afterwards, so that it stays on the stack. */
#define STEP(name, by) \
	static __attribute__((noinline)) uint64_t name(uint64_t way, unsigned int depth) \
	{ \
		return go(way >> 3, depth - 1) + (by); \
	}
STEP(step_a, 1)
STEP(step_b, 2)
STEP(step_c, 3)
STEP(step_d, 4)
STEP(step_e, 5)
STEP(step_f, 6)
STEP(step_g, 7)
STEP(step_h, 8)

static __attribute__((noinline)) uint64_t compute(uint64_t x)
{
	for (unsigned int i = 0; i < SPIN; i++)
		next(&x);
	return x;
}

static __attribute__((noinline)) uint64_t go(uint64_t way, unsigned int depth)
{
	static uint64_t (*const step[])(uint64_t, unsigned int) = { step_a, step_b, step_c, step_d, step_e, step_f,
								    step_g, step_h };

	return depth ? step[way & 7](way, depth) + 1 : compute(way | 1) + 1;
}

static void *work(void *arg)
{
	const unsigned long number = (unsigned long)(uintptr_t)arg;
	uint64_t x = number * 0x9E3779B97F4A7C15u + 1, sum = 0;

	for (;;) {
		const uint64_t chance = next(&x), way = ways ? hash_u64(chance % ways) : chance;

		sum += go(way, DEPTH);
		if (number >= busy)
			nanosleep(&(struct timespec){ .tv_nsec = (long)((way >> 20) % NSEC_PER_SEC) }, NULL);
	}
	return sum ? arg : NULL;
}

int main(int argc, char **argv)
{
	const unsigned long threads = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_attr_t small;

	if (!threads) {
		fprintf(stderr, "usage: crowd THREADS BUSY [WAYS]\n");
		return 2;
	}
	busy = strtoul(argv[2], NULL, 10);
	ways = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (unsigned long i = 0; i < threads; i++) {
		pthread_t t;

		if (pthread_create(&t, &small, work, (void *)(uintptr_t)i)) {
			perror("crowd");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		nanosleep(&(struct timespec){ .tv_sec = 1000 }, NULL);
}
