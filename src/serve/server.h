/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * server.h - serves a session over HTTP/1.1 to this machine: one loop over all connections, and a thread that makes
 * answers (answerer.h). It asks the session as views do, and the session never waits for it.
 */
#ifndef SBERF_SERVE_SERVER_H
#define SBERF_SERVE_SERVER_H

#include "base/err.h"
#include "serve/answer.h"
#include "serve/admission.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVE_CONNECTIONS 32u
/* Browsers open six connections to a server: with one more stream than that every page would hang. */
#define SERVE_STREAMS 4u
/* Answers that are made or sent at a time, besides streams: each is in memory as a whole. */
#define SERVE_ANSWERS 8u

/* What became of requests, for the end. */
struct serve_figures {
	uint64_t answered, refused;      /* refused: with a status from 400 on */
	uint64_t events, skipped;        /* sent to streams; skipped, as the one before was not read yet */
	uint64_t slow;                   /* connections dropped, as nothing came or nobody read */
	uint64_t crowded;                /* and those that found no place */
};

struct serve_config {
	const struct session *session;   /* borrowed */
	struct serve_source source;      /* its names and code are those of the session */
	struct serve_policy policy;
	unsigned int may;                /* mask of what is answered (question.h) */
	int listening[2];                /* borrowed; -1 = none */
	int wake_fd;                     /* when this is readable, stop() is called; -1 = none */
	bool (*stop)(void *ctx);         /* true ends it */
	bool (*turn)(void *ctx);         /* called once a second or more often; true ends it; NULL = none */
	void *ctx;
};

/* Serves until stop() says so. 0, or a negative errno with a sentence; FIGURES is filled in any case. */
int serve_run(const struct serve_config *c, struct serve_figures *figures, struct err *e);

#endif
