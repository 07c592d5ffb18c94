/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * builder.h - builds what panes show away from the keys: a thread that turns (snapshot, question) into what the operations of a
 * pane (panes/pane.h) make of it.
 *
 * Of each pane only the newest question matters: asking again replaces one that has not been started. Panes are served in the
 * order in which they asked. The thread that asks and takes never waits. A *built* tree keeps the reference to the snapshot
 * that it borrows from.
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
	uint64_t from_ns;                /* since when there are data: 100 % is the time from then to end_ns */
	bool off_cpu;                    /* waits were followed */
	enum pane_id what;
	int width;                       /* columns of the pane */
	bool live;                       /* sampling can still begin */
	struct baseline_mark mark;       /* what to compare with */
	bool ended, filtered;            /* nothing more will come; the query leaves something out */
	struct profile_meta meta;        /* the figures of now */
};

struct built {
	struct snapshot *snapshot;       /* a reference, owned */
	struct build_job job;            /* what was asked for; its snapshots are NULL */
	void *model;                     /* what the pane shows, as its pane_ops know it, if that is more than the lines; owned */
	struct baseline *baseline;       /* job.mark: what stands beside the nodes of tree; owned */
	struct tree *tree;               /* its lines, owned: a call tree, */
	struct outline *list;            /* or an outline; both are NULL when it failed */
	struct standstill standstill;    /* threads that look as if they waited for each other, */
	bool standstill_known;           /* told by the pane itself */
	char nothing[2 * TERM_TEXT_MAX]; /* why the filters leave nothing, a sentence; "" = they leave something */
	struct history history;
	struct frame_share frames;       /* zeroes when out of memory */
	uint64_t took_ns;                /* time to build */
	struct err err;                  /* when it failed */
};

/* How long the time is that JOB asks about, of that there are data of. */
uint64_t build_elapsed_ns(const struct build_job *job);

/* Gives JOB's references back. */
void build_job_drop(struct build_job *job);
/* Does the job here and now; consumes JOB's references. NULL when out of memory. */
struct built *build_now(const struct names *names, struct build_job *job);
void built_free(struct built *b);                /* NULL is fine */

/* What a treeview shows of B. */
static inline struct shown built_shown(const struct built *b)
{
	return (struct shown){ b->tree, b->list };
}

struct builder;

/* NAMES is borrowed for the builder's life. */
int builder_new(const struct names *names, struct builder **ret, struct err *e);
void builder_free(struct builder *b);            /* waits for the tree at hand; NULL is fine */

/* Asks the N questions at JOB, for a pane each, whose references it consumes. Panes that show the same tree get it built once. */
void builder_ask(struct builder *b, struct build_job *job, size_t n);
/*
 * What was built for a pane and not taken yet, the newest for it, the caller's. False when there is none; *RET is NULL when there was
 * not even the memory to say for which pane it ran out.
 */
bool builder_take(struct builder *b, struct built **ret);
/* Readable when builder_take() would give one; until it gave none. */
int builder_fd(const struct builder *b);

DEFINE_AUTO(built_free, struct built);
DEFINE_AUTO(builder_free, struct builder);

#endif
