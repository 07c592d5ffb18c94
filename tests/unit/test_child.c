/* SPDX-License-Identifier: BSD-2-Clause */
/* test_child.c - a command of the view ends with sberf, with what it has started, also when sberf is killed. */
#include "config.h"

#include "engine/child.h"

#include "base/cleanup.h"
#include "engine/guard.h"
#include "tests/unit/cmocka_all.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 20000

/* As sberf does: starts ARGV, lets it go, and waits to be killed. What the command writes comes out of the pipe. */
static _Noreturn void act_as_sberf(char **argv, const int out[2])
{
	struct child c = CHILD_INIT;
	int status;

	dup2(out[1], 1);
	if (child_start(argv, true, &c, NULL) || child_go(&c, &status, NULL))
		_exit(1);
	close(out[1]);
	close(1);
	for (;;)
		pause();
}

/*
 * Runs SCRIPT in a shell, waits until it has told a pid, kills who started it, and says whether
 * that process ends, too.
 */
static bool ends_with_sberf(char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", script, NULL };
	char text[32] = "";
	int out[2], pid;
	pid_t sberf;
	struct pollfd p;
	bool ended;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	sberf = fork();
	if (sberf == 0)
		act_as_sberf(argv, out);
	close(out[1]);
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	pid = atoi(text);
	assert_true(pid > 1);
	p = (struct pollfd){ .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	assert_true(p.fd >= 0);
	assert_int_equal(poll(&p, 1, 100), 0);
	kill(sberf, SIGKILL);
	waitpid(sberf, NULL, 0);
	ended = poll(&p, 1, PATIENCE_MS) == 1;
	if (!ended)
		kill(pid, SIGKILL);
	close(p.fd);
	close(out[0]);
	return ended;
}

static void the_command_ends(void **state)
{
	assert_true(ends_with_sberf((char *)"echo $$; exec sleep 100"));
}

static void what_it_started_ends(void **state)
{
	assert_true(ends_with_sberf((char *)"sleep 100 & echo $!; wait; true"));
}

/* A shell that does not end keeps the others from nothing. */
static void a_stubborn_shell_is_alone(void **state)
{
	assert_true(ends_with_sberf((char *)"sh -c 'echo $$; exec sleep 100' & trap '' TERM; wait; sleep 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_ends),
		cmocka_unit_test(what_it_started_ends),
		cmocka_unit_test(a_stubborn_shell_is_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
