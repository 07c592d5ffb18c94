/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * requests.c [SECONDS [EVERY [THREADS]]] - requests of known length: handle() spins 1 ms in fast_path();
 * each EVERY-th (50) one instead sleeps 20 ms in slow_wait() and spins 5 ms in slow_cpu(). Between requests
 * it spins 0.5 ms in between(). Prints what it spent by its own clock:
 *
 *	requests slow fast_path_ns slow_wait_ns slow_cpu_ns between_ns long_fast_path_ns
 *
 * where the last one is that of fast_path() in requests of 15 ms and more.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct spent {
	uint64_t requests, slow, fast_path, slow_wait, slow_cpu, between, long_fast_path;
};

static NOINLINE uint64_t spin(uint64_t ns)
{
	const uint64_t from = now_ns();
	uint64_t now;

	do
		now = now_ns();
	while (now - from < ns);
	return now - from;
}

static NOINLINE uint64_t fast_path(void)
{
	const uint64_t r = spin(1000000);

	__asm__ volatile("" ::: "memory");
	return r;
}

static NOINLINE uint64_t slow_wait(void)
{
	const struct timespec t = { .tv_nsec = 20000000 };
	const uint64_t from = now_ns();

	nanosleep(&t, NULL);
	return now_ns() - from;
}

static NOINLINE uint64_t slow_cpu(void)
{
	const uint64_t r = spin(5000000);

	__asm__ volatile("" ::: "memory");
	return r;
}

static NOINLINE uint64_t between(void)
{
	const uint64_t r = spin(500000);

	__asm__ volatile("" ::: "memory");
	return r;
}

NOINLINE int handle(struct spent *s, int slow)
{
	s->requests++;
	if (!slow) {
		const uint64_t ns = fast_path();

		s->fast_path += ns;
		s->long_fast_path += ns >= 15000000 ? ns : 0;
		return 0;
	}
	s->slow++;
	s->slow_wait += slow_wait();
	s->slow_cpu += slow_cpu();
	return 1;
}

static uint64_t end_ns;
static unsigned int every = 50;

static void *work(void *arg)
{
	struct spent *s = arg;

	for (unsigned int i = 1; now_ns() < end_ns; i++) {
		handle(s, i % every == 0);
		s->between += between();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 5;
	const int threads = argc > 3 ? atoi(argv[3]) : 1;
	struct spent spent[64] = { { 0 } }, sum = { 0 };
	pthread_t t[64];

	every = argc > 2 ? (unsigned int)atoi(argv[2]) : 50;
	end_ns = now_ns() + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < threads && i < 64; i++)
		pthread_create(&t[i], NULL, work, &spent[i]);
	for (int i = 0; i < threads && i < 64; i++) {
		pthread_join(t[i], NULL);
		sum.requests += spent[i].requests;
		sum.slow += spent[i].slow;
		sum.fast_path += spent[i].fast_path;
		sum.slow_wait += spent[i].slow_wait;
		sum.slow_cpu += spent[i].slow_cpu;
		sum.between += spent[i].between;
		sum.long_fast_path += spent[i].long_fast_path;
	}
	printf("%llu %llu %llu %llu %llu %llu %llu\n", (unsigned long long)sum.requests, (unsigned long long)sum.slow,
	       (unsigned long long)sum.fast_path, (unsigned long long)sum.slow_wait,
	       (unsigned long long)sum.slow_cpu, (unsigned long long)sum.between,
	       (unsigned long long)sum.long_fast_path);
	return 0;
}
