/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotator.h - reads the code of functions and sums up what its lines take, away from the keys.
 *
 * Only the newest question matters: asking again replaces one that has not been started. The code of the function that was asked for
 * last is kept, so that asking for newer figures reads no file. The thread that asks and takes never waits; one that
 * hangs in a file is left behind when the annotator goes.
 */
#ifndef SBERF_UI_ANNOTATOR_H
#define SBERF_UI_ANNOTATOR_H

#include "annotate/annotation.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

struct annot_job {
	struct snapshot *snapshot;       /* a reference, owned */
	struct query query;              /* it is of all the tree: within is not looked at */
	struct listing_of of;
};

/* What came of a question; of whose function is in annotation->listing. */
struct annot_answer {
	struct annotation *annotation;   /* owned; NULL when it failed */
	struct err err;
	uint64_t took_ns;                /* to sum up, without reading files */
};

struct annotator;

/* ACCESS is copied; NAMES is borrowed for the annotator's life. */
int annotator_new(const struct code_access *access, const struct names *names, struct annotator **ret, struct err *e);
void annotator_free(struct annotator *a);        /* NULL is fine */

/* Does JOB here and now on L, which is of its function, and consumes its reference. */
void annotate_now(struct listing *l, const struct names *names, struct annot_job *job, struct annot_answer *ret);

/* Consumes JOB's reference. */
void annotator_ask(struct annotator *a, struct annot_job *job);
/* False: there is no answer. */
bool annotator_take(struct annotator *a, struct annot_answer *ret);
/* Readable when annotator_take() would be true. */
int annotator_fd(const struct annotator *a);

DEFINE_AUTO(annotator_free, struct annotator);

#endif
