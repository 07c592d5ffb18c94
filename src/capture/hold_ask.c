/* SPDX-License-Identifier: BSD-2-Clause */
/* hold_ask.c - one socket, one lock: loading, attaching and detaching takes up to seconds, all else microseconds. */
#include "config.h"

#include "capture/hold_ask.h"

#include "base/fdmessage.h"
#include "base/spawn.h"
#include "base/text.h"
#include "capture/hold_tables.h"
#include "collector/ask.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* More than the kernel takes to load or to detach on a machine whose CPUs are all busy. */
#define ANSWER_MS 120000

struct hold {
	pthread_mutex_t lock;
	pid_t pid;
	int socket;
	_Atomic bool useless;    /* nobody answers by it any more */
	uint32_t seq;
	struct hold_reply reply;
};

/* Takes a message of SIZE bytes that is due. 0, or -EPIPE. */
static int hold_take(const struct hold *h, void *m, size_t size, int *ret_fd)
{
	struct pollfd p = { .fd = h->socket, .events = POLLIN };

	return poll(&p, 1, ANSWER_MS) == 1 && fdmessage_take(h->socket, m, size, ret_fd) == (ssize_t)size ? 0 : -EPIPE;
}

/* The sentence TEXT of the collector's failure ERR, a negative errno. */
static int hold_failed(int err, char text[ERR_TEXT_MAX], struct err *e)
{
	text[ERR_TEXT_MAX - 1] = '\0';
	return err_set(e, -err, "%s", text[0] ? text : strerror(-err));
}

static int hold_ended(struct err *e)
{
	return err_set(e, EPIPE, COLLECTOR_PROGRAM ", which holds the BPF programs of this capture, has ended: start "
		       "sberf again");
}

static int hold_speak(struct hold *h, const struct hold_plan *told, const struct capture_plan *plan, struct err *e)
{
	struct collector_hello hello;

	if (hold_take(h, &hello, sizeof(hello), NULL) || hello.err > 0)
		return hold_ended(e);
	if (hello.err)
		return collector_explain(&hello, e);
	if (fdmessage_send(h->socket, told, sizeof(*told), -1) || hold_tables_send(h->socket, told, plan) ||
	    hold_take(h, &h->reply, sizeof(h->reply), NULL) || h->reply.err > 0)
		return hold_ended(e);
	if (h->reply.err)
		return hold_failed(h->reply.err, h->reply.text, e);
	return h->reply.nr_rings && h->reply.nr_rings <= HOLD_RINGS_MAX ? 0 : hold_ended(e);
}

int hold_begin(const struct capture_plan *plan, uid_t uid, gid_t gid, struct hold **ret, struct err *e)
{
	AUTO(hold_end) struct hold *h = calloc(1, sizeof(*h));
	AUTO_FREE struct hold_plan *told = malloc(sizeof(*told));
	char user[16], group[16];
	char *const argv[] = { (char *)COLLECTOR_PROGRAM, (char *)COLLECTOR_HOLDS, user, group, NULL };
	int r;

	if (!h || !told) {
		free(take_ptr(h));
		return err_nomem(e, "the capture");
	}
	pthread_mutex_init(&h->lock, NULL);
	h->socket = -1;
	text_format(user, sizeof(user), "%u", (unsigned int)uid);
	text_format(group, sizeof(group), "%u", (unsigned int)gid);
	r = hold_plan_of(plan, told, e);
	r = r ? r : spawn_start(argv, -1, &h->pid, &h->socket, e);
	r = r ? r : hold_speak(h, told, plan, e);
	if (r)
		return r;
	*ret = take_ptr(h);
	return 0;
}

void hold_end(struct hold *h)
{
	if (!h)
		return;
	if (h->socket >= 0)
		close(h->socket);
	/* It ends when it sees that, and the kernel detaches what it held. */
	if (h->pid > 0) {
		spawn_ends(h->pid);
		kill(h->pid, SIGKILL);
		while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	pthread_mutex_destroy(&h->lock);
	free(h);
}

const struct hold_reply *hold_reply(const struct hold *h)
{
	return &h->reply;
}

/* What follows a request. */
struct hold_more {
	const void *m;
	int fd;
};

/* With the lock held. */
static int hold_in_turn(struct hold *h, const struct hold_request *q, const struct hold_more *more,
			struct hold_answer *ret, int *ret_fd, struct err *e)
{
	const struct hold_row *row = hold_row(q->op);
	AUTO_FD int fd = -1;

	if (h->useless)
		return hold_ended(e);
	if (fdmessage_send(h->socket, q, sizeof(*q), -1) ||
	    (row->more && fdmessage_send(h->socket, more->m, row->more, more->fd)) ||
	    hold_take(h, ret, sizeof(*ret), &fd) || ret->seq != q->seq || ret->err > 0 ||
	    (fd >= 0) != (!ret->err && row->file)) {
		/* What comes late would be taken for the answer to something else. */
		h->useless = true;
		return hold_ended(e);
	}
	if (ret->err)
		return hold_failed(ret->err, ret->text, e);
	*ret_fd = take_fd(&fd);
	return 0;
}

int hold_look(struct hold *h, struct err *e)
{
	struct pollfd p = { .fd = h->socket, .events = POLLRDHUP };

	return h->useless || poll(&p, 1, 0) > 0 ? hold_ended(e) : 0;
}

static int hold_call(struct hold *h, struct hold_request *q, const struct hold_more *more, struct hold_answer *ret,
		     int *ret_fd, struct err *e)
{
	int r;

	pthread_mutex_lock(&h->lock);
	q->seq = ++h->seq;
	r = hold_in_turn(h, q, more, ret, ret_fd, e);
	pthread_mutex_unlock(&h->lock);
	return r;
}

int hold_file(struct hold *h, enum hold_op op, uint64_t a, uint64_t b, struct err *e)
{
	struct hold_request q = { .op = op, .a = a, .b = b };
	struct hold_answer answer;
	int fd = -1;
	const int r = hold_call(h, &q, NULL, &answer, &fd, e);

	return r ? r : fd;
}

int hold_do(struct hold *h, enum hold_op op, uint64_t a, uint64_t *ret_value, struct err *e)
{
	struct hold_request q = { .op = op, .a = a };
	struct hold_answer answer;
	int fd = -1;
	const int r = hold_call(h, &q, NULL, &answer, &fd, e);

	if (!r && ret_value)
		*ret_value = answer.value;
	return r;
}

int hold_tell(struct hold *h, enum hold_op op, uint64_t a, const void *m, int fd, struct hold_answer *ret,
	      struct err *e)
{
	struct hold_request q = { .op = op, .a = a };
	const struct hold_more more = { m, fd };
	int none = -1;

	return hold_call(h, &q, &more, ret, &none, e);
}
