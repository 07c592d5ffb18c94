/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker_blame.h - decides how long sberf waits for a worker that reads a file, and what becomes of the file at which
 * one ended.
 *
 * A worker that uses too much CPU, or neither answers nor computes, is of no use any more. A file at which that
 * happens twice, or at which a worker crashed twice, is left alone. A worker that somebody kills is nobody's fault.
 */
#ifndef SBERF_PLUGIN_WORKER_BLAME_H
#define SBERF_PLUGIN_WORKER_BLAME_H

#include "model/unread.h"
#include "plugin/worker.h"

#include <stdbool.h>
#include <stdint.h>

#define WORKER_LOOK_MS 20        /* how often a silent worker is looked at */
#define WORKER_PAUSE_MS 100      /* the longest pause before another one is started in place of one that was killed */

/* Since when a worker has been silent. */
struct worker_patience {
	uint64_t start_ns;       /* CLOCK_MONOTONIC; 0 = it has not */
	uint64_t cpu_ns;         /* what it had used then */
};

/* From now on W is silent; to be called once per silence. */
void worker_patience_begin(struct worker_patience *p, const struct worker *w);
/*
 * Why W, which has sent nothing since then, is of no use any more, as a clause: it used more than 20 s of CPU, or has
 * done nothing for 2 s (30 when it waits for a CPU or a disk). NULL = it may go on.
 */
const char *worker_patience_over(const struct worker_patience *p, const struct worker *w);
/* How long it may take nothing of what is sent to it, ms. */
int worker_patience_ms(void);

/* Of one file. */
struct worker_blame {
	uint8_t faults;          /* workers that ended at it */
	bool left;               /* alone from now on */
};

/*
 * The worker ended at the file at PATH: HOW, "" = it said nothing. True when that is one time too many: the file is
 * left alone then, and U says why.
 */
bool worker_blame(struct worker_blame *b, const char *path, const char *how, struct unread *u);

#endif
