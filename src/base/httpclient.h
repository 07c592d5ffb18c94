/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * httpclient.h - one POST over one connection, by HTTP/1.1 without TLS, which no answer keeps waiting for long.
 */
#ifndef SBERF_BASE_HTTPCLIENT_H
#define SBERF_BASE_HTTPCLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who is asked. */
struct http_peer {
	const char *path;                /* of a UNIX socket; NULL = by host and port */
	const char *host, *port;
};

struct http_post {
	const char *target, *type;       /* path and query; Content-Type */
	const char *headers;             /* more of them, each with its CRLF; "" = none */
	const char *body;
	size_t len;
	uint64_t end_ns;                 /* CLOCK_MONOTONIC: until then it must be answered */
	const _Atomic bool *stop;        /* true ends it, within a tenth of a second */
	size_t most;                     /* bytes of an answer, with its head */
};

struct http_reply {
	int status;                      /* 100 to 599 */
	char *data;                      /* all of it, the caller's to free; the others point into it */
	char *body;                      /* with a NUL behind it */
	size_t len;
	const char *retry_after;         /* NULL = there is none */
};

/*
 * Sends Q to P, and waits for the answer to *RET. 0; -ETIMEDOUT, -ECANCELED (stopped), -EMSGSIZE, -EPROTO (that is no
 * answer), or what the connection came to, as a negative errno.
 */
int http_post(const struct http_peer *p, const struct http_post *q, struct http_reply *ret);

#endif
