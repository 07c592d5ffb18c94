/* SPDX-License-Identifier: BSD-2-Clause */
/* worker.c - what has been started by base/spawn.h is looked after. */
#include "config.h"

#include "plugin/worker.h"

#include "base/cleanup.h"
#include "base/installed.h"
#include "base/spawn.h"
#include "system/oomkills.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "sberf-worker"
#define MEMORY_MAX (1ull << 30)          /* one that was killed with so much was killed for that, by the kernel */

bool worker_is_there(void)
{
	char program[PATH_MAX];

	return installed_find(PROGRAM, program);
}

int worker_start(const char *job, int file, struct worker *ret, struct err *e)
{
	char *const argv[] = { (char *)PROGRAM, (char *)job, NULL };
	int r;

	if (!worker_is_there())
		return err_set(e, ENOENT,
			       PROGRAM ", in which plug-ins run, is neither beside sberf nor in %s: install it, "
				       "or run plug-ins without it (--plugin-in-process)",
			       installed_dir());
	r = spawn_start(argv, file, &ret->pid, &ret->socket, e);
	/* A worker that does not take its answers is none that sberf waits for. */
	if (!r) {
		fcntl(ret->socket, F_SETFL, O_NONBLOCK);
		ret->oom_kills = oomkills_count();
	}
	return r;
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
	struct rusage used;
	int status = 0;
	bool by_itself;

	dst[0] = '\0';
	w->status = -1;
	if (w->socket >= 0)
		close(take_fd(&w->socket));
	if (w->pid <= 0)
		return dst;
	if (is_ending)
		worker_await(w);
	spawn_ends(w->pid);
	by_itself = wait4(w->pid, &status, WNOHANG, &used) == w->pid;
	if (by_itself) {
		w->status = status;
		w->peak_bytes = (uint64_t)used.ru_maxrss * 1024;
		w->oom_kills = oomkills_count() - w->oom_kills;
	}
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

bool worker_was_killed(const struct worker *w)
{
	return w->status >= 0 && WIFSIGNALED(w->status) && w->peak_bytes < MEMORY_MAX && !w->oom_kills &&
	       (WTERMSIG(w->status) == SIGKILL || WTERMSIG(w->status) == SIGTERM);
}

bool worker_is_idle(const struct worker *w)
{
	AUTO_FD int dir = proc_open(w->pid);
	struct proc_stat st;

	return dir < 0 || proc_read_stat(dir, &st) || (st.state != 'R' && st.state != 'D');
}

uint64_t worker_cpu_ns(const struct worker *w)
{
	return spawn_clock_ns(w->pid);
}
