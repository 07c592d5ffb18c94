/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.c - waits on two pidfds with poll(). After the fork it makes async-signal-safe calls only.
 * It has no parent that must reap it, and holds nothing of sberf: no terminal, no capture.
 */
#include "config.h"

#include "engine/guard.h"

#include "base/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void guard_end(pid_t command)
{
	if (getpgid(command) != command)
		kill(command, SIGTERM);
	kill(-command, SIGTERM);
}

/* Closes all but FD. */
static void keep_only(const int fd[2])
{
	const unsigned int low = (unsigned int)(fd[0] < fd[1] ? fd[0] : fd[1]),
		high = (unsigned int)(fd[0] < fd[1] ? fd[1] : fd[0]);

	if (low)
		close_range(0, low - 1, 0);
	if (high - low > 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, UINT_MAX, 0);
}

/* FD[0] is a pidfd of sberf, FD[1] one of COMMAND. The command has its own end only as long as sberf lives. */
static _Noreturn void guard_watch(const int fd[2], pid_t command)
{
	struct pollfd p[2] = { { .fd = fd[0], .events = POLLIN }, { .fd = fd[1], .events = POLLIN } };
	sigset_t none;

	setsid();
	prctl(PR_SET_NAME, "sberf-guard");
	keep_only(fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[0].revents)
		guard_end(command);
	_exit(0);
}

int guard_start(pid_t command, struct err *e)
{
	AUTO_FD int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	AUTO_FD int other = self < 0 ? -1 : (int)syscall(SYS_pidfd_open, command, 0);
	const pid_t between = other < 0 ? -1 : fork();

	if (between == 0) {
		if (fork() == 0)
			guard_watch((const int[]){ self, other }, command);
		_exit(0);
	}
	if (between < 0)
		return err_set(e, errno, "cannot watch over the command: %s", strerror(errno));
	while (waitpid(between, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}
