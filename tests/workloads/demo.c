/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demo.c - something to look at: runs, waits, locks and recurses until it is killed.
 *
 *	sorter      sorts numbers, most of its time in comparisons
 *	searcher    searches a tree by recursion, 12 calls deep
 *	writer-1/2  take turns in a ledger behind one lock, and hold it while they compute
 *	poller      waits 20 ms at a time and does next to nothing
 *
 * The main thread waits for signals. All of them together keep less than two CPUs busy.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone))

#define NUMBERS 20000
#define TREE_DEPTH 12
#define LEDGER_LINES 4096

static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t ledger[LEDGER_LINES];
static volatile uint64_t sink;

static void rest(int ms)
{
	poll(NULL, 0, ms);
}

static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 11;
}

KEPT static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

KEPT static void shuffle(uint64_t *v, uint64_t *state)
{
	for (size_t i = 0; i < NUMBERS; i++)
		v[i] = next_number(state);
}

static void *sorter(void *arg)
{
	static uint64_t v[NUMBERS];
	uint64_t state = 1;

	for (;;) {
		shuffle(v, &state);
		qsort(v, NUMBERS, sizeof(v[0]), compare_numbers);
		sink += v[NUMBERS / 2];
		rest(2);
	}
	return arg;
}

KEPT static uint64_t weigh_leaf(uint64_t path)
{
	uint64_t state = path;

	for (int i = 0; i < 400; i++)
		next_number(&state);
	return state;
}

KEPT static uint64_t search_below(int depth, uint64_t path)
{
	uint64_t left, right;

	if (depth == TREE_DEPTH)
		return weigh_leaf(path);
	left = search_below(depth + 1, path << 1);
	right = search_below(depth + 1, path << 1 | 1);
	return left > right ? left : right;
}

static void *searcher(void *arg)
{
	for (uint64_t i = 1;; i++) {
		sink += search_below(1, i);
		rest(1);
	}
	return arg;
}

KEPT static void balance_ledger(uint64_t amount)
{
	for (size_t i = 0; i < LEDGER_LINES; i++)
		ledger[i] += amount ^ ledger[(i * 17) % LEDGER_LINES];
}

KEPT static void book(uint64_t amount)
{
	pthread_mutex_lock(&ledger_lock);
	for (int i = 0; i < 100; i++)
		balance_ledger(amount + (uint64_t)i);
	pthread_mutex_unlock(&ledger_lock);
}

static void *writer(void *arg)
{
	for (uint64_t i = 1;; i++) {
		book(i);
		rest(1);
	}
	return arg;
}

static void *poller(void *arg)
{
	for (;;)
		rest(20);
	return arg;
}

static void start(const char *name, void *(*body)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL)) {
		perror("demo");
		exit(1);
	}
	pthread_setname_np(thread, name);
}

int main(void)
{
	sigset_t end;
	int sig;

	sigemptyset(&end);
	sigaddset(&end, SIGINT);
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	start("sorter", sorter);
	start("searcher", searcher);
	start("writer-1", writer);
	start("writer-2", writer);
	start("poller", poller);
	sigwait(&end, &sig);
	return 0;
}
