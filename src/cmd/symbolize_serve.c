/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolize_serve.c - one connection after the other, each for a few seconds at most, so that nobody who is slow
 * keeps the others waiting for long.
 */
#include "config.h"

#include "cmd/symbolize_serve.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/listen.h"
#include "base/parse.h"
#include "cmd/clean.h"
#include "cmd/signals.h"
#include "cmd/symbolize_text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define BODY_MAX (8u << 20)
#define PLACES_MAX 65536u        /* in a request */
#define TALK_NS (5 * NSEC_PER_SEC)

struct service {
	struct sberf *s;
	uint32_t flags;          /* of sberf_symbolize() */
	uint64_t answers, refused;
};

/* Waits for EVENTS at FD until END_NS. */
static bool wait_for(int fd, short events, uint64_t end_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	const uint64_t now = clock_mono_ns();

	return now < end_ns && poll(&p, 1, (int)((end_ns - now) / NSEC_PER_MSEC) + 1) > 0;
}

static bool send_whole(int fd, const char *data, size_t len, uint64_t end_ns)
{
	while (len) {
		const ssize_t n = send(fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		if (n < 0 && !wait_for(fd, POLLOUT, end_ns))
			return false;
	}
	return true;
}

/* More of what FD sends, up to MAX bytes in all. */
static bool receive_more(int fd, char *data, size_t *len, size_t max, uint64_t end_ns)
{
	ssize_t n;

	if (*len == max || !wait_for(fd, POLLIN, end_ns))
		return false;
	n = recv(fd, data + *len, max - *len, 0);
	*len += n > 0 ? (size_t)n : 0;
	return n > 0;
}

static void answer_status(int fd, const char *status, uint64_t end_ns)
{
	char text[256];
	const int n = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
			       status);

	send_whole(fd, text, (size_t)n, end_ns);
}

/* "BUILD-ID OFFSET", as a place; one that is nowhere when no file has that build-id. False: it is no such line. */
static bool serve_read_place(const struct service *v, const char *line, struct sberf_frame *ret)
{
	const size_t digits = strspn(line, "0123456789abcdefABCDEF");
	const char *at = line + digits + 1;
	uint8_t id[BUILD_ID_BYTES];
	uint64_t offset;

	*ret = (struct sberf_frame){ .module = SBERF_MODULE_NONE };
	if (!digits || digits % 2 || digits > 2 * BUILD_ID_BYTES || line[digits] != ' ' ||
	    !parse_hex(&at, at + strlen(at), &offset) || *at)
		return false;
	symbolize_read_id(line, digits / 2, id);
	ret->offset = offset;
	if (sberf_build_id_add(v->s, id, digits / 2, &ret->module))
		ret->module = SBERF_MODULE_NONE;
	return true;
}

/* The lines of BODY as places, at most PLACES_MAX, to RET. How many; -1 when one is none. */
static ssize_t read_places(const struct service *v, char *body, struct sberf_frame *ret)
{
	ssize_t n = 0;
	char *rest = NULL;

	for (char *line = strtok_r(body, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
		if (n == PLACES_MAX || !serve_read_place(v, line, &ret[n++]))
			return -1;
	return n;
}

static void serve_names(FILE *f, const struct sberf_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct sberf_name *n = &names->name[i];

		for (uint32_t k = 0; k < n->nr_functions; k++) {
			const struct sberf_function *fn = &n->functions[k];

			if (fn->flags & SBERF_FUNCTION_BY_PLACE)
				continue;
			/* What parts fields and lines is no part of what is printed clean. */
			print_clean(f, fn->name);
			fputc('\t', f);
			symbolize_print_file(f, fn);
			fprintf(f, "\t%" PRIu32 "\n", fn->line);
		}
		fputs(".\n", f);
	}
}

/* Answers the places in BODY. False: it is no such body. */
static bool answer_body(struct service *v, int fd, char *body, uint64_t end_ns)
{
	AUTO_FREE struct sberf_frame *frame = calloc(PLACES_MAX, sizeof(*frame));
	const ssize_t n = frame ? read_places(v, body, frame) : -1;
	struct sberf_names *names = NULL;
	AUTO_FREE char *text = NULL;
	char head[160];
	size_t len = 0;
	FILE *f;

	if (n < 0 || sberf_symbolize(v->s, frame, (size_t)n, v->flags, &names))
		return false;
	f = open_memstream(&text, &len);
	if (f)
		serve_names(f, names);
	sberf_names_free(names);
	if (!f || fclose(f))
		return false;
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
		 "Content-Length: %zu\r\nConnection: close\r\n\r\n", len);
	if (send_whole(fd, head, strlen(head), end_ns))
		send_whole(fd, text, len, end_ns);
	v->answers++;
	return true;
}

/* What is wrong with the request H; NULL = nothing. *RET_BODY: the length of its body. */
static const char *request_error(const struct http_head *h, size_t *ret_body)
{
	const int rc = http_body_length(h, BODY_MAX, ret_body);

	if (strcmp(h->start[1], "/symbolize") != 0)
		return "404 Not Found";
	if (strcmp(h->start[0], "POST") != 0)
		return "405 Method Not Allowed";
	return rc == -EMSGSIZE ? "413 Content Too Large" : rc ? "400 Bad Request" : NULL;
}

static void talk(struct service *v, int fd)
{
	const uint64_t end_ns = clock_mono_ns() + TALK_NS;
	AUTO_FREE char *data = malloc(HTTP_HEAD_MAX + BODY_MAX + 1);
	const char *wrong = "400 Bad Request";
	size_t len = 0, body = 0;
	struct http_head h;
	ssize_t head = 0;

	if (!data)
		return;
	while (!(head = http_head_length(data, len)))
		if (!receive_more(fd, data, &len, HTTP_HEAD_MAX, end_ns))
			break;
	if (head > 0 && !http_head_parse(data, (size_t)head, false, &h))
		wrong = request_error(&h, &body);
	if (!wrong) {
		while (len < (size_t)head + body)
			if (!receive_more(fd, data, &len, (size_t)head + body, end_ns))
				break;
		data[len] = '\0';
		if (len != (size_t)head + body || memchr(data + head, '\0', body) ||
		    !answer_body(v, fd, data + head, clock_mono_ns() + TALK_NS))
			wrong = "400 Bad Request";
	}
	if (wrong) {
		v->refused++;
		answer_status(fd, wrong, end_ns);
	}
}

int symbolize_serve(struct sberf *s, const char *path, bool details, struct err *e)
{
	struct service v = { .s = s, .flags = details ? 0 : SBERF_FUNCTIONS_ONLY };
	AUTO_FD int listening = -1;
	AUTO_FD int ended = -1;
	sigset_t set;

	signals_block(&set, false);
	ended = signalfd(-1, &set, SFD_CLOEXEC);
	listening = listen_path(path, 0660, e);
	if (listening < 0)
		return listening;
	if (ended < 0)
		return err_set(e, errno, "cannot wait for signals: %s", strerror(errno));
	for (;;) {
		struct pollfd p[] = { { .fd = listening, .events = POLLIN }, { .fd = ended, .events = POLLIN } };

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			break;
		if (p[0].revents) {
			AUTO_FD int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

			if (fd >= 0)
				talk(&v, fd);
		}
	}
	unlink(path);
	fprintf(stderr, "sberf symbolize: %" PRIu64 " requests answered, %" PRIu64 " refused\n", v.answers, v.refused);
	return 0;
}
