/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotator.h - a thread that reads the code of functions and sums up the time of their lines, so
 * that keys never wait.
 *
 * Only the newest question counts: asking again replaces one that has not been started. The code of
 * the last function is kept, so newer figures need no file. The thread that asks never waits; an
 * annotator thread that hangs in a file is abandoned when the annotator is freed.
 */
#ifndef SBERF_UI_ANNOTATOR_H
#define SBERF_UI_ANNOTATOR_H

#include "annotate/annotation.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

struct annot_job {
	struct snapshot *snapshot;       /* a reference, owned */
	struct query query;              /* for the whole tree: within is ignored */
	struct listing_of of;
};

/* The answer; annotation->listing says for which function. */
struct annot_answer {
	struct annotation *annotation;   /* owned; NULL when it failed */
	struct err err;
	uint64_t took_ns;                /* time of summing up, without reading files */
};

struct annotator;

/*
 * Starts the thread. ACCESS is copied; NAMES must outlive it. On success *RET is the caller's; else
 * a negative errno with a sentence.
 */
int annotator_new(const struct code_access *access, const struct names *names, struct annotator **ret, struct err *e);
void annotator_free(struct annotator *a);        /* NULL is fine */

/* Answers JOB at once with L, the listing of its function, and consumes JOB's reference. */
void annotate_now(struct listing *l, const struct names *names, struct annot_job *job, struct annot_answer *ret);

/* Asks JOB and consumes its reference. */
void annotator_ask(struct annotator *a, struct annot_job *job);
/* Takes the answer into *RET; false when there is none. */
bool annotator_take(struct annotator *a, struct annot_answer *ret);
/* A descriptor that is readable when there is an answer. */
int annotator_fd(const struct annotator *a);

DEFINE_AUTO(annotator_free, struct annotator);

#endif
