// SPDX-License-Identifier: BSD-2-Clause
/* hog.c - two threads that compute on one and the same CPU, so each is preempted half of the time: hog [S] [CPU] */
#include "truth.h"

#include <sched.h>
#include <sys/resource.h>

static cpu_set_t one_cpu;

NOINLINE void victim_spins(void) { spin_ns(NSEC_PER_MSEC); }
NOINLINE void hog_spins(void) { spin_ns(NSEC_PER_MSEC); }

struct side {
	const char *thread;
	void (*spins)(void);
	struct truth t;
};

static struct side sides[] = {
	{ "victim", victim_spins, { .name = "victim_spins" } },
	{ "hog", hog_spins, { .name = "hog_spins" } },
};

NOINLINE void *compute(void *arg)
{
	struct side *s = arg;
	struct rusage u;

	if (sched_setaffinity(0, sizeof(one_cpu), &one_cpu))
		exit(1);
	truth_begin(&s->t);
	while (!time_is_over)
		s->spins();
	getrusage(RUSAGE_THREAD, &u);
	truth_end(&s->t, (uint64_t)u.ru_nivcsw);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	tell_after(argc, argv);
	CPU_ZERO(&one_cpu);
	CPU_SET(argument(argc, argv, 2, (uint64_t)sched_getcpu()), &one_cpu);
	ready();
	for (int i = 0; i < 2; i++)
		t[i] = start_thread(sides[i].thread, compute, &sides[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		truth_tell(&sides[i].t);
	return 0;
}
