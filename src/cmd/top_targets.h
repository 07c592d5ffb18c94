/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top_targets.h - the captures of one `top`: none yet, one target, or others that the user changes
 * to, each in a capture of its own. So the totals belong to the present target, from when it was
 * picked. The next capture starts before the last one ends, so a capture that fails to start
 * changes nothing.
 */
#ifndef SBERF_CMD_TOP_TARGETS_H
#define SBERF_CMD_TOP_TARGETS_H

#include "cmd/launch.h"
#include "cmd/options.h"
#include "model/names.h"
#include "session/session.h"

#include <stdatomic.h>

/* Shared by the captures of one view. */
struct targets {
	const struct options *o;
	/* the engine that writes the flight recorder's file; NULL = none. For a signal handler */
	_Atomic(struct engine *) keeper;
	struct capture *newest;          /* the last of those started and not freed */
	/* command behind `--` of a capture that was left; runs until the view ends. 0 = none */
	pid_t command;
};

struct page;

struct capture {
	struct targets *all;
	struct launch s;                 /* without an engine when nothing is captured */
	struct names *names;             /* empty names, when there is no engine */
	struct page *page;               /* for browsers; NULL = nobody has asked for it */
	struct capture *older;           /* started before this one */
};

/*
 * Resolves the target of O for a capture; with OPT_TARGET_NONE nothing is captured. T is borrowed. On
 * success *RET is the caller's; on failure *RET_STATUS is the exit status for it (launch_exit()),
 * and E has a sentence.
 */
int capture_open(struct targets *t, const struct options *o, struct capture **ret, int *ret_status, struct err *e);
/* Loads and starts it, which takes up to a second. 0 or a negative errno with a sentence. */
int capture_start(struct capture *c, struct err *e);
/*
 * Ends a running recording, and says in TEXT (SIZE bytes) what became of it; "" = there was none.
 */
void capture_end_recording(struct capture *c, char *text, size_t size);
void capture_free(struct capture *c);            /* NULL is fine */

/*
 * Returns C, which has started, as the session of a view. From then on the view decides whether to
 * leave it or to return it (ui_run()).
 */
struct session capture_session(struct capture *c);

DEFINE_AUTO(capture_free, struct capture);

#endif
