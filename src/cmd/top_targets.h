/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top_targets.h - what `top` captures: nothing yet, one target, and then others that the user goes on with, each in a capture of its
 * own. So the totals of a target are of this target, from when it was picked; the next capture runs before the last one ends, so
 * that one that fails to begin changes nothing.
 */
#ifndef SBERF_CMD_TOP_TARGETS_H
#define SBERF_CMD_TOP_TARGETS_H

#include "cmd/options.h"
#include "cmd/session.h"
#include "model/names.h"
#include "session/session.h"

#include <stdatomic.h>

/* What the captures of one view share. */
struct targets {
	const struct options *o;
	_Atomic(struct engine *) keeper; /* who writes what the flight recorder holds; NULL = nobody. For a signal handler */
	struct capture *newest;          /* of those that have begun and not been freed */
	pid_t command;                   /* behind `--`, of a capture that was left: goes on until the view ends. 0 = none */
};

struct capture {
	struct targets *all;
	struct session s;                /* without an engine when nothing is captured */
	struct names *names;             /* then: none */
	struct capture *older;           /* began before this one */
};

/*
 * Opens what O says, O->target OPT_TARGET_NONE included: then nothing is captured. T is borrowed. What the status of sberf is
 * when it fails, *RET_STATUS says (see session_exit()).
 */
int capture_open(struct targets *t, const struct options *o, struct capture **ret, int *ret_status, struct err *e);
/* Lets it begin. */
int capture_start(struct capture *c, struct err *e);
/* Ends a recording that goes on, and says in TEXT ("" = there was none) what has become of it. */
void capture_end_recording(struct capture *c, char *text, size_t size);
void capture_free(struct capture *c);            /* NULL is fine */

/* C as what a view is fed with: from then on it is the view's to leave, or to give back (ui_run()). */
struct feed capture_feed(struct capture *c);

DEFINE_AUTO(capture_free, struct capture);

#endif
