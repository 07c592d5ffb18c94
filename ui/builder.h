/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * builder.h - builds trees away from the keys: a thread that turns (snapshot, question) into a tree, or into a list of waits.
 *
 * Only the newest question matters: asking again replaces a question that has not been started. The thread that asks and takes
 * never waits. A *built* tree keeps the reference to the snapshot that it borrows from.
 */
#ifndef SBERF_UI_BUILDER_H
#define SBERF_UI_BUILDER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "profile/query.h"
#include "profile/waits.h"
#include "ui/history.h"
#include "ui/waitsview.h"

#include <stdbool.h>
#include <stdint.h>

struct build_job {
	struct snapshot *snapshot;       /* a reference, owned */
	struct query query;
	uint64_t start_ns, end_ns;       /* of the history, CLOCK_MONOTONIC */
	uint64_t from_ns;                /* since when there are data: 100 % is the time from then to end_ns */
	bool off_cpu;                    /* waits were followed */
	bool waits;                      /* the list of waits is wanted, not the tree */
};

struct built {
	struct snapshot *snapshot;       /* a reference, owned */
	struct build_job job;            /* what was asked for; its snapshot is NULL */
	struct waits *waits;             /* owned; NULL when a tree was asked for */
	struct tree *tree;               /* owned; with waits: their rows as a tree (waitsview.h); NULL when it failed */
	struct standstill standstill;    /* threads that look as if they waited for each other */
	struct history history;
	uint64_t took_ns;                /* time to build */
	struct err err;                  /* when it failed */
};

/* Does the job here and now; consumes JOB's reference. NULL when out of memory. */
struct built *build_now(const struct names *names, struct build_job *job);
void built_free(struct built *b);                /* NULL is fine */

struct builder;

/* NAMES is borrowed for the builder's life. */
int builder_new(const struct names *names, struct builder **ret, struct err *e);
void builder_free(struct builder *b);            /* waits for the tree at hand; NULL is fine */

/* Consumes JOB's reference. */
void builder_ask(struct builder *b, struct build_job *job);
/* The newest finished tree, the caller's; NULL when there is none. */
struct built *builder_take(struct builder *b);
/* Readable when builder_take() would give one. */
int builder_fd(const struct builder *b);

DEFINE_AUTO(built_free, struct built);
DEFINE_AUTO(builder_free, struct builder);

#endif
