/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saver.h - what waits for a disk or for the kernel, away from the keys: a thread that writes what is shown into a file, begins
 * and ends recordings, and goes on with another target.
 *
 * One thing at a time; the thread that asks and takes never waits. What is written is the question that is on the screen, asked
 * again of the same snapshot: complete where the screen leaves out what is lightest.
 */
#ifndef SBERF_UI_SAVER_H
#define SBERF_UI_SAVER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "profile/meta.h"
#include "query/query.h"
#include "ui/feed.h"

#include <stdbool.h>

enum save_as {
	SAVE_SVG,
	SAVE_HTML,
	SAVE_PPROF,
	SAVE_FOLDED,
	SAVE_RECORDING,
	SAVE_NR,
	SAVE_RECORD = SAVE_NR,           /* nothing of what is shown: feed.record() */
	SAVE_ATTACH,                     /* feed.attach(): saver_fresh() is what comes of it */
	SAVE_LEAVE,                      /* a stage that is not shown any more is left */
};

struct view_session;

#define SAVE_TITLE_MAX 512

struct save_job {
	enum save_as as;
	struct snapshot *snapshot;       /* a reference, owned; NULL from SAVE_RECORD on */
	pid_t pid;                       /* SAVE_ATTACH: who; 0 = the whole machine */
	uint64_t start_ticks;            /* of that */
	struct view_session *stage;             /* SAVE_LEAVE: owned */
	struct query query;              /* what it points at is copied by saver_ask() */
	struct profile_meta meta;
	char title[SAVE_TITLE_MAX];      /* of a picture */
};

/*
 * Writes what JOB says under the first of "sberf-1.svg", "sberf-2.svg", ... in the current directory that does not exist, here
 * and now, and says in TEXT (SIZE bytes) what it is called. A negative errno with a sentence: nothing was left there.
 */
int save_now(const struct save_job *job, const struct names *names, char *text, size_t size, struct err *e);

struct saver;

/* FEED is borrowed until there is another one: saver_use(). */
int saver_new(const struct feed *feed, struct saver **ret, struct err *e);
void saver_free(struct saver *s);                /* waits for what is at hand; NULL is fine */

/* Consumes JOB's reference. False when something else is at hand: then nothing is done. */
bool saver_ask(struct saver *s, struct save_job *job);
/* Whether something has come to its end; what came of it is in TEXT, a sentence, "" = nothing is to be said. */
bool saver_take(struct saver *s, char *text, size_t size);
/* Whether what was taken last was SAVE_ATTACH and went well: *RET is the caller's then, to be shown, or left. */
bool saver_fresh(struct saver *s, struct feed *ret);
/* From now on, FEED is what recordings and targets are asked of. Nothing may be at hand: right after saver_take(). */
void saver_use(struct saver *s, const struct feed *feed);
/* Readable when saver_take() would be true. */
int saver_fd(const struct saver *s);

DEFINE_AUTO(saver_free, struct saver);

#endif
