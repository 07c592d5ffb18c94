/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * builder.h - a thread that builds the content of panes, so that keys never wait: it turns a
 * snapshot and a question into the model of a pane, by the pane's operations (panes/pane.h).
 *
 * For each pane only the newest question counts: asking again replaces one that has not been
 * started. Panes are served in the order of their questions. The thread that asks and takes never
 * waits. A *built* tree holds a reference to the snapshot that it borrows from.
 */
#ifndef SBERF_UI_BUILDER_H
#define SBERF_UI_BUILDER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "profile/meta.h"
#include "query/frameshare.h"
#include "query/query.h"
#include "query/standstill.h"
#include "ui/baseline.h"
#include "ui/history.h"
#include "ui/outline.h"
#include "ui/panes/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_job {
	struct snapshot *snapshot;       /* a reference, owned */
	struct query query;
	uint64_t start_ns, end_ns;       /* of the history, CLOCK_MONOTONIC */
	uint64_t from_ns;                /* when the data begin: 100 % is the time from then to end_ns */
	bool off_cpu;                    /* waits were followed */
	enum pane_id what;
	int width;                       /* columns of the pane */
	bool live;                       /* sampling can still begin */
	struct baseline_mark mark;       /* to compare with */
	bool ended, filtered;            /* nothing more will come; the query filters something */
	struct profile_meta meta;        /* the figures of now */
};

struct built {
	struct snapshot *snapshot;       /* a reference, owned */
	struct build_job job;            /* the question; its snapshots are NULL */
	/* what the pane shows, for its pane_ops, when that is more than lines; owned */
	void *model;
	struct baseline *baseline;       /* the comparison with job.mark, beside what tree or list has; owned */
	struct tree *tree;               /* its lines, owned: a call tree, */
	struct outline *list;            /* or an outline; both are NULL when it failed */
	struct standstill standstill;    /* threads that may be waiting for each other, */
	bool standstill_known;           /* set by the pane itself */
	/* why the filters match nothing, a sentence; "" = they match something */
	char nothing[2 * TERM_TEXT_MAX];
	struct history history;
	struct frame_share frames;       /* zeroes when out of memory */
	uint64_t took_ns;                /* time to build */
	struct err err;                  /* when it failed */
};

/* How much time with data JOB asks about, in ns. */
uint64_t build_elapsed_ns(const struct build_job *job);

/* Drops JOB's references. */
void build_job_drop(struct build_job *job);
/* Builds JOB at once and consumes its references. NULL when out of memory. */
struct built *build_now(const struct names *names, struct build_job *job);
void built_free(struct built *b);                /* NULL is fine */

/* What a treeview of B shows. */
static inline struct shown built_shown(const struct built *b)
{
	return (struct shown){ b->tree, b->list };
}

struct builder;

/*
 * Starts the thread. NAMES must outlive it. On success *RET is the caller's; else a negative errno
 * with a sentence.
 */
int builder_new(const struct names *names, struct builder **ret, struct err *e);
void builder_free(struct builder *b);            /* waits for the tree at hand; NULL is fine */

/*
 * Asks N questions, one for each pane, and consumes their references. A tree that several panes
 * show is built once.
 */
void builder_ask(struct builder *b, struct build_job *job, size_t n);
/*
 * Takes the newest built and untaken content of a pane; it is the caller's. False when there is
 * none. *RET is NULL when memory was too short even to say for which pane.
 */
bool builder_take(struct builder *b, struct built **ret);
/* A descriptor that is readable while there may be something to take. */
int builder_fd(const struct builder *b);

DEFINE_AUTO(built_free, struct built);
DEFINE_AUTO(builder_free, struct builder);

#endif
