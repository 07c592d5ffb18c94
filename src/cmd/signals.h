/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - blocks the signals that end a command without view, and takes them when the command
 * is ready.
 */
#ifndef SBERF_CMD_SIGNALS_H
#define SBERF_CMD_SIGNALS_H

#include "cmd/launch.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/*
 * KEEP: holds SIGUSR2 back from now on, because it would end a process that does not expect it, and
 * may ask a flight recorder for its contents while that still starts. Without KEEP a held signal is
 * delivered. The profiled command starts with nothing blocked.
 */
void signals_keep_usr2(bool keep);

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and with USR2 SIGUSR2, for this thread and those that it
 * starts; *SET is what was blocked. Signals that a shell had ignored are blocked too, but SIGHUP
 * stays ignored under nohup.
 */
void signals_block(sigset_t *set, bool usr2);

/*
 * Waits up to TIMEOUT for a signal of SET and returns it; 0 when none came. A signal sent to sberf
 * is passed on to the command of S, but not one from the terminal, which the command got too, nor
 * SIGUSR2.
 */
int signals_take(const struct launch *s, const sigset_t *set, const struct timespec *timeout);

#endif
