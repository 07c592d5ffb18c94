// SPDX-License-Identifier: BSD-2-Clause
/* remote.c - one connection for each question, which no answer keeps waiting for long. */
#include "config.h"

#include "lib/remote.h"

#include "base/clock.h"
#include "base/http.h"
#include "base/vec.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WAIT_NS (5 * NSEC_PER_SEC)
#define LOOK_MS 100              /* how late STOP is noticed, at most */
#define QUIET_NS (30 * NSEC_PER_SEC)

struct remote {
	char *path;              /* of a UNIX socket; NULL = by host and port */
	char *host, *port, *target;
	uint64_t quiet_until_ns;
};

/* A connection and how long it may take. */
struct talk {
	int fd;
	uint64_t end_ns;
	const _Atomic bool *stop;
};

static bool split_url(const char *url, struct remote *r)
{
	const size_t host = strcspn(url, ":/");
	const char *after = url + host, *target = strchr(url, '/');

	r->host = strndup(url, host);
	r->port = *after == ':' ? strndup(after + 1, strcspn(after + 1, "/")) : strdup("80");
	r->target = strdup(target ? target : "/symbolize");
	return r->host && r->port && r->target && host && *r->port && !strpbrk(r->target, " \t\r\n");
}

int remote_new(const char *where, struct remote **ret, struct err *e)
{
	AUTO(remote_free) struct remote *r = calloc(1, sizeof(*r));
	bool ok = false;

	if (!r)
		return err_nomem(e, "a service of names");
	if (!strncmp(where, "http://", 7)) {
		ok = split_url(where + 7, r);
	} else if (strchr(where, '/') && strlen(where) < sizeof(((struct sockaddr_un *)0)->sun_path)) {
		r->path = strdup(where);
		r->host = strdup("localhost");
		r->target = strdup("/symbolize");
		ok = r->path && r->host && r->target;
	}
	if (!ok)
		return err_set(e, EINVAL, "'%s' is no service of names: give the path of a socket or "
			       "http://HOST[:PORT]", where);
	*ret = take_ptr(r);
	return 0;
}

void remote_free(struct remote *r)
{
	if (!r)
		return;
	free(r->path);
	free(r->host);
	free(r->port);
	free(r->target);
	free(r);
}

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

static int talk_begin(const struct remote *r, struct talk *t)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct addrinfo *all = NULL;
	int rc = -EHOSTUNREACH;

	if (r->path) {
		memcpy(un.sun_path, r->path, strlen(r->path) + 1);
		return talk_connect(t, AF_UNIX, &un, sizeof(un));
	}
	if (getaddrinfo(r->host, r->port, &hints, &all))
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
static int talk_receive(const struct talk *t, char **ret, size_t *ret_len)
{
	VEC(char) all = { 0 };
	ssize_t n = 1;
	int rc = 0;

	while (n && !rc) {
		if (all.n > REMOTE_BODY_MAX || !vec_reserve(&all, 16384)) {
			rc = all.n > REMOTE_BODY_MAX ? -EMSGSIZE : -ENOMEM;
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

/* What stands behind the head of the response of LEN bytes at ALL, which becomes *RET's. */
static int take_body(char *all, size_t len, char **ret)
{
	const ssize_t head = http_head_length(all, len);
	struct http_head h;
	size_t body;

	if (head <= 0 || http_head_parse(all, (size_t)head, true, &h) || strcmp(h.start[1], "200") != 0)
		return -EPROTO;
	if (http_header(&h, "Content-Length") && (http_body_length(&h, REMOTE_BODY_MAX, &body) ||
						  body != len - (size_t)head))
		return -EPROTO;
	memmove(all, all + head, len - (size_t)head + 1);
	*ret = all;
	return 0;
}

static int talk_through(const struct remote *r, struct talk *t, const char *body, size_t len, char **ret)
{
	AUTO_FREE char *head = NULL;
	AUTO_FREE char *all = NULL;
	size_t got = 0;
	int rc = talk_begin(r, t);

	if (!rc && asprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
			    "Connection: close\r\n\r\n", r->target, r->host, len) < 0) {
		head = NULL;
		rc = -ENOMEM;
	}
	rc = rc ? rc : talk_send(t, head, strlen(head));
	rc = rc ? rc : talk_send(t, body, len);
	rc = rc ? rc : talk_receive(t, &all, &got);
	rc = rc ? rc : take_body(all, got, ret);
	if (!rc)
		all = NULL;
	return rc;
}

int remote_ask(struct remote *r, const char *body, size_t len, const _Atomic bool *stop, char **ret, struct err *e)
{
	const uint64_t now = clock_mono_ns();
	struct talk t = { .fd = -1, .end_ns = now + WAIT_NS, .stop = stop };
	int rc;

	if (now < r->quiet_until_ns)
		return -EAGAIN;
	rc = talk_through(r, &t, body, len, ret);
	if (t.fd >= 0)
		close(t.fd);
	if (!rc)
		return 0;
	if (rc != -ECANCELED)
		r->quiet_until_ns = clock_mono_ns() + QUIET_NS;
	return err_set(e, -rc, "the service of names at %s does not answer: %s", r->path ? r->path : r->host,
		       strerror(-rc));
}
