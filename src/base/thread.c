/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c - see thread.h. */
#include "config.h"

#include "base/thread.h"

#include "base/clock.h"

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int thread_start(void *(*fn)(void *), void *arg, size_t stack_bytes)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, stack_bytes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return r;
}

/*
 * struct sched_attr of sched_setattr(2), as it first was. <linux/sched/types.h> and <pthread.h>
 * exclude each other before glibc 2.41.
 */
struct batching {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void thread_run_first(void)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };
	struct batching a = { .size = sizeof(a) };

	/* Whoever chose another policy, or niceness, knows better. */
	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_NORMAL)
		return;
	if (a.nice <= 0 && !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
		return;
	a.flags |= SCHED_FLAG_RESET_ON_FORK;
	a.runtime = NSEC_PER_MSEC / 10;
	syscall(SYS_sched_setattr, 0, &a, 0);
}

void thread_mutex_init(pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(m, &attr))        /* a kernel built without it */
		pthread_mutex_init(m, NULL);
	pthread_mutexattr_destroy(&attr);
}

void thread_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(c, &attr);
	pthread_condattr_destroy(&attr);
}
