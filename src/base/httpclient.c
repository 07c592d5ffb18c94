// SPDX-License-Identifier: BSD-2-Clause
/* httpclient.c - a socket that does not wait, and a clock that is looked at whenever it would. */
#include "config.h"

#include "base/httpclient.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/parse.h"
#include "base/vec.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LOOK_MS 100              /* how late STOP is noticed, at most */

/* A connection and how long it may take. */
struct talk {
	int fd;
	uint64_t end_ns;
	const _Atomic bool *stop;
};

/* Waits until the connection can do what EVENTS say. 0 or a negative errno. */
static int talk_wait(const struct talk *t, short events)
{
	for (;;) {
		struct pollfd p = { .fd = t->fd, .events = events };

		if (atomic_load(t->stop))
			return -ECANCELED;
		if (clock_mono_ns() >= t->end_ns)
			return -ETIMEDOUT;
		if (poll(&p, 1, LOOK_MS) > 0)
			return 0;
	}
}

/* Connects T to ADDR. */
static int talk_connect(struct talk *t, int family, const void *addr, socklen_t len)
{
	int error = 0, rc;
	socklen_t size = sizeof(error);

	t->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0)
		return -errno;
	if (!connect(t->fd, addr, len))
		return 0;
	if (errno != EINPROGRESS && errno != EAGAIN)
		return -errno;
	rc = talk_wait(t, POLLOUT);
	if (!rc && getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &size))
		error = errno;
	return rc ? rc : -error;
}

static int talk_begin(const struct http_peer *p, struct talk *t)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct addrinfo *all = NULL;
	int rc = -EHOSTUNREACH;

	if (p->path) {
		if (strlen(p->path) >= sizeof(un.sun_path))
			return -ENAMETOOLONG;
		memcpy(un.sun_path, p->path, strlen(p->path) + 1);
		return talk_connect(t, AF_UNIX, &un, sizeof(un));
	}
	if (getaddrinfo(p->host, p->port, &hints, &all))
		return rc;
	for (const struct addrinfo *a = all; a && rc; a = a->ai_next) {
		if (t->fd >= 0)
			close(t->fd);
		rc = talk_connect(t, a->ai_family, a->ai_addr, a->ai_addrlen);
	}
	freeaddrinfo(all);
	return rc;
}

static int talk_send(const struct talk *t, const char *data, size_t len)
{
	while (len) {
		const ssize_t n = send(t->fd, data, len, MSG_NOSIGNAL);
		int rc;

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		rc = n < 0 ? talk_wait(t, POLLOUT) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

/* All that comes until the other side ends. A NUL stands behind it. */
static int talk_receive(const struct talk *t, size_t most, char **ret, size_t *ret_len)
{
	VEC(char) all = { 0 };
	ssize_t n = 1;
	int rc = 0;

	while (n && !rc) {
		if (all.n > most || !vec_reserve(&all, 16384)) {
			rc = all.n > most ? -EMSGSIZE : -ENOMEM;
			break;
		}
		n = recv(t->fd, all.v + all.n, all.cap - all.n - 1, 0);
		if (n > 0)
			all.n += (size_t)n;
		else if (n < 0)
			rc = errno == EAGAIN || errno == EINTR ? talk_wait(t, POLLIN) : -errno;
	}
	if (rc) {
		vec_free(&all);
		return rc;
	}
	all.v[all.n] = '\0';
	*ret = all.v;
	*ret_len = all.n;
	return 0;
}

/* Takes apart the response of LEN bytes at RET->data. */
static int take_reply(size_t len, size_t most, struct http_reply *ret)
{
	const ssize_t head = http_head_length(ret->data, len);
	const char *status;
	struct http_head h;
	uint64_t number;
	size_t body;

	if (head <= 0 || http_head_parse(ret->data, (size_t)head, true, &h))
		return -EPROTO;
	status = h.start[1];
	if (!parse_dec(&status, status + strlen(status), &number) || *status || number < 100 || number > 599)
		return -EPROTO;
	ret->status = (int)number;
	ret->body = ret->data + head;
	ret->len = len - (size_t)head;
	ret->retry_after = http_header(&h, "Retry-After");
	if (http_header(&h, "Content-Length") && (http_body_length(&h, most, &body) || body != ret->len))
		return -EPROTO;
	return 0;
}

static int talk_through(const struct http_peer *p, struct talk *t, const struct http_post *q, struct http_reply *ret)
{
	AUTO_FREE char *head = NULL;
	size_t got = 0;
	int rc = talk_begin(p, t);

	if (!rc && asprintf(&head, "POST %s HTTP/1.1\r\nHost: %s%s%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
			    "Connection: close\r\n\r\n", q->target, p->host, p->path ? "" : ":", p->path ? "" : p->port,
			    q->type, q->len, q->headers) < 0) {
		head = NULL;
		rc = -ENOMEM;
	}
	rc = rc ? rc : talk_send(t, head, strlen(head));
	rc = rc ? rc : talk_send(t, q->body, q->len);
	/* Who refuses may do so before it has read all, and end the connection. */
	if (rc && rc != -EPIPE && rc != -ECONNRESET)
		return rc;
	rc = talk_receive(t, q->most, &ret->data, &got);
	return rc ? rc : take_reply(got, q->most, ret);
}

int http_post(const struct http_peer *p, const struct http_post *q, struct http_reply *ret)
{
	struct talk t = { .fd = -1, .end_ns = q->end_ns, .stop = q->stop };
	int rc;

	*ret = (struct http_reply){ 0 };
	rc = talk_through(p, &t, q, ret);
	if (t.fd >= 0)
		close(t.fd);
	if (rc) {
		free(ret->data);
		*ret = (struct http_reply){ 0 };
	}
	return rc;
}
