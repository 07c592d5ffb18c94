/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * question.h - what a request asks for, from its path behind the secret. Pure.
 *
 *	/                                the page
 *	/live?pane=NAME&rows=&count=     server-sent events: what there is, once at each refresh
 *	/snapshot?from=1s&to=2.5s&pane=NAME&rows=&count=    the same of a range of time, once
 *	/export.EXTENSION?from=&to=&count=    a file of any format of reports, by its extension or its name
 *	/debug/pprof/NAME?seconds=N      pprof of the next N seconds: profile, offcpu, memory
 *
 * Times are as those of --time; without them it is all that was captured. A list has at most so many ROWS. COUNT is the
 * measure to show, by the name that --metric has for it, or "time"; without it that of the command line.
 */
#ifndef SBERF_SERVE_QUESTION_H
#define SBERF_SERVE_QUESTION_H

#include "base/err.h"
#include "export/exporter.h"
#include "export/flame_growth.h"
#include "query/timerange.h"
#include "serve/panes.h"

#include <stdbool.h>
#include <stdint.h>

enum serve_what { SERVE_PAGE, SERVE_LIVE, SERVE_SNAPSHOT, SERVE_EXPORT, SERVE_PULL };

/* Masks of 1 << enum serve_what. */
#define SERVE_ALL 0x1fu
#define SERVE_PULLS (1u << SERVE_PULL)

#define SERVE_SECONDS_MAX 60u
#define SERVE_SECONDS_DEFAULT 30u

enum serve_pull { PULL_PROFILE, PULL_OFFCPU, PULL_MEMORY, SERVE_PULLS_NR };

struct serve_question {
	enum serve_what what;
	const struct serve_pane *pane;           /* LIVE, SNAPSHOT; NULL = the strip of time alone */
	const struct exporter *exporter;         /* EXPORT */
	enum serve_pull pull;
	uint64_t seconds;                        /* PULL */
	uint64_t rows;                           /* LIVE, SNAPSHOT: of a list, 1 to SERVE_ROWS */
	struct flame_mark have;                  /* LIVE: what its reader has of the tree; not from the path */
	measure_mask count;                      /* LIVE, SNAPSHOT, EXPORT: what to count; 0 = as at the start */
	bool ranged;                             /* RANGE is asked for */
	struct time_range range;
	char file[48];                           /* EXPORT: what to call it */
};

/*
 * Reads PATH, which may ask for what is in the mask MAY. 0, or the status of the answer (400 or 404) with a sentence
 * in E.
 */
int serve_question(const char *path, unsigned int may, struct serve_question *ret, struct err *e);

#endif
