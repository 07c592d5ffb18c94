/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term.h - the terminal: taken, drawn on, listened to, and given back in every case.
 *
 * While it is taken, signals that would leave it in disorder are caught: SIGINT, SIGTERM and SIGHUP become an event; SIGTSTP and
 * SIGCONT leave and enter the screen; SIGWINCH becomes a new size; signals that kill the process (SIGSEGV and the like) first
 * give the terminal back and then kill it as they would have. One terminal at a time; one thread uses it.
 */
#ifndef SBERF_UI_TERM_H
#define SBERF_UI_TERM_H

#include "base/err.h"
#include "ui/canvas.h"
#include "ui/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct terminal;

struct term_options {
	const char *title;       /* who speaks in sentences: "sberf top" */
	const char *type;        /* terminfo name; NULL = $TERM */
	int in_fd, out_fd;       /* borrowed */
	bool any_file;           /* do not insist on a terminal behind the descriptors (tests) */
	bool no_color;
	bool dark;               /* the background is known to be dark: style_on_dark() */
	const char *otherwise;   /* what to do where it cannot draw, for sentences; NULL = nothing */
};

enum term_event_type {
	TERM_NONE,               /* nothing more for now */
	TERM_KEY,                /* key */
	TERM_MOUSE,              /* mouse, x, y */
	TERM_REDRAW,             /* the size may have changed, or the screen was elsewhere: draw everything */
	TERM_QUIT,               /* a signal asks the program to end */
	TERM_LOST,               /* the terminal is gone; nothing can be drawn any more */
};

struct term_event {
	enum term_event_type type;
	uint32_t key;            /* a character or enum key */
	enum mouse mouse;
	int x, y;
};

/*
 * Takes the terminal; locale_use() comes before. -ENOTTY or -EINVAL with a sentence when there is none that can be drawn on:
 * nothing is changed then.
 */
int term_open(const struct term_options *o, struct terminal **ret, struct err *e);
/* Gives it back; NULL is fine. */
void term_close(struct terminal *t);

/* Readable when term_next() may have something: input, and signals. */
int term_input_fd(const struct terminal *t);
int term_signal_fd(const struct terminal *t);

/* The next thing that happened; never waits. */
void term_next(struct terminal *t, struct term_event *ret);

void term_size(const struct terminal *t, int *ret_w, int *ret_h);

/* Makes the screen look like CV (of the size that term_size() says); sends only what changed. */
void term_draw(struct terminal *t, const struct canvas *cv);
/* The next term_draw() sends everything. */
void term_forget(struct terminal *t);

/* Number of colours in use, 0 = none. */
int term_colours(const struct terminal *t);
/* Row Y as it stands in the terminal library, as UTF-8, and the letters of its attributes (b bold, r reverse, ...): for tests. */
void term_read_back(const struct terminal *t, int y, char *text, size_t text_size, char *looks, size_t looks_size);

DEFINE_AUTO(term_close, struct terminal);

#endif
