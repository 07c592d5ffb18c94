/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inward.c [SECONDS] - calls that end in other ways than by their return, each in a thread of its own: deep(3) calls
 * itself three times and computes for 1 ms each time; jumps() computes for 3 ms and is left by longjmp(); the thread of
 * quits() computes for 5 ms and ends in the call. Between calls deep's thread is in rests() for 1 ms, and after each
 * jump its thread is in lands() for 3 ms. A fourth thread computes for 2 ms in works() between starts() and stops(), of
 * which each fourth time the latter is not called, and for 1 ms in pauses(). Prints what each took by the program's
 * clock, in ns:
 *
 *	deep rests jumps lands quits works pauses
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static uint64_t end_ns;
static struct {
	uint64_t deep, rests, jumps, lands, quits, works, pauses;
} spent;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static NOINLINE uint64_t spin(uint64_t ms)
{
	const uint64_t from = now_ns();
	uint64_t now;

	do
		now = now_ns();
	while (now - from < ms * 1000000);
	return now - from;
}

NOINLINE void deep(int left)
{
	spent.deep += spin(1);
	if (left)
		deep(left - 1);
	__asm__ volatile("" ::: "memory");
}

NOINLINE void rests(void)
{
	spent.rests += spin(1);
	__asm__ volatile("" ::: "memory");
}

static void *goes_deep(void *arg)
{
	while (now_ns() < end_ns) {
		deep(3);
		rests();
	}
	return NULL;
}

/* Always so, which the compiler does not know: a function that cannot return has no end to be probed. */
static volatile int away_for_good = 1;
static jmp_buf out;

NOINLINE void jumps(void)
{
	spent.jumps += spin(3);
	if (away_for_good)
		longjmp(out, 1);
}

NOINLINE void lands(void)
{
	spent.lands += spin(3);
	__asm__ volatile("" ::: "memory");
}

static void *goes_back(void *arg)
{
	while (now_ns() < end_ns) {
		if (!setjmp(out))
			jumps();
		lands();
	}
	return NULL;
}

static volatile int running;

NOINLINE void starts(void)
{
	running = 1;
	__asm__ volatile("" ::: "memory");
}

NOINLINE void stops(void)
{
	running = 0;
	__asm__ volatile("" ::: "memory");
}

NOINLINE void works(void)
{
	spent.works += spin(2);
	__asm__ volatile("" ::: "memory");
}

NOINLINE void pauses(void)
{
	spent.pauses += spin(1);
	__asm__ volatile("" ::: "memory");
}

static void *goes_wrong(void *arg)
{
	for (unsigned int i = 0; now_ns() < end_ns; i++) {
		starts();
		works();
		if (i % 4)
			stops();
		pauses();
	}
	return NULL;
}

NOINLINE void quits(void)
{
	spent.quits += spin(5);
	if (away_for_good)
		pthread_exit(NULL);
}

static void *goes_away(void *arg)
{
	quits();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t deep_thread, back, away, wrong;

	end_ns = now_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 3) * 1e9);
	pthread_create(&deep_thread, NULL, goes_deep, NULL);
	pthread_create(&back, NULL, goes_back, NULL);
	pthread_create(&wrong, NULL, goes_wrong, NULL);
	while (now_ns() < end_ns) {
		pthread_create(&away, NULL, goes_away, NULL);
		pthread_join(away, NULL);
	}
	pthread_join(deep_thread, NULL);
	pthread_join(back, NULL);
	pthread_join(wrong, NULL);
	printf("%llu %llu %llu %llu %llu %llu %llu\n", (unsigned long long)spent.deep, (unsigned long long)spent.rests,
	       (unsigned long long)spent.jumps, (unsigned long long)spent.lands, (unsigned long long)spent.quits,
	       (unsigned long long)spent.works, (unsigned long long)spent.pauses);
	return 0;
}
