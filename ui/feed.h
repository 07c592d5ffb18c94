/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * feed.h - what the terminal view is fed with: a live engine or a loaded recording look the same from here.
 */
#ifndef SBERF_UI_FEED_H
#define SBERF_UI_FEED_H

#include "profile/meta.h"
#include "profile/profile.h"
#include "profile/query.h"
#include "symbol/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed {
	void *ctx;
	const struct names *names;
	/* The latest snapshot, referenced for the caller, or NULL while there is none. Never waits. */
	struct snapshot *(*snapshot)(void *ctx);
	/* Grows when there is a newer snapshot. Never waits. */
	uint64_t (*published)(void *ctx);
	/* The figures of now. Never waits. */
	void (*status)(void *ctx, struct profile_meta *ret);
	/* Frames on screen, to be named first; may be NULL. Never waits. */
	void (*prefer)(void *ctx, const frame_id *frames, size_t n);
	/* Forgets what was seen; NULL where that makes no sense (a recording). */
	void (*reset)(void *ctx);
	/* Starts or stops telling who ends waits; NULL where that makes no sense. */
	void (*wakers)(void *ctx, bool on);
	/* True once nothing new will come (target ended, recording). The view stays all the same. */
	bool (*ended)(void *ctx);
};

struct ui_options {
	uint64_t refresh_ns;     /* of the screen; at least 100 ms */
	bool ascii;              /* no UTF-8: by locale, or asked for */
	bool no_color;           /* asked for; NO_COLOR in the environment does the same */
	const char *title;       /* "sberf top" */
	/*
	 * What the command line left of the data, in every question that is asked: kinds (what is shown at first), states,
	 * calls, thread. What else a query says is the view's business and overwritten: the range, grouping, idle waits, and
	 * arch, which the feed's figures tell.
	 */
	struct query filter;
	uint64_t min_block_ns;   /* --min-block: only to be named; whoever fills the profile heeds it */
};

struct err;

/*
 * Takes the terminal, shows FEED until the user quits, gives the terminal back in every case (also on fatal signals). Returns
 * 0, or a negative errno with a sentence (no terminal, TERM unknown). QUIT_FD, when >= 0, ends the view when it becomes
 * readable.
 */
int ui_run(const struct feed *feed, const struct ui_options *o, int quit_fd, struct err *e);

#endif
