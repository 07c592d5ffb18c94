/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term_signals.h - signals while a terminal is taken: signals with a request become numbers to be
 * read; fatal ones first give the terminal back and then kill the process as usual.
 *
 * One terminal at a time; for one thread.
 */
#ifndef SBERF_UI_TERM_SIGNALS_H
#define SBERF_UI_TERM_SIGNALS_H

#include "base/err.h"

#include <stddef.h>

#define TERM_SIGNALS_MAX 512u          /* bytes that restore a screen */

/*
 * Catches the signals and saves the line settings of FD, the terminal. *RET_FD is readable when
 * term_signals_signal() has one. 0, or a negative errno with a sentence and nothing changed.
 */
int term_signals_open(int fd, int *ret_fd, struct err *e);
/* Restores all earlier handlers. */
void term_signals_close(void);

/*
 * The terminal is taken: from now on a fatal signal writes the N bytes at TEXT (at most
 * TERM_SIGNALS_MAX; copied) to restore it.
 */
void term_signals_with(const char *text, size_t n);
/* The terminal is not taken until the next term_signals_with(). */
void term_signals_hold(void);
/*
 * Stops the process; the caller has given the terminal back. Returns when the process is continued.
 */
void term_signals_stop(void);

/* The next signal that asks for something: SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT or SIGWINCH; 0 = none for now. */
int term_signals_signal(void);

#endif
