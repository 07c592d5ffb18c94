/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connection.h - one connection: reads a request, sends one answer, or a stream of events, and closes. Every step has
 * a deadline and a bounded size, so that whoever is slow, or stops, costs a place for a while and nothing else.
 *
 *	READING > WAITING > SENDING > ENDING > gone
 *	                  > STREAMING
 */
#ifndef SBERF_SERVE_CONNECTION_H
#define SBERF_SERVE_CONNECTION_H

#include "base/http.h"
#include "serve/answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONNECTION_SEND_NS (5 * NSEC_PER_SEC)    /* to send a request */
#define CONNECTION_STILL_NS (30 * NSEC_PER_SEC)  /* in which a reader must read something */
#define CONNECTION_END_NS (2 * NSEC_PER_SEC)     /* to close what was answered */

enum connection_state {
	CONNECTION_READING,
	CONNECTION_WAITING,      /* for its answer */
	CONNECTION_SENDING,
	CONNECTION_STREAMING,    /* events, as they come */
	CONNECTION_ENDING,       /* all was sent: until the other side closes */
};

struct connection {
	int fd;                          /* -1 = no connection */
	uint64_t id;                     /* no other one has it */
	enum connection_state state;
	uint64_t deadline_ns;            /* 0 = none. CLOCK_MONOTONIC, as all times here */
	char request[HTTP_HEAD_MAX];
	size_t got;
	bool head_only;                  /* HEAD */
	bool said_all;                   /* the other side sends nothing any more, and may still read */
	struct serve_question question;
	/* what is being sent: a head, then BYTES from SENT on */
	char head[1024];
	size_t head_len, head_sent;
	struct serve_bytes *bytes;
	size_t sent;
	/* of a stream */
	bool asked;                      /* an event is being made */
	uint64_t told;                   /* number of the snapshot that was sent last, plus one; 0 = none */
	bool told_end;
	struct flame_mark have;          /* of the tree, with what was sent */
	uint64_t comment_ns;             /* when the next comment is due */
	/* of a pull: when it is over, and of which time it is */
	uint64_t due_ns, from_ns, to_ns;
};

/* The head of an answer of STATUS with TYPE and LENGTH (UINT64_MAX = a stream) goes into C; MORE: further headers. */
void connection_head(struct connection *c, int status, const char *type, uint64_t length, const char *more);
/* Sends BYTES, whose reference it takes, behind the head. */
void connection_send(struct connection *c, struct serve_bytes *bytes, uint64_t now_ns);
/* Sends a status and a sentence. */
void connection_say(struct connection *c, int status, const char *why, uint64_t now_ns);

/* Reads; true once a request is there, or what can be none (connection_request() says). False, fd -1: it is over. */
bool connection_read(struct connection *c);
/* Takes the request apart. 0, or a status with a sentence in *RET_WHY. */
int connection_request(struct connection *c, struct http_head *ret, const char **ret_why);
/* Sends on. False: the connection is over. */
bool connection_write(struct connection *c, uint64_t now_ns);
/* Something is there that was not sent. */
bool connection_unsent(const struct connection *c);
/* Drops everything. */
void connection_close(struct connection *c);

#endif
