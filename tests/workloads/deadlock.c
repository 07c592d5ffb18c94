// SPDX-License-Identifier: BSD-2-Clause
/* deadlock.c - two threads that each hold what the other one waits for, from before "ready" on, for ever. */
#include "truth.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_hold_one;
static unsigned int past_the_barrier;
static pid_t tids[2];

/* Both hold their first lock; what each does next is to wait for the other's. */
static void meet(void)
{
	pthread_barrier_wait(&both_hold_one);
	__atomic_add_fetch(&past_the_barrier, 1, __ATOMIC_RELEASE);
}

NOINLINE void lock_a_then_b(void)
{
	pthread_mutex_lock(&lock_a);
	meet();
	pthread_mutex_lock(&lock_b);
	sink++;
}

NOINLINE void lock_b_then_a(void)
{
	pthread_mutex_lock(&lock_b);
	meet();
	pthread_mutex_lock(&lock_a);
	sink++;
}

NOINLINE void *first_worker(void *arg)
{
	tids[0] = gettid();
	lock_a_then_b();
	return arg;
}

NOINLINE void *second_worker(void *arg)
{
	tids[1] = gettid();
	lock_b_then_a();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	end_after(argc, argv);
	pthread_barrier_init(&both_hold_one, NULL, 2);
	t[0] = start_thread("first", first_worker, NULL);
	t[1] = start_thread("second", second_worker, NULL);
	while (__atomic_load_n(&past_the_barrier, __ATOMIC_ACQUIRE) < 2)
		sleep_ns(NSEC_PER_MSEC);
	for (int i = 0; i < 2; i++)
		until_asleep(tids[i]);
	ready();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
