// SPDX-License-Identifier: BSD-2-Clause
/*
 * pool.c - 64 workers that wait for jobs on a condition variable, and one thread that is busy nine
 * tenths of its time and hands out a small job ten times a second: pool [S] [WORKERS]
 */
#include "truth.h"

#define WORKERS_MAX 1024u
#define ROUNDS_PER_JOB 10u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there_are_jobs = PTHREAD_COND_INITIALIZER;
static unsigned int jobs, asleep;

NOINLINE void next_job(void)
{
	pthread_mutex_lock(&lock);
	asleep++;
	while (!jobs)
		pthread_cond_wait(&there_are_jobs, &lock);
	asleep--;
	jobs--;
	pthread_mutex_unlock(&lock);
	sink++;
}

NOINLINE void do_job(void)
{
	burn(20000);
}

NOINLINE void *pool_worker(void *arg)
{
	for (;;) {
		next_job();
		do_job();
	}
	return arg;
}

NOINLINE void busy_work(void) { spin_ns(9 * NSEC_PER_MSEC); }
NOINLINE void busy_rest(void) { sleep_ns(NSEC_PER_MSEC); sink++; }

NOINLINE void hand_out(void)
{
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_cond_signal(&there_are_jobs);
	pthread_mutex_unlock(&lock);
	sink++;
}

static unsigned int sleepers(void)
{
	unsigned int n;

	pthread_mutex_lock(&lock);
	n = asleep;
	pthread_mutex_unlock(&lock);
	return n;
}

int main(int argc, char **argv)
{
	struct truth rest = { .name = "busy_rest" }, all = { .name = "thread:pool" };
	unsigned int workers = (unsigned int)argument(argc, argv, 2, 64);
	uint64_t rounds = 0;

	tell_after(argc, argv);
	if (workers > WORKERS_MAX)
		return 2;
	for (unsigned int i = 0; i < workers; i++)
		start_thread("worker", pool_worker, NULL);
	while (sleepers() < workers)
		sleep_ns(NSEC_PER_MSEC);
	ready();
	truth_begin(&all);
	while (!time_is_over) {
		busy_work();
		truth_begin(&rest);
		busy_rest();
		truth_end(&rest, 1);
		if (workers && ++rounds % ROUNDS_PER_JOB == 0)
			hand_out();
	}
	truth_end(&all, rounds);
	truth_tell(&rest);
	truth_tell(&all);
	return 0;
}
