// SPDX-License-Identifier: BSD-2-Clause
/* threads_start.c - threads that live for microseconds: two at a time, each calls thread_work() once. */
#include "workload.h"

#include <pthread.h>

NOINLINE void thread_work(void)
{
	burn(40000);
}

static void *thread_main(void *arg)
{
	thread_work();
	return arg;
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;) {
		pthread_t t[2];

		for (int i = 0; i < 2; i++)
			if (pthread_create(&t[i], NULL, thread_main, NULL) != 0)
				return 1;
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	}
}
