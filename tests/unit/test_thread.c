/* SPDX-License-Identifier: BSD-2-Clause */
/* test_thread.c - a thread that asks for short turns gets these and nothing else, and leaves none to whom it starts. */
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
	struct attr before, after, child;
	int nice_before, nice_after;
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

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 && (major > 6 || (major == 6 && minor >= 12));
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
	s->nice_before = getpriority(PRIO_PROCESS, 0);
	thread_run_soon();
	s->after = now();
	s->nice_after = getpriority(PRIO_PROCESS, 0);
	s->started = !pthread_create(&t, NULL, look, &s->child) && !pthread_join(t, NULL);
	return NULL;
}

/* In a thread of its own, as turns cannot be given back. */
static void only_turns_change(void **state)
{
	struct seen s = { .started = false };
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, ask, &s), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_true(s.started);
	assert_int_equal(s.after.policy, s.before.policy);
	assert_int_equal(s.nice_after, s.nice_before);
	assert_int_equal(s.child.policy, s.before.policy);
	if (s.before.policy == SCHED_NORMAL && says_turns()) {
		assert_int_equal(s.after.runtime, 100000);
		assert_true(s.child.runtime > s.after.runtime);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_turns_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
