/* SPDX-License-Identifier: BSD-2-Clause */
/* ui.h - the terminal view as a whole: its options, and how it is run. */
#ifndef SBERF_UI_UI_H
#define SBERF_UI_UI_H

#include "base/err.h"
#include "query/query.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct ui_options {
	uint64_t refresh_ns;     /* of the screen; at least 100 ms */
	bool ascii;              /* no UTF-8: by locale, or asked for */
	bool no_color;           /* --no-color; NO_COLOR in the environment does the same */
	const char *title;       /* "sberf top" */
	/*
	 * What the command line left of the data, in every question that is asked: kinds (what is
	 * shown at first), states, calls, thread, nodes (to begin with), by_node (the same), far.
	 * What else a query says is the view's business and overwritten: the range, grouping, idle
	 * waits, and arch, which the session's figures tell.
	 */
	struct query filter;
	const char *unit;        /* profile_meta.unit of the data, to name it; NULL = time */
	uint64_t min_block_ns;   /* --min-block, only to be shown; the profile is filtered already */
	/* advice where there is no terminal: "sberf top -b prints text"; NULL = none */
	const char *otherwise;
	/*
	 * Begins what is shown, and fills *RET with its session; NULL = it has begun, and ui_run() gets
	 * the session. This may take a second, in which the screen says STARTING ("" = nothing). When
	 * it fails, the terminal is given back, and ui_run() returns what START did.
	 */
	int (*start)(void *ctx, struct session *ret, struct err *e);
	void *start_ctx;
	const char *starting;
};

/*
 * Takes the terminal, shows SESSION until the user quits, and gives the terminal back in every case,
 * fatal signals included. When the user picks another target, the old session is left (session.leave()),
 * and *SESSION becomes the new one, which is then the caller's. With O->start, *SESSION is only filled.
 * Returns 0, or a negative errno with a sentence (no terminal, unknown TERM). QUIT_FD, when >= 0,
 * ends the view when it becomes readable.
 */
int ui_run(struct session *session, const struct ui_options *o, int quit_fd, struct err *e);

#endif
