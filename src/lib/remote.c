// SPDX-License-Identifier: BSD-2-Clause
/* remote.c - one connection for each question, which no answer keeps waiting for long. */
#include "config.h"

#include "lib/remote.h"

#include "base/clock.h"
#include "base/httpclient.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define WAIT_NS (5 * NSEC_PER_SEC)
#define QUIET_NS (30 * NSEC_PER_SEC)

struct remote {
	char *path;              /* of a UNIX socket; NULL = by host and port */
	char *host, *port, *target;
	uint64_t quiet_until_ns;
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

int remote_ask(struct remote *r, const char *body, size_t len, const _Atomic bool *stop, char **ret, struct err *e)
{
	const uint64_t now = clock_mono_ns();
	const struct http_peer peer = { .path = r->path, .host = r->host, .port = r->port };
	const struct http_post post = { .target = r->target, .type = "text/plain", .headers = "", .body = body,
					.len = len, .end_ns = now + WAIT_NS, .stop = stop, .most = REMOTE_BODY_MAX };
	struct http_reply reply;
	int rc;

	if (now < r->quiet_until_ns)
		return -EAGAIN;
	rc = http_post(&peer, &post, &reply);
	if (!rc && reply.status != 200) {
		free(reply.data);
		rc = -EPROTO;
	}
	if (!rc) {
		memmove(reply.data, reply.body, reply.len + 1);
		*ret = reply.data;
		return 0;
	}
	if (rc != -ECANCELED)
		r->quiet_until_ns = clock_mono_ns() + QUIET_NS;
	return err_set(e, -rc, "the service of names at %s does not answer: %s", r->path ? r->path : r->host,
		       strerror(-rc));
}
