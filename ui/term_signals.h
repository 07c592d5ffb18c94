/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term_signals.h - signals while a terminal is taken: those that ask for something become numbers to be read, those that kill the
 * program first give the terminal back and then kill it as they would have.
 *
 * There is one terminal at a time, and one thread that calls this.
 */
#ifndef SBERF_UI_TERM_SIGNALS_H
#define SBERF_UI_TERM_SIGNALS_H

#include "base/err.h"

#include <stddef.h>

#define TERM_SIGNALS_MAX 512u          /* bytes that give a screen back */

/*
 * Catches the signals, and remembers the line settings of FD, the terminal. *RET_FD is readable when term_signals_signal() has one.
 * Nothing is changed when it fails.
 */
int term_signals_open(int fd, int *ret_fd, struct err *e);
/* Gives all of them back to whoever had them. */
void term_signals_close(void);

/* The terminal is taken: from now on the N bytes at TEXT (at most TERM_SIGNALS_MAX, which are copied) give it back. */
void term_signals_with(const char *text, size_t n);
/* It is not, until the next term_signals_with(). */
void term_signals_hold(void);
/* Stops the process, with the terminal given back by the caller before; returns when it is continued. */
void term_signals_stop(void);

/* The next signal that asks for something: SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT or SIGWINCH; 0 = none for now. */
int term_signals_signal(void);

#endif
