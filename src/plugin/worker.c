/* SPDX-License-Identifier: BSD-2-Clause */
/* worker.c - a process group and an environment of its own, so that neither keys nor variables reach the worker. */
#include "config.h"

#include "plugin/worker.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/installed.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "sberf-worker"
#define FREE_FD 16                       /* descriptors from here on are none of those that the worker gets */

/* What the child does between fork and exec; SOCKET and FILE are FREE_FD or above. */
static int worker_plan_files(posix_spawn_file_actions_t *files, int socket, int file)
{
	int r = 0;

	for (int fd = 0; fd < 3 && !r; fd++)
		r = posix_spawn_file_actions_addopen(files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(files, socket, WORKER_SOCKET);
	return r || file < 0 ? r : posix_spawn_file_actions_adddup2(files, file, WORKER_FILE);
}

static int worker_plan_signals(posix_spawnattr_t *attr)
{
	sigset_t all, none;
	int r;

	sigfillset(&all);
	sigemptyset(&none);
	r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = r ? r : posix_spawnattr_setsigmask(attr, &none);
	return r ? r : posix_spawnattr_setsigdefault(attr, &all);
}

static int worker_spawn(const char *program, const char *job, int socket, int file, pid_t *ret)
{
	char *const argv[] = { (char *)PROGRAM, (char *)job, NULL }, *const env[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = worker_plan_files(&files, socket, file);
		r = r ? r : worker_plan_signals(&attr);
		r = r ? r : posix_spawn(ret, program, &files, &attr, argv, env);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return r;
}

bool worker_is_there(void)
{
	char program[PATH_MAX];

	return installed_find(PROGRAM, program);
}

int worker_start(const char *job, int file, struct worker *ret, struct err *e)
{
	AUTO_FD int given = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, FREE_FD);
	AUTO_FD int near = -1;
	AUTO_FD int far = -1;
	char program[PATH_MAX];
	int pair[2], r;

	if (!installed_find(PROGRAM, program))
		return err_set(e, ENOENT,
			       PROGRAM ", in which plug-ins run, is neither beside sberf nor in %s: install it, "
				       "or run plug-ins without it (--plugin-in-process)",
			       installed_dir());
	if ((file >= 0 && given < 0) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_set(e, errno, "cannot start " PROGRAM ": %s", strerror(errno));
	near = pair[0];
	/* A worker that does not take its answers is none that sberf waits for. */
	fcntl(near, F_SETFL, O_NONBLOCK);
	far = fcntl(pair[1], F_DUPFD_CLOEXEC, FREE_FD);
	close(pair[1]);
	r = far < 0 ? errno : worker_spawn(program, job, far, given, &ret->pid);
	if (r)
		return err_set(e, r, "cannot start %s: %s", program, strerror(r));
	ret->socket = take_fd(&near);
	return 0;
}

/* Waits until W has ended, for half a second. */
static void worker_await(const struct worker *w)
{
	AUTO_FD int fd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0)
		poll(&p, 1, 500);
}

const char *worker_stop(struct worker *w, bool is_ending, char *dst, size_t dst_size)
{
	int status = 0;
	bool by_itself;

	dst[0] = '\0';
	if (w->socket >= 0)
		close(take_fd(&w->socket));
	if (w->pid <= 0)
		return dst;
	if (is_ending)
		worker_await(w);
	by_itself = waitpid(w->pid, &status, WNOHANG) == w->pid;
	if (by_itself && WIFSIGNALED(status)) {
		snprintf(dst, dst_size, "it crashed (signal %d, %s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else if (by_itself && WIFEXITED(status)) {
		snprintf(dst, dst_size, "it ended by itself (status %d)", WEXITSTATUS(status));
	} else if (!by_itself) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	w->pid = 0;
	return dst;
}

bool worker_is_idle(const struct worker *w)
{
	AUTO_FD int dir = proc_open(w->pid);
	char stat[512];
	const char *state = NULL;

	if (dir >= 0 && proc_read_start(dir, "stat", stat, sizeof(stat)))
		state = strrchr(stat, ')');
	return !state || (strncmp(state, ") R", 3) && strncmp(state, ") D", 3));
}

uint64_t worker_cpu_ns(const struct worker *w)
{
	clockid_t clock;

	return clock_getcpuclockid(w->pid, &clock) ? 0 : clock_ns(clock);
}
