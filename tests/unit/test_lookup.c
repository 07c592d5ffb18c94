/* SPDX-License-Identifier: BSD-2-Clause */
/* test_lookup.c - what there is of a process that ends: a zombie, and one whose first thread alone has ended. */
#include "config.h"

#include "system/lookup.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *stay(void *ctx)
{
	for (;;)
		pause();
	return NULL;
}

static pid_t first_thread_ends(void)
{
	const pid_t pid = fork();
	pthread_t other;

	if (pid)
		return pid;
	if (pthread_create(&other, NULL, stay, NULL))
		_exit(1);
	pthread_exit(NULL);
}

/* Its state is told by the kernel when it is so far. */
static void wait_for_zombie(pid_t pid)
{
	pid_t parent = 0;

	for (int i = 0; i < 5000 && !lookup_zombie(pid, &parent); i++)
		usleep(1000);
	assert_true(lookup_zombie(pid, &parent));
	assert_int_equal(parent, getpid());
}

static void a_zombie_is_no_process(void **state)
{
	const pid_t pid = fork();

	if (!pid)
		_exit(0);
	wait_for_zombie(pid);
	assert_false(lookup_process_exists(pid));
	assert_false(lookup_thread_exists(pid));
	waitpid(pid, NULL, 0);
}

static void a_process_goes_on_without_its_first_thread(void **state)
{
	const pid_t pid = first_thread_ends();

	wait_for_zombie(pid);
	assert_true(lookup_process_exists(pid));
	assert_false(lookup_thread_exists(pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void who_runs_is_no_zombie(void **state)
{
	pid_t parent = 0;

	assert_false(lookup_zombie(getpid(), &parent));
	assert_false(lookup_zombie(0, &parent));
	assert_true(lookup_process_exists(getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zombie_is_no_process),
		cmocka_unit_test(a_process_goes_on_without_its_first_thread),
		cmocka_unit_test(who_runs_is_no_zombie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
