/* SPDX-License-Identifier: BSD-2-Clause */
/* test_spawn.c - what the processes that work for sberf take of CPUs: while they run, and when they have ended. */
#include "config.h"

#include "base/clock.h"
#include "base/spawn.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BURNT_NS (40 * NSEC_PER_MSEC)

static void burn(void)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < BURNT_NS)
		;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Takes BURNT_NS itself, in a child that stays, and in one that ends; says so to FD. */
static _Noreturn void work(int fd)
{
	const char done = '.';
	pid_t child;
	int stays[2];
	char c;

	burn();
	child = fork();
	if (!child) {
		burn();
		_exit(0);
	}
	reap(child);
	if (pipe(stays))
		_exit(1);
	if (!fork()) {
		close(stays[0]);
		burn();
		if (write(stays[1], &done, 1) == 1 && write(fd, &done, 1) == 1)
			pause();
		_exit(0);
	}
	close(stays[1]);
	if (read(stays[0], &c, 1) == 1)
		pause();
	_exit(0);
}

static void children_are_counted(void **state)
{
	const uint64_t before = spawn_cpu_ns();
	uint64_t now;
	int done[2];
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(done[0]);
		work(done[1]);
	}
	close(done[1]);
	spawn_count(pid);
	assert_int_equal(read(done[0], &c, 1), 1);
	/* Of the child that stays only it can tell. */
	spawn_says(pid, BURNT_NS);
	now = spawn_cpu_ns();
	/* What has been reaped is counted in ticks, of user and of system mode. */
	assert_in_range(now - before, 3 * BURNT_NS - 20 * NSEC_PER_MSEC, 100 * BURNT_NS);
	assert_true(spawn_cpu_ns() >= now);
	spawn_ends(pid);
	kill(-pid, SIGKILL);
	reap(pid);
	close(done[0]);
	assert_true(spawn_cpu_ns() >= now);
	/* Those that are not counted change nothing. */
	now = spawn_cpu_ns();
	spawn_ends(pid);
	spawn_ends(0);
	spawn_ends(getpid());
	assert_int_equal(spawn_cpu_ns(), now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
