/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask.c - one socket and one lock. The collector gives up a file that does not come (keeper.c), so whoever
 * asks waits a bounded time.
 */
#include "config.h"

#include "collector/ask.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"
#include "base/spawn.h"
#include "collector/keeper.h"
#include "collector/collector_policy.h"
#include "system/procfs.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* More than it takes the collector to give up. */
#define ANSWER_MS (2 * (int)KEEPER_BUSY_MS)

static struct {
	pthread_mutex_t lock;
	atomic_int pid;                  /* 0 = there is none */
	int socket;                      /* -1 = there is none, or it is of no use any more */
	uint32_t seq;
	struct ask_figures figures;
} collector = { .lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1 };

_Static_assert(COLLECTOR_SOCKET == SPAWN_SOCKET && COLLECTOR_LIST == SPAWN_FILE, "as spawn.h has them");

/* What is refused to us of a process, whose directory DIR is. */
static int ask_denied(int dir, const char *name)
{
	struct proc_stat st;

	return !strcmp(name, "maps") && !proc_read_stat(dir, &st) ? ask_for(COLLECTOR_MAPS, st.pid) : -EACCES;
}

/* Waits until the collector says that it is ready. 0 or a negative errno with a sentence. */
static int ask_hello(int socket, struct err *e)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	struct collector_hello hello;

	if (poll(&p, 1, ANSWER_MS) != 1 ||
	    fdmessage_take(socket, &hello, sizeof(hello), NULL) != (ssize_t)sizeof(hello) || hello.err > 0)
		return err_set(e, EPIPE, COLLECTOR_PROGRAM " does not answer");
	return hello.err ? err_set(e, -hello.err, COLLECTOR_PROGRAM " cannot give up privileges: %s",
				   strerror(-hello.err)) : 0;
}

int collector_start(const struct collector_start *c, struct err *e)
{
	char target[16], uid[16], gid[16];
	char *const argv[] = { (char *)COLLECTOR_PROGRAM, target, uid, gid, (char *)(c->cgroup ? c->cgroup : "/"),
			       NULL };
	pid_t pid;
	int r;

	if (collector_is_there())
		return err_set(e, EALREADY, "there is a " COLLECTOR_PROGRAM " already");
	snprintf(target, sizeof(target), "%d", (int)c->target);
	snprintf(uid, sizeof(uid), "%u", (unsigned int)c->uid);
	snprintf(gid, sizeof(gid), "%u", (unsigned int)c->gid);
	r = spawn_start(argv, c->list, &pid, &collector.socket, e);
	if (r)
		return r;
	collector.figures = (struct ask_figures){ 0 };
	atomic_store(&collector.pid, pid);
	proc_on_denied(ask_denied);
	r = ask_hello(collector.socket, e);
	if (r)
		collector_stop();
	return r;
}

bool collector_is_there(void)
{
	return collector_pid() > 0;
}

pid_t collector_pid(void)
{
	return atomic_load(&collector.pid);
}

void collector_stop(void)
{
	const pid_t pid = atomic_exchange(&collector.pid, 0);

	if (!pid)
		return;
	proc_on_denied(NULL);
	if (collector.socket >= 0)
		close(take_fd(&collector.socket));
	/* It ends when it sees that; one that does not look is not waited for. */
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Sends Q and takes the answer, with the lock held. A file or a negative errno. */
static int ask_in_turn(struct collector_request *q)
{
	struct pollfd p = { .fd = collector.socket, .events = POLLIN };
	struct collector_answer a;
	AUTO_FD int fd = -1;
	int r;

	if (collector.socket < 0)
		return -EPIPE;
	q->seq = ++collector.seq;
	r = fdmessage_send(collector.socket, q, sizeof(*q), -1);
	if (!r)
		r = poll(&p, 1, ANSWER_MS) == 1 ? 0 : -ETIMEDOUT;
	if (r || fdmessage_take(collector.socket, &a, sizeof(a), &fd) != (ssize_t)sizeof(a) || a.seq != q->seq ||
	    (a.err ? a.err > 0 || fd >= 0 : fd < 0)) {
		/* What comes late would be taken for the answer to something else. */
		close(take_fd(&collector.socket));
		collector.figures.ended = true;
		return -EPIPE;
	}
	collector.figures.asked++;
	collector.figures.refused += policy_refused(a.err);
	collector.figures.outside += a.err == POLICY_OUTSIDE;
	return a.err ? a.err : take_fd(&fd);
}

static int ask_collector(struct collector_request *q)
{
	int r;

	if (!collector_is_there())
		return -ENOTCONN;
	pthread_mutex_lock(&collector.lock);
	r = ask_in_turn(q);
	pthread_mutex_unlock(&collector.lock);
	return r;
}

/* The same of the process Q.pid. When it began is what anybody may know. */
static int ask_of_process(struct collector_request *q)
{
	AUTO_FD int dir = proc_open(q->pid);
	struct proc_stat st;

	if (dir < 0 || proc_read_stat(dir, &st))
		return -ESRCH;
	q->start_ticks = st.start_ticks;
	return ask_collector(q);
}

int ask_for(enum collector_op op, pid_t pid)
{
	struct collector_request q = { .op = op, .pid = pid };

	return ask_of_process(&q);
}

int ask_mapped(pid_t pid, uint64_t start, uint64_t end)
{
	struct collector_request q = { .op = COLLECTOR_MAPPED, .pid = pid, .a = start, .b = end };

	return ask_of_process(&q);
}

int ask_path(enum collector_op op, pid_t pid, const char *path)
{
	struct collector_request q = { .op = op, .pid = pid };
	const size_t len = strlen(path);

	if (len >= sizeof(q.path))
		return -ENAMETOOLONG;
	memcpy(q.path, path, len);
	return ask_of_process(&q);
}

int ask_kallsyms(void)
{
	struct collector_request q = { .op = COLLECTOR_KALLSYMS };

	return ask_collector(&q);
}

void ask_figures(struct ask_figures *ret)
{
	pthread_mutex_lock(&collector.lock);
	*ret = collector.figures;
	pthread_mutex_unlock(&collector.lock);
}
