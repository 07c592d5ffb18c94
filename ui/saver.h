/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saver.h - a thread that does what waits for a disk or for the kernel, so that keys are answered meanwhile: it writes what is
 * shown into a file, begins and ends recordings, and begins and ends the capture of another target.
 *
 * Jobs are done one after the other, in the order in which they were asked for; the thread that asks and takes never waits. What
 * is written is the question that is on the screen, asked again of the same snapshot: complete where the screen leaves out what
 * is lightest.
 */
#ifndef SBERF_UI_SAVER_H
#define SBERF_UI_SAVER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "profile/meta.h"
#include "query/query.h"
#include "session/session.h"

#include <stdbool.h>

enum save_as {
	SAVE_FILE,                       /* what is shown, by an exporter */
	SAVE_RECORD,                     /* nothing of what is shown: feed.record() */
	SAVE_ATTACH,                     /* feed.attach(): saver_fresh() is what comes of it */
	SAVE_LEAVE,                      /* a stage that is not shown any more is left */
};

struct view_session;
struct exporter;

#define SAVE_TITLE_MAX 512

struct save_job {
	enum save_as as;
	const struct exporter *exporter; /* SAVE_FILE: one of those that EXPORT_BY_SAVE offers */
	struct snapshot *snapshot;       /* a reference, owned; NULL but for SAVE_FILE */
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
void saver_free(struct saver *s);                /* waits for what is to be written or left, begins nothing new; NULL is fine */

#define SAVER_JOBS_MAX 8u        /* that wait for their turn */

/*
 * Puts JOB behind those that are not done yet, and consumes its reference, whatever is returned. One SAVE_ATTACH waits at most:
 * a later one takes its place, and one of the target that is being attached changes nothing. -EBUSY, with a sentence:
 * SAVER_JOBS_MAX wait already; -ENOMEM. SAVE_LEAVE is never refused.
 */
int saver_ask(struct saver *s, struct save_job *job, struct err *e);
/*
 * Whether a job has come to its end, the oldest that was not taken yet; what came of it is in TEXT, a sentence, "" = nothing is to be
 * said. The next job begins now, but after a SAVE_ATTACH that went well.
 */
bool saver_take(struct saver *s, char *text, size_t size);
/*
 * Whether what was taken last was SAVE_ATTACH and went well: *RET is the caller's then, to be shown, or left. The next job waits until
 * saver_use() says whose feed it is about.
 */
bool saver_fresh(struct saver *s, struct feed *ret);
/* From now on, FEED is what recordings and targets are asked of, by jobs that were asked for before, too. After saver_fresh() alone. */
void saver_use(struct saver *s, const struct feed *feed);
/* Readable when saver_take() would be true. */
int saver_fd(const struct saver *s);

DEFINE_AUTO(saver_free, struct saver);

#endif
