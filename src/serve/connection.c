/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "serve/connection.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{ 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 408, "Request Timeout" }, { 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" }, { 503, "Service Unavailable" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Error";
}

void connection_head(struct connection *c, int status, const char *type, uint64_t length, const char *more)
{
	char size[64] = "";
	int n;

	if (length != UINT64_MAX)
		snprintf(size, sizeof(size), "Content-Length: %llu\r\n", (unsigned long long)length);
	n = snprintf(c->head, sizeof(c->head),
		     "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%s"
		     "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
		     "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
		     "Referrer-Policy: no-referrer\r\n%s\r\n", status, status_text(status), type, size, more);
	c->head_len = n > 0 && (size_t)n < sizeof(c->head) ? (size_t)n : 0;
	c->head_sent = 0;
}

void connection_send(struct connection *c, struct serve_bytes *bytes, uint64_t now_ns)
{
	serve_bytes_unref(c->bytes);
	c->bytes = c->head_only ? NULL : bytes;
	if (c->head_only)
		serve_bytes_unref(bytes);
	c->sent = 0;
	c->deadline_ns = now_ns + CONNECTION_STILL_NS;
	if (c->state != CONNECTION_STREAMING || c->head_only)
		c->state = CONNECTION_SENDING;
}

/* SENTENCE and a newline, as bytes; NULL when out of memory. */
static struct serve_bytes *sentence(const char *text)
{
	struct serve_bytes *b = calloc(1, sizeof(*b));
	const size_t size = strlen(text) + sizeof("sberf: \n");

	if (!b)
		return NULL;
	*b = (struct serve_bytes){ .refs = 1, .data = malloc(size) };
	if (b->data)
		b->len = (size_t)snprintf(b->data, size, "sberf: %s\n", text);
	return b;
}

void connection_say(struct connection *c, int status, const char *why, uint64_t now_ns)
{
	struct serve_bytes *b = sentence(why);

	c->state = CONNECTION_WAITING;
	connection_head(c, status, "text/plain; charset=utf-8", b ? b->len : 0,
			status == 405 ? "Allow: GET, HEAD\r\nContent-Security-Policy: default-src 'none'\r\n" :
			"Content-Security-Policy: default-src 'none'\r\n");
	connection_send(c, b, now_ns);
}

/*
 * Whether the end of what the other side sends is the end: not while an answer comes that is made at once, as it may
 * still read. Of who is to wait for long it means that nobody does.
 */
static bool is_over(const struct connection *c)
{
	const bool answered = c->state == CONNECTION_SENDING ||
		(c->state == CONNECTION_WAITING && c->question.what != SERVE_PULL);

	return !answered;
}

bool connection_read(struct connection *c)
{
	char rest[4096];
	const bool reads = c->state == CONNECTION_READING;
	const ssize_t n = reads ? recv(c->fd, c->request + c->got, sizeof(c->request) - c->got, MSG_DONTWAIT) :
				  recv(c->fd, rest, sizeof(rest), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (!n && !is_over(c)) {
		c->said_all = true;
		return false;
	}
	if (n <= 0) {
		connection_close(c);
		return false;
	}
	if (!reads)
		return false;
	c->got += (size_t)n;
	return http_head_length(c->request, c->got) != 0;
}

int connection_request(struct connection *c, struct http_head *ret, const char **ret_why)
{
	const ssize_t len = http_head_length(c->request, c->got);

	if (len < 0)
		return *ret_why = "the head of a request has at most 8 KB", 431;
	if (http_head_parse(c->request, (size_t)len, false, ret))
		return *ret_why = "this is no request of HTTP/1.1", 400;
	c->head_only = !strcmp(ret->start[0], "HEAD");
	return 0;
}

bool connection_unsent(const struct connection *c)
{
	return c->head_sent < c->head_len || (c->bytes && c->sent < c->bytes->len);
}

/* Sends LEN bytes at DATA from *SENT on. False: the connection is over. */
static bool connection_push(struct connection *c, const char *data, size_t len, size_t *sent, uint64_t now_ns)
{
	while (*sent < len) {
		const ssize_t n = send(c->fd, data + *sent, len - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		*sent += (size_t)n;
		c->deadline_ns = now_ns + CONNECTION_STILL_NS;
	}
	return true;
}

bool connection_write(struct connection *c, uint64_t now_ns)
{
	bool goes = connection_push(c, c->head, c->head_len, &c->head_sent, now_ns);

	if (goes && c->head_sent == c->head_len && c->bytes)
		goes = connection_push(c, c->bytes->data, c->bytes->len, &c->sent, now_ns);
	if (!goes) {
		connection_close(c);
		return false;
	}
	if (connection_unsent(c))
		return true;
	serve_bytes_unref(c->bytes);
	c->bytes = NULL;
	if (c->state == CONNECTION_STREAMING) {
		c->deadline_ns = 0;
	} else {
		/* Closing at once with a request unread would reset the connection, and the answer might be lost. */
		shutdown(c->fd, SHUT_WR);
		c->state = CONNECTION_ENDING;
		c->deadline_ns = now_ns + CONNECTION_END_NS;
	}
	return true;
}

void connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	serve_bytes_unref(c->bytes);
	c->bytes = NULL;
	c->fd = -1;
}
