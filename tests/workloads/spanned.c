// SPDX-License-Identifier: BSD-2-Clause
/*
 * spanned.c - for each line "WHAT N" of standard input it does WHAT N times, and prints
 * "WHAT N LEAST MOST": the time between begins() and ends() is, by its own clock, from LEAST, when
 * one has returned and the other is to be called, to MOST, around both; in ns, of all of them.
 *
 *	pair      begins(), computes for 200 us, ends()
 *	nest      a pair in a pair: 400 us and 200 us
 *	begin     begins() alone
 *	open      the same in a thread of its own
 *	stray     ends() alone, in a thread of its own
 */
#include "workload.h"

#include <pthread.h>
#include <string.h>

#define SPIN_NS 200000u

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t least_ns, most_ns;

NOINLINE void begins(unsigned long i)
{
	sink += i;
	__asm__ volatile("");
}

NOINLINE void ends(unsigned long i)
{
	sink -= i;
	__asm__ volatile("");
}

static void spin(void)
{
	const uint64_t until = now_ns() + SPIN_NS;

	while (now_ns() < until)
		sink++;
}

/* A pair, with another one in it as often as DEPTH says. */
static void pair(unsigned long i, unsigned int depth)
{
	uint64_t around_ns, within_ns;

	around_ns = now_ns();
	begins(i);
	within_ns = now_ns();
	spin();
	if (depth)
		pair(i, depth - 1);
	least_ns += now_ns() - within_ns;
	ends(i);
	most_ns += now_ns() - around_ns;
}

static void *open_main(void *arg)
{
	begins((unsigned long)(uintptr_t)arg);
	return NULL;
}

static void *stray_main(void *arg)
{
	ends((unsigned long)(uintptr_t)arg);
	return NULL;
}

static void in_thread(void *(*run)(void *), unsigned long i)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, run, (void *)(uintptr_t)i))
		pthread_join(t, NULL);
}

static void act(const char *what, unsigned long i)
{
	if (!strcmp(what, "pair"))
		pair(i, 0);
	else if (!strcmp(what, "nest"))
		pair(i, 1);
	else if (!strcmp(what, "begin"))
		begins(i);
	else
		in_thread(!strcmp(what, "open") ? open_main : stray_main, i);
}

int main(void)
{
	char line[64], what[16];
	unsigned long n;

	ready();
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s %lu", what, &n) == 2) {
		least_ns = most_ns = 0;
		for (volatile unsigned long i = 0; i < n; i++)
			act(what, i);
		printf("%s %lu %llu %llu\n", what, n, (unsigned long long)least_ns, (unsigned long long)most_ns);
		fflush(stdout);
	}
	return 0;
}
