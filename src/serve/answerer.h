/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answerer.h - the thread that makes answers, so that the one that has the connections never waits. It answers one
 * question after the other, in their order. What several connections ask of the same snapshot it makes once.
 */
#ifndef SBERF_SERVE_ANSWERER_H
#define SBERF_SERVE_ANSWERER_H

#include "serve/answer.h"

#include <stdbool.h>
#include <stdint.h>

struct answerer_job {
	uint64_t who;                    /* handed back */
	struct serve_question question;
	struct serve_moment moment;
};

struct answerer_done {
	uint64_t who;
	struct serve_bytes *bytes;       /* a reference, the taker's; NULL: it failed, */
	struct err err;                  /* why */
};

struct answerer;

/* Starts the thread. SRC must outlive it. 0, or a negative errno with a sentence. */
int answerer_new(const struct serve_source *src, struct answerer **ret, struct err *e);
void answerer_free(struct answerer *a);          /* waits for the answer at hand; NULL is fine */

/* Asks JOB, whose reference it takes. -ENOMEM: it is dropped. */
int answerer_ask(struct answerer *a, const struct answerer_job *job);
/* Takes the oldest answer. False: there is none. */
bool answerer_take(struct answerer *a, struct answerer_done *ret);
/* A descriptor that is readable while there may be something to take. */
int answerer_fd(const struct answerer *a);

#endif
