/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask.c - for each class of questions a collector, one socket and one lock. The collector gives up what does not
 * come (keeper.c), so whoever asks waits a bounded time.
 */
#include "config.h"

#include "collector/ask.h"

#include "base/cleanup.h"
#include "base/clock.h"
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
#include <unistd.h>

/* More than it takes the collector to give up. */
#define ANSWER_MS (2 * (int)KEEPER_BUSY_MS)

/* What is asked for in a turn of its own. */
enum ask_class {
	ASK_FILES,                       /* any thread; they may be on a disk, or a file system that does not answer */
	ASK_MAPS,                        /* what the kernel says: the thread that empties the rings asks, too */
	ASK_MEMORY,                      /* for plug-ins, very often */
	ASK_STACKS,                      /* peek.c alone */
	ASK_CLASSES
};

/* A collector for one of them. */
static struct asker {
	pthread_mutex_t lock;
	const uint32_t limit_ms;         /* for each of its requests */
	atomic_int pid;                  /* 0 = there is none */
	int socket;                      /* -1 = there is none, or it is of no use any more */
	uint32_t seq;
} askers[ASK_CLASSES] = {
	[ASK_FILES] = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit_ms = KEEPER_LIMIT_MS, .socket = -1 },
	[ASK_MAPS] = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit_ms = 200, .socket = -1 },
	[ASK_MEMORY] = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit_ms = 200, .socket = -1 },
	[ASK_STACKS] = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit_ms = 200, .socket = -1 },
};

static atomic_ullong ask_count, ask_refused, ask_outside;
static atomic_bool ask_ended;

_Static_assert(COLLECTOR_SOCKET == SPAWN_SOCKET && COLLECTOR_LIST == SPAWN_FILE, "as spawn.h has them");

/* What is refused to us of a process, whose directory DIR is. */
static int ask_denied(int dir, const char *name)
{
	static const struct {
		const char *name;
		enum collector_op op;
	} known[] = {
		{ "maps", COLLECTOR_MAPS }, { "smaps", COLLECTOR_MAPPING_SIZES }, { "numa_maps", COLLECTOR_POLICIES },
	};
	struct proc_stat st;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i].name) && !proc_read_stat(dir, &st))
			return ask_for(known[i].op, st.pid);
	return -EACCES;
}

int collector_explain(const struct collector_hello *h, struct err *e)
{
	char caps[POLICY_CAPS_TEXT];

	if (h->lacks)
		return err_set(e, EPERM, COLLECTOR_PROGRAM " lacks %s: run sberf by sudo; in a container, give it that",
			       policy_caps_text(h->lacks, caps));
	return err_set(e, -h->err, COLLECTOR_PROGRAM " cannot give up privileges: %s", strerror(-h->err));
}

/* Waits until the collector says that it is ready. 0 or a negative errno with a sentence. */
static int ask_hello(int socket, struct err *e)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	struct collector_hello hello;

	if (poll(&p, 1, ANSWER_MS) != 1 ||
	    fdmessage_take(socket, &hello, sizeof(hello), NULL) != (ssize_t)sizeof(hello) || hello.err > 0)
		return err_set(e, EPIPE, COLLECTOR_PROGRAM " does not answer");
	return hello.err ? collector_explain(&hello, e) : 0;
}

static int ask_start(const struct collector_start *c, struct asker *at, struct err *e)
{
	char target[16], uid[16], gid[16], limit[16];
	char *const argv[] = { (char *)COLLECTOR_PROGRAM, target, uid, gid, (char *)(c->cgroup ? c->cgroup : "/"),
			       limit, (char *)(c->reads_memory && at == &askers[ASK_MEMORY] ? "1" : "0"), NULL };
	pid_t pid;
	int r;

	snprintf(target, sizeof(target), "%d", (int)c->target);
	snprintf(uid, sizeof(uid), "%u", (unsigned int)c->uid);
	snprintf(gid, sizeof(gid), "%u", (unsigned int)c->gid);
	snprintf(limit, sizeof(limit), "%u", at->limit_ms);
	r = spawn_start(argv, c->list, &pid, &at->socket, e);
	if (!r)
		atomic_store(&at->pid, pid);
	return r;
}

int collector_start(const struct collector_start *c, struct err *e)
{
	int r = 0;

	if (collector_is_there())
		return err_set(e, EALREADY, "there is a " COLLECTOR_PROGRAM " already");
	for (unsigned int i = 0; i < ASK_CLASSES && !r; i++)
		r = ask_start(c, &askers[i], e);
	for (unsigned int i = 0; i < ASK_CLASSES && !r; i++)
		r = ask_hello(askers[i].socket, e);
	if (r)
		collector_stop();
	else
		proc_on_denied(ask_denied);
	return r;
}

bool collector_is_there(void)
{
	return atomic_load(&askers[ASK_FILES].pid) > 0;
}

static void ask_stop(struct asker *at)
{
	const pid_t pid = atomic_exchange(&at->pid, 0);

	if (at->socket >= 0)
		close(take_fd(&at->socket));
	if (!pid)
		return;
	/* It ends when it sees that; one that does not look is not waited for. */
	spawn_ends(pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void collector_stop(void)
{
	proc_on_denied(NULL);
	for (unsigned int i = 0; i < ASK_CLASSES; i++)
		ask_stop(&askers[i]);
}

int ask_stacks_socket(void)
{
	return askers[ASK_STACKS].socket;
}

/* Takes the answer to SEQ; those to what a helper has asked that is gone come before. */
static int ask_take(int socket, uint32_t seq, struct collector_answer *ret, int *ret_fd)
{
	for (;;) {
		AUTO_FD int fd = -1;

		if (fdmessage_take(socket, ret, sizeof(*ret), &fd) != (ssize_t)sizeof(*ret))
			return -EPIPE;
		if (ret->seq != seq)
			continue;
		if (ret->err ? ret->err > 0 : fd < 0)
			return -EBADMSG;
		*ret_fd = take_fd(&fd);
		return ret->err;
	}
}

ssize_t ask_stack(int socket, pid_t tid, uint64_t from, uint32_t want, uint8_t *dst)
{
	struct collector_request q = { .seq = (uint32_t)clock_mono_ns(), .op = COLLECTOR_STACK, .pid = tid, .a = from,
				       .b = from + want };
	AUTO_FD int dir = proc_open(tid);
	AUTO_FD int fd = -1;
	struct collector_answer a;
	struct proc_stat st;
	ssize_t n;
	int r;

	if (dir < 0 || proc_read_stat(dir, &st))
		return -ESRCH;
	q.start_ticks = st.start_ticks;
	r = fdmessage_send(socket, &q, sizeof(q), -1);
	r = r ? r : ask_take(socket, q.seq, &a, &fd);
	if (r)
		return r;
	n = pread(fd, dst, want, 0);
	return n < 0 ? -errno : n;
}

/* Sends Q and takes the answer, with the lock of AT held. A file or a negative errno. */
static int ask_in_turn(struct asker *at, struct collector_request *q)
{
	struct pollfd p = { .fd = at->socket, .events = POLLIN };
	struct collector_answer a;
	AUTO_FD int fd = -1;
	int r;

	if (at->socket < 0)
		return -EPIPE;
	q->seq = ++at->seq;
	r = fdmessage_send(at->socket, q, sizeof(*q), -1);
	if (!r)
		r = poll(&p, 1, ANSWER_MS) == 1 ? 0 : -ETIMEDOUT;
	if (r || fdmessage_take(at->socket, &a, sizeof(a), &fd) != (ssize_t)sizeof(a) || a.seq != q->seq ||
	    (a.err ? a.err > 0 || fd >= 0 : fd < 0)) {
		/* What comes late would be taken for the answer to something else. */
		close(take_fd(&at->socket));
		atomic_store(&ask_ended, true);
		return -EPIPE;
	}
	if (a.took_ns)
		spawn_says(atomic_load(&at->pid), a.took_ns);
	ask_count++;
	ask_refused += policy_refused(a.err);
	ask_outside += a.err == POLICY_OUTSIDE;
	return a.err ? a.err : take_fd(&fd);
}

static struct asker *ask_whom(uint32_t op)
{
	switch (op) {
	case COLLECTOR_MAPS:
	case COLLECTOR_MAPPING_SIZES:
		return &askers[ASK_MAPS];
	case COLLECTOR_MEMORY:
	case COLLECTOR_POLICIES:
	case COLLECTOR_PAGES:
		return &askers[ASK_MEMORY];
	default:
		return &askers[ASK_FILES];
	}
}

static int ask_collector(struct collector_request *q)
{
	struct asker *at = ask_whom(q->op);
	int r;

	if (!collector_is_there())
		return -ENOTCONN;
	pthread_mutex_lock(&at->lock);
	r = ask_in_turn(at, q);
	pthread_mutex_unlock(&at->lock);
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

int ask_memory(pid_t pid, uint64_t from, void *dst, size_t length)
{
	struct collector_request q = { .op = COLLECTOR_MEMORY, .pid = pid, .a = from, .b = from + length };
	AUTO_FD int fd = ask_of_process(&q);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, dst, length, 0);
	return n == (ssize_t)length ? 0 : n < 0 ? -errno : -EFAULT;
}

/* The same of at most COLLECTOR_PAGES_MAX. */
static int ask_some_pages(pid_t pid, unsigned long n, void **addr, int *status)
{
	struct collector_request q = { .op = COLLECTOR_PAGES, .pid = pid, .a = n };
	AUTO_FD int fd = -1;
	const ssize_t bytes = (ssize_t)(n * sizeof(*status));

	for (unsigned long i = 0; i < n; i++)
		q.page[i] = (uintptr_t)addr[i];
	fd = ask_of_process(&q);
	if (fd < 0)
		return fd;
	return pread(fd, status, (size_t)bytes, 0) == bytes ? 0 : -EIO;
}

int ask_pages(void *ctx, pid_t pid, unsigned long n, void **addr, int *status)
{
	int r = 0;

	(void)ctx;
	for (unsigned long at = 0, some; at < n && !r; at += some) {
		some = n - at < COLLECTOR_PAGES_MAX ? n - at : COLLECTOR_PAGES_MAX;
		r = ask_some_pages(pid, some, addr + at, status + at);
	}
	return r;
}

void ask_figures(struct ask_figures *ret)
{
	*ret = (struct ask_figures){ ask_count, ask_refused, ask_outside, ask_ended };
}
