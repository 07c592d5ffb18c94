/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * saver.h - a thread for everything that waits for a disk or the kernel, so that keys never wait:
 * it saves what is shown, begins and ends recordings, and begins and ends the capture of another
 * target.
 *
 * Jobs are done in the order in which they were asked for; the thread that asks and takes never
 * waits. A saved file answers the question on the screen, asked again of the same snapshot: it is
 * complete where the screen drops the lightest parts.
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
	SAVE_RECORD,                     /* nothing of what is shown: session.record() */
	SAVE_ATTACH,                     /* session.attach(); saver_fresh() returns the result */
	SAVE_LEAVE,                      /* leave a stage that is no longer shown */
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
	struct query query;              /* saver_ask() copies what it points to */
	struct profile_meta meta;
	char title[SAVE_TITLE_MAX];      /* of a picture */
};

/*
 * Writes JOB at once to the first of "sberf-1.svg", "sberf-2.svg", ... in the current directory
 * that does not exist, and its name to TEXT (SIZE bytes). 0, or a negative errno with a sentence
 * and no file.
 */
int save_now(const struct save_job *job, const struct names *names, char *text, size_t size, struct err *e);

struct saver;

/*
 * Starts the thread. SESSION is borrowed until saver_use() sets another. On success *RET is the
 * caller's; else a negative errno with a sentence.
 */
int saver_new(const struct session *session, struct saver **ret, struct err *e);
/* waits for what is to be written or left, begins nothing new; NULL is fine */
void saver_free(struct saver *s);

/*
 * The same, and nothing happens silently: SAY gets a sentence about how many files are still to be
 * written, if there are any, and one about each of them when it is there or cannot be written; also
 * about one that was written before and has not been taken. Called in turn, from any thread.
 */
void saver_end(struct saver *s, void (*say)(void *ctx, const char *sentence), void *ctx);

#define SAVER_JOBS_MAX 8u        /* that wait for their turn */

/*
 * Queues JOB, and always consumes its reference. At most one SAVE_ATTACH waits: a later one
 * replaces it, and one for the target that is being attached changes nothing. 0; -EBUSY with a
 * sentence: SAVER_JOBS_MAX are waiting; -ENOMEM. SAVE_LEAVE is never refused.
 */
int saver_ask(struct saver *s, struct save_job *job, struct err *e);
/*
 * Takes the result of the oldest finished job: a sentence in TEXT, "" = nothing to say. False when
 * none has finished. The next job begins now, except after a successful SAVE_ATTACH.
 */
bool saver_take(struct saver *s, char *text, size_t size);
/*
 * Whether the last result was a successful SAVE_ATTACH: *RET is then the caller's, to show or to
 * leave. The next job waits for saver_use().
 */
bool saver_fresh(struct saver *s, struct session *ret);
/*
 * Lets recordings and targets be asked of SESSION from now on, also by jobs already queued. Only after
 * saver_fresh().
 */
void saver_use(struct saver *s, const struct session *session);
/* A descriptor that is readable when saver_take() would return true. */
int saver_fd(const struct saver *s);

DEFINE_AUTO(saver_free, struct saver);

#endif
