/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.c - each turn of the loop: what has come is read, what is due is asked of the thread of answers, what it has
 * made is sent as far as the sockets take it. Of a stream no event is kept: whoever has not read the last one gets the
 * newest when it has.
 */
#include "config.h"

#include "serve/server.h"

#include "base/clock.h"
#include "profile/profile.h"
#include "serve/answerer.h"
#include "serve/connection.h"
#include "serve/page.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LOOK_NS (200 * NSEC_PER_MSEC)    /* how late a new snapshot may be seen */
#define COMMENT_NS (15 * NSEC_PER_SEC)   /* between comments in a stream, so that what is between knows that it lives */
#define SLICE_NS NSEC_PER_SEC            /* of a running capture (profile.h), or some of them */
#define SETTLE_NS (500 * NSEC_PER_MSEC)  /* after which the events of a time may be in the profile, */
#define SETTLE_MAX_NS (10 * NSEC_PER_SEC)        /* and for how long that is waited for */
#define SEND_BYTES 65536         /* of a socket */
#define RETRY "retry: 1000\n\n"
#define COMMENT ": still here\n\n"

#define TURN_MS 1000             /* for who wants to have a turn while nobody asks */
#define PLACES (SERVE_CONNECTIONS + 4)   /* in poll(): connections, two that listen, answers, the end */

struct server {
	const struct serve_config *c;
	struct serve_figures *figures;
	struct answerer *answerer;
	struct connection connection[SERVE_CONNECTIONS];
	uint64_t ids;
	struct serve_bytes retry, comment;
	struct profile *none;            /* what there is before anything was seen */
	uint64_t looked_ns, published;
	bool ended;
};

/* What there is now. False: no memory. */
static bool take_moment(struct server *s, struct serve_moment *ret)
{
	serve_moment_take(s->c->session, ret);
	if (!ret->snapshot && !s->none)
		s->none = profile_new(NULL);
	if (!ret->snapshot && s->none)
		ret->snapshot = profile_snapshot(s->none);
	return ret->snapshot != NULL;
}

static void server_refuse(struct server *s, struct connection *c, int status, const char *why)
{
	s->figures->refused++;
	connection_say(c, status, why, clock_mono_ns());
}

/* How many answers are in memory, or will be. */
static unsigned int answers(const struct server *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++) {
		const struct connection *c = &s->connection[i];

		n += c->fd >= 0 && (c->state == CONNECTION_WAITING ? c->asked : c->state == CONNECTION_SENDING) &&
		     c->question.what != SERVE_PAGE;
	}
	return n;
}

/* Has the answer of C made. */
static void server_ask(struct server *s, struct connection *c)
{
	struct answerer_job job = { .who = c->id, .question = c->question };

	if (c->state == CONNECTION_WAITING && answers(s) >= SERVE_ANSWERS) {
		server_refuse(s, c, 503, "too many others are being answered: ask again in a second");
		return;
	}
	if (!take_moment(s, &job.moment)) {
		if (c->state == CONNECTION_WAITING)
			server_refuse(s, c, 503, "out of memory");
		return;
	}
	if (c->question.what == SERVE_PULL && c->to_ns && !job.moment.ended) {
		job.moment.from_ns = c->from_ns;
		job.moment.to_ns = c->to_ns;
	}
	if (c->state == CONNECTION_STREAMING) {
		c->told = job.moment.published + 1;
		c->told_end = job.moment.ended;
		job.question.have = c->have;
	}
	c->asked = true;
	c->due_ns = 0;
	if (!answerer_ask(s->answerer, &job))
		return;
	c->asked = false;
	if (c->state == CONNECTION_WAITING)
		server_refuse(s, c, 503, "out of memory");
}

/* Requests */

static unsigned int streams(const struct server *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		n += s->connection[i].fd >= 0 && s->connection[i].state == CONNECTION_STREAMING;
	return n;
}

static void begin_stream(struct server *s, struct connection *c)
{
	if (streams(s) >= SERVE_STREAMS) {
		server_refuse(s, c, 429, "four pages follow this already: close or hide one of them");
		return;
	}
	c->state = CONNECTION_STREAMING;
	connection_head(c, 200, "text/event-stream", UINT64_MAX, "");
	connection_send(c, serve_bytes_ref(&s->retry), clock_mono_ns());
	c->comment_ns = clock_mono_ns() + COMMENT_NS;
	s->figures->answered++;
}

static void send_page(struct server *s, struct connection *c)
{
	struct serve_bytes *page;
	struct err e = ERR_INIT;
	char policy[512];

	if (serve_page(&page, policy, sizeof(policy), &e)) {
		server_refuse(s, c, 500, e.text);
		return;
	}
	connection_head(c, 200, "text/html; charset=utf-8", page->len, policy);
	connection_send(c, page, clock_mono_ns());
	s->figures->answered++;
}

/* A pull is about whole slices, as short ones as there are: from the next one on. */
static void begin_pull(struct server *s, struct connection *c)
{
	const uint64_t now = clock_mono_ns();

	if (s->c->session->ended(s->c->session->ctx) || c->question.pull == PULL_MEMORY) {
		server_ask(s, c);
		return;
	}
	c->from_ns = now - now % SLICE_NS + SLICE_NS;
	c->to_ns = c->from_ns + c->question.seconds * NSEC_PER_SEC;
	c->due_ns = c->to_ns + SETTLE_NS;
}

static void server_obey(struct server *s, struct connection *c, const char *path)
{
	struct err e = ERR_INIT;
	const int status = serve_question(path, s->c->may, &c->question, &e);

	c->state = CONNECTION_WAITING;
	c->deadline_ns = 0;
	if (status)
		server_refuse(s, c, status, e.text);
	else if (c->question.what == SERVE_PAGE)
		send_page(s, c);
	else if (c->question.what == SERVE_LIVE)
		begin_stream(s, c);
	else if (c->question.what == SERVE_PULL)
		begin_pull(s, c);
	else
		server_ask(s, c);
}

static void server_request(struct server *s, struct connection *c)
{
	const char *why = "", *path = "";
	struct http_head h;
	int status = connection_request(c, &h, &why);

	if (!status)
		status = serve_admit(&s->c->policy, &h, &path, &why);
	if (status)
		server_refuse(s, c, status, why);
	else
		server_obey(s, c, path);
}

/* Answers */

static struct connection *connection_of(struct server *s, uint64_t id)
{
	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		if (s->connection[i].fd >= 0 && s->connection[i].id == id)
			return &s->connection[i];
	return NULL;
}

static const char *server_type(const struct serve_question *q)
{
	return q->what == SERVE_SNAPSHOT ? "application/json" : "application/octet-stream";
}

static void server_answer(struct server *s, struct connection *c, struct serve_bytes *bytes)
{
	const struct serve_question *q = &c->question;
	char more[160] = "Content-Security-Policy: default-src 'none'\r\n";

	if (q->what == SERVE_EXPORT)
		snprintf(more, sizeof(more), "Content-Security-Policy: default-src 'none'\r\n"
			 "Content-Disposition: attachment; filename=\"%s\"\r\n", q->file);
	if (c->state == CONNECTION_STREAMING) {
		s->figures->events++;
		c->have = bytes->mark;
	} else {
		connection_head(c, 200, server_type(q), bytes->len, more);
		s->figures->answered++;
	}
	connection_send(c, bytes, clock_mono_ns());
}

static void take_answers(struct server *s)
{
	struct answerer_done done;

	while (answerer_take(s->answerer, &done)) {
		struct connection *c = connection_of(s, done.who);

		if (!c || (!done.bytes && c->state == CONNECTION_STREAMING)) {
			if (c)
				c->asked = false;
			serve_bytes_unref(done.bytes);
			continue;
		}
		c->asked = false;
		if (done.bytes)
			server_answer(s, c, done.bytes);
		else
			server_refuse(s, c, done.err.code == ENODATA ? 404 : done.err.code == ENOMEM ? 503 : 422,
				      done.err.text);
	}
}

/* Time */

static void tick_stream(struct server *s, struct connection *c, uint64_t now)
{
	const bool newer = c->told != s->published + 1 || c->told_end != s->ended;

	if (c->asked)
		return;
	if (newer && connection_unsent(c)) {
		s->figures->skipped += c->told && c->told != s->published + 1;
	} else if (newer) {
		server_ask(s, c);
	} else if (!connection_unsent(c) && now >= c->comment_ns) {
		connection_send(c, serve_bytes_ref(&s->comment), now);
		c->comment_ns = now + COMMENT_NS;
	}
}

/* What a session has published since. */
static bool look(struct server *s, uint64_t now)
{
	const struct session *se = s->c->session;

	if (now - s->looked_ns < LOOK_NS)
		return false;
	s->looked_ns = now;
	s->published = se->published(se->ctx);
	s->ended = se->ended(se->ctx);
	return true;
}

/* Is all there that C asks for? */
static bool pull_settled(const struct server *s, const struct connection *c, uint64_t now)
{
	const struct session *se = s->c->session;
	AUTO(snapshot_unref) struct snapshot *shot = now >= c->due_ns && !s->ended ? se->snapshot(se->ctx) : NULL;

	return s->ended || now >= c->to_ns + SETTLE_MAX_NS || (shot && snapshot_settled_ns(shot) >= c->to_ns);
}

static void server_late(struct server *s, struct connection *c)
{
	s->figures->slow++;
	if (c->state == CONNECTION_READING)
		server_refuse(s, c, 408, "a request must be sent within five seconds");
	else
		connection_close(c);
}

static void tick(struct server *s)
{
	const uint64_t now = clock_mono_ns();
	const bool looked = look(s, now);

	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++) {
		struct connection *c = &s->connection[i];

		if (c->fd < 0)
			continue;
		if (c->deadline_ns && now >= c->deadline_ns && c->state == CONNECTION_ENDING)
			connection_close(c);
		else if (c->deadline_ns && now >= c->deadline_ns)
			server_late(s, c);
		else if (c->state == CONNECTION_STREAMING && looked)
			tick_stream(s, c, now);
		else if (c->state == CONNECTION_WAITING && c->due_ns && looked && pull_settled(s, c, now))
			server_ask(s, c);
		if (c->fd >= 0 && connection_unsent(c))
			connection_write(c, now);
	}
}

/* Connections */

static void server_accept(struct server *s, int listening)
{
	const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *c = NULL;

	if (fd < 0)
		return;
	for (unsigned int i = 0; i < SERVE_CONNECTIONS && !c; i++)
		c = s->connection[i].fd < 0 ? &s->connection[i] : NULL;
	if (!c) {
		s->figures->crowded++;
		close(fd);
		return;
	}
	/* What a reader that has stopped keeps in the kernel. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){ SEND_BYTES }, sizeof(int));
	*c = (struct connection){ .fd = fd, .id = ++s->ids, .deadline_ns = clock_mono_ns() + CONNECTION_SEND_NS };
}

static void server_handle(struct server *s, struct connection *c, short events)
{
	if (c->said_all && events & (POLLHUP | POLLERR) && c->state != CONNECTION_ENDING)
		connection_close(c);
	else if (events & (POLLIN | POLLHUP | POLLERR) && connection_read(c) && c->state == CONNECTION_READING)
		server_request(s, c);
	if (c->fd >= 0 && connection_unsent(c))
		connection_write(c, clock_mono_ns());
}

static bool server_has_any(const struct server *s)
{
	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		if (s->connection[i].fd >= 0)
			return true;
	return false;
}

/* One turn. False: it is to end. */
static bool server_turn(struct server *s)
{
	struct pollfd p[PLACES] = { { .fd = s->c->wake_fd, .events = POLLIN },
				    { .fd = answerer_fd(s->answerer), .events = POLLIN },
				    { .fd = s->c->listening[0], .events = POLLIN },
				    { .fd = s->c->listening[1], .events = POLLIN } };
	const nfds_t first = PLACES - SERVE_CONNECTIONS;

	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++) {
		const struct connection *c = &s->connection[i];
		const bool hears = !c->said_all || c->state == CONNECTION_ENDING;

		p[first + i].fd = c->fd;
		p[first + i].events = (short)((hears ? POLLIN : 0) | (connection_unsent(c) ? POLLOUT : 0));
	}
	if (poll(p, PLACES, server_has_any(s) ? (int)(LOOK_NS / NSEC_PER_MSEC) : s->c->turn ? TURN_MS : -1) < 0 &&
	    errno != EINTR)
		return false;
	if (s->c->turn && s->c->turn(s->c->ctx))
		return false;
	if (p[0].revents && s->c->stop(s->c->ctx))
		return false;
	if (p[1].revents)
		take_answers(s);
	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		if (p[first + i].revents && s->connection[i].fd == p[first + i].fd)
			server_handle(s, &s->connection[i], p[first + i].revents);
	for (unsigned int i = 2; i < 4; i++)
		if (p[i].revents)
			server_accept(s, p[i].fd);
	tick(s);
	return true;
}

int serve_run(const struct serve_config *c, struct serve_figures *figures, struct err *e)
{
	struct server *s = calloc(1, sizeof(*s));
	static char retry[] = RETRY, comment[] = COMMENT;
	int r;

	*figures = (struct serve_figures){ 0 };
	if (!s)
		return err_nomem(e, "the server");
	s->c = c;
	s->figures = figures;
	s->retry = (struct serve_bytes){ .refs = 1, .len = strlen(retry), .data = retry };
	s->comment = (struct serve_bytes){ .refs = 1, .len = strlen(comment), .data = comment };
	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		s->connection[i].fd = -1;
	r = answerer_new(&c->source, &s->answerer, e);
	while (r >= 0 && server_turn(s))
		;
	for (unsigned int i = 0; i < SERVE_CONNECTIONS; i++)
		connection_close(&s->connection[i]);
	answerer_free(s->answerer);
	profile_free(s->none);
	free(s);
	return r;
}
