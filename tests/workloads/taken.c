// SPDX-License-Identifier: BSD-2-Clause
/*
 * taken.c - three threads take a mutex in turns and sleep with it for 3 ms, and a fourth waits for a semaphore, for
 * ever: with the C library that it is linked to, whose locks may be built otherwise than glibc's.
 *
 *	taken SECONDS
 */
#include "workload.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

NOINLINE void takes_plain(void)
{
	const struct timespec rest = { .tv_nsec = 3000000 };

	pthread_mutex_lock(&mutex);
	nanosleep(&rest, NULL);
	pthread_mutex_unlock(&mutex);
	sink++;
}

static void *takes(void *arg)
{
	for (;;)
		takes_plain();
	return arg;
}

static void *waits(void *arg)
{
	sem_wait(&semaphore);
	sink++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	end_after(argc, argv);
	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, takes, NULL))
			return 1;
	if (pthread_create(&thread, NULL, waits, NULL))
		return 1;
	ready();
	for (;;)
		pause();
}
