/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks.c - threads that allocate in five ways, together at known rates: three leaks of 1,000, 500 and
 * 250 KB a second, churn of 25 MB a second, and a table of 4 MB whose blocks are replaced. After SECONDS,
 * 10, it says what each has allocated and has in use; then it waits until its input ends.
 *
 * Arguments: SECONDS, and the number of threads, 200.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
#define TURN_MS 200
#define CHURN 512u
#define TABLE 4096u              /* entries of 1,024 bytes */

static unsigned int threads = 200, turns;
static _Atomic uint64_t leaked[3], churned, replaced;

/* A block is known by a list, as that of a program that forgets to free is. */
struct link {
	struct link *next;
};

static _Atomic(struct link *) lists[3];

NOINLINE static void keep(unsigned int list, void *p, size_t size)
{
	struct link *l = p;

	l->next = atomic_exchange(&lists[list], l);
	leaked[list] += size;
}

NOINLINE static void leak_fast(void)
{
	keep(0, malloc(200), 200);
}

NOINLINE static void leak_middle(void)
{
	keep(1, calloc(1, 100), 100);
}

NOINLINE static void leak_slow(void)
{
	keep(2, malloc(50), 50);
}

NOINLINE static void churn(void)
{
	void *p = malloc(CHURN);

	KEEP(p);
	free(p);
	churned += CHURN;
}

NOINLINE static void table_put(void)
{
	static _Atomic(void *) table[TABLE];
	static _Atomic unsigned int next;
	void *p = malloc(1024);

	KEEP(p);
	free(atomic_exchange(&table[next++ % TABLE], p));
	replaced += 1024;
}

/* In a turn all threads together leak 200, 100 and 50 KB, and so on. */
NOINLINE static void turn(unsigned int part)
{
	for (unsigned int i = 0; i < 1000 / part; i++) {
		leak_fast();
		leak_middle();
		leak_slow();
		table_put();
		for (unsigned int k = 0; k < 10; k++)
			churn();
	}
}

static void *work(void *arg)
{
	struct timespec next;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (unsigned int i = 0; i < turns; i++) {
		turn(threads);
		next.tv_nsec += TURN_MS * 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t *all;

	turns = (argc > 1 ? (unsigned int)atoi(argv[1]) : 10) * (1000 / TURN_MS);
	threads = argc > 2 ? (unsigned int)atoi(argv[2]) : threads;
	all = calloc(threads, sizeof(*all));
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (unsigned int i = 0; i < threads; i++)
		if (pthread_create(&all[i], &small, work, NULL))
			return 1;
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	printf("leak_fast %llu %llu\n", (unsigned long long)leaked[0], (unsigned long long)leaked[0]);
	printf("leak_middle %llu %llu\n", (unsigned long long)leaked[1], (unsigned long long)leaked[1]);
	printf("leak_slow %llu %llu\n", (unsigned long long)leaked[2], (unsigned long long)leaked[2]);
	printf("churn %llu 0\n", (unsigned long long)churned);
	printf("table_put %llu %llu\n", (unsigned long long)replaced,
	       (unsigned long long)(replaced < TABLE * 1024 ? replaced : TABLE * 1024));
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
