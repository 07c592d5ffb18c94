/* SPDX-License-Identifier: BSD-2-Clause */
/* test_lookup.c - what there is of a process that ends: a zombie, and one whose first thread alone has ended. */
#include "config.h"

#include "system/lookup.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int hold;         /* closed, it ends processes that read from it */

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

/* A child that has a child, and ends with SIGTERM, after which that one ends; *RET_CHILD is the child's child. */
static pid_t fork_twice(pid_t *ret_child)
{
	int told[2], held[2];
	pid_t pid;

	assert_int_equal(pipe(told) + pipe(held), 0);
	pid = fork();
	if (!pid) {
		const pid_t child = fork();

		close(held[1]);
		if (child && write(told[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		_exit(read(held[0], &pid, 1) != 0);
	}
	close(held[0]);
	assert_int_equal(read(told[0], ret_child, sizeof(*ret_child)), sizeof(*ret_child));
	close(told[0]);
	close(told[1]);
	hold = held[1];
	return pid;
}

static bool has(const u32_vec *ids, pid_t pid)
{
	for (size_t i = 0; i < ids->n; i++) {
		if (ids->v[i] == (uint32_t)pid)
			return true;
	}
	return false;
}

static void children_and_theirs_descend(void **state)
{
	uint32_t id[2] = { (uint32_t)getpid() };
	u32_vec of = { .v = id, .n = 1, .cap = 2 }, got = { 0 };
	struct err e = ERR_INIT;
	pid_t grandchild, child = fork_twice(&grandchild);

	assert_int_equal(lookup_descendants(&of, &got, &e), 0);
	assert_true(has(&got, child) && has(&got, grandchild));
	assert_false(has(&got, getpid()) || has(&got, getppid()));
	id[of.n++] = (uint32_t)child;
	got.n = 0;
	assert_int_equal(lookup_descendants(&of, &got, &e), 0);
	assert_true(has(&got, grandchild) && !has(&got, child));
	close(hold);
	wait_for_zombie(child);
	of.n = 1;
	got.n = 0;
	assert_int_equal(lookup_descendants(&of, &got, &e), 0);
	assert_false(has(&got, child));
	waitpid(child, NULL, 0);
	id[0] = (uint32_t)child;
	assert_int_equal(lookup_descendants(&of, &got, &e), 0);
	assert_int_equal(got.n, 0);
	vec_free(&got);
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
		cmocka_unit_test(children_and_theirs_descend),
		cmocka_unit_test(who_runs_is_no_zombie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
