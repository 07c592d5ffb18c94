/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_thread.c - a thread that asks to run first does, or gets short turns where it may not, and
 * leaves neither to whom it starts; who holds a mutex that it waits for runs as soon as it.
 */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "base/thread.h"

#include <linux/sched.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* struct sched_attr of sched_setattr(2). */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

struct seen {
	int niceness;
	struct attr before, after, child;
	bool started;
};

static struct attr now(void)
{
	struct attr a = { .size = sizeof(a) };

	syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0);
	return a;
}

/* Whether the kernel says how long turns are. */
static bool says_turns(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
		(major > 6 || (major == 6 && minor >= 12));
}

static void *look(void *ret)
{
	*(struct attr *)ret = now();
	return NULL;
}

static void *ask(void *ret)
{
	struct seen *s = ret;
	pthread_t t;

	s->before = now();
	setpriority(PRIO_PROCESS, 0, s->niceness);       /* of this thread */
	thread_run_first();
	s->after = now();
	s->started = !pthread_create(&t, NULL, look, &s->child) && !pthread_join(t, NULL);
	return NULL;
}

/* In a thread of its own, as what was asked for is not taken back. */
static struct seen seen_with(int more)
{
	struct seen s = { .niceness = getpriority(PRIO_PROCESS, 0) + more };
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, ask, &s), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_true(s.started);
	assert_int_equal(s.child.policy, s.before.policy);
	assert_int_equal(s.child.nice, s.niceness);
	return s;
}

static bool may_run_first(void)
{
	struct rlimit limit;

	return !geteuid() || (!getrlimit(RLIMIT_RTPRIO, &limit) && limit.rlim_cur > 0);
}

static void it_runs_first_where_it_may(void **state)
{
	const struct seen s = seen_with(0);

	if (s.before.policy != SCHED_NORMAL || !may_run_first())
		skip();
	if (s.after.policy == SCHED_NORMAL)      /* root without the right to, in a container, or begun with nice */
		skip();
	assert_int_equal(s.after.policy, SCHED_FIFO);
	assert_int_equal(s.after.priority, 1);
}

static void who_was_started_with_nice_gets_short_turns(void **state)
{
	const struct seen s = seen_with(3);

	assert_int_equal(s.after.policy, s.before.policy);
	assert_int_equal(s.after.nice, s.niceness);
	if (s.before.policy == SCHED_NORMAL && says_turns()) {
		assert_int_equal(s.after.runtime, 100000);
		assert_true(s.child.runtime > s.after.runtime);
	}
}

static void a_mutex_passes_priority_on(void **state)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m, plain;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (pthread_mutex_init(&plain, &attr))
		skip();
	pthread_mutexattr_destroy(&attr);
	thread_mutex_init(&m);
	assert_memory_equal(&m, &plain, sizeof(m));
	assert_int_equal(pthread_mutex_lock(&m), 0);
	assert_int_equal(pthread_mutex_unlock(&m), 0);
	pthread_mutex_destroy(&m);
	pthread_mutex_destroy(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_first_where_it_may),
		cmocka_unit_test(who_was_started_with_nice_gets_short_turns),
		cmocka_unit_test(a_mutex_passes_priority_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
