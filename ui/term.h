/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term.h - takes the terminal, draws on it, reads it, and gives it back in every case.
 *
 * While it is taken, signals that would leave it in disorder are caught: SIGINT, SIGTERM and SIGHUP
 * become an event; SIGTSTP and SIGCONT leave and enter the screen; SIGWINCH becomes a new size;
 * fatal signals (SIGSEGV and the like) first give the terminal back and then kill the process as
 * usual. One terminal at a time; for one thread.
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
	const char *title;       /* who speaks in messages: "sberf top" */
	const char *type;        /* terminfo name; NULL = $TERM */
	int in_fd, out_fd;       /* borrowed */
	bool any_file;           /* accept descriptors that are not terminals (tests) */
	bool no_color;
	bool dark;               /* the background is known to be dark: style_on_dark() */
	const char *otherwise;   /* advice in messages when it cannot draw; NULL = none */
};

enum term_event_type {
	TERM_NONE,               /* nothing more for now */
	TERM_KEY,                /* key */
	TERM_MOUSE,              /* mouse, x, y */
	TERM_REDRAW,             /* the size may have changed, or the screen was elsewhere: draw everything */
	TERM_QUIT,               /* a signal asks the program to end */
	TERM_LOST,               /* the terminal is gone; no more drawing */
};

struct term_event {
	enum term_event_type type;
	uint32_t key;            /* a character or enum key */
	enum mouse mouse;
	int x, y;
};

/*
 * Takes the terminal; call locale_use() before. 0 with *RET the caller's; -ENOTTY or -EINVAL with a
 * sentence when it cannot be drawn on: nothing is changed then.
 */
int term_open(const struct term_options *o, struct terminal **ret, struct err *e);
/* Gives the terminal back. NULL is fine. */
void term_close(struct terminal *t);

/* Descriptors that are readable when term_next() may have something: input, and signals. */
int term_input_fd(const struct terminal *t);
int term_signal_fd(const struct terminal *t);

/* Returns the next event; never waits. */
void term_next(struct terminal *t, struct term_event *ret);

void term_size(const struct terminal *t, int *ret_w, int *ret_h);

/* Makes the screen look like CV, which has the size of term_size(); sends only changes. */
void term_draw(struct terminal *t, const struct canvas *cv);
/* Makes the next term_draw() send everything. */
void term_forget(struct terminal *t);

/* Number of colours in use, 0 = none. */
int term_colours(const struct terminal *t);
/*
 * For tests: row Y as the terminal library holds it, in UTF-8, and the letters of its attributes (b
 * bold, r reverse, ...).
 */
void term_read_back(const struct terminal *t, int y, char *text, size_t text_size, char *looks, size_t looks_size);

DEFINE_AUTO(term_close, struct terminal);

#endif
