/* SPDX-License-Identifier: BSD-2-Clause */
/* signals.h - signals that end a command which has no view: they wait until they are asked for. */
#ifndef SBERF_CMD_SIGNALS_H
#define SBERF_CMD_SIGNALS_H

#include "cmd/session.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/*
 * SIGUSR2, which ends a process that does not expect it, waits from here on: for a flight recorder, which may be asked for what it
 * has while it still sets up; without KEEP it comes, now if it has waited. The command that it runs begins with nothing blocked.
 */
void signals_keep_usr2(bool keep);

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, and SIGUSR2 with USR2, for this thread and those that it starts; *SET is what was blocked.
 * Signals that a shell had ignored are blocked too, but SIGHUP stays ignored under nohup.
 */
void signals_block(sigset_t *set, bool usr2);

/*
 * A signal of SET that has come, within TIMEOUT; 0 when none has. One that somebody sent goes on to the command of S; the
 * terminal has given its own to the command already. SIGUSR2 is for us alone.
 */
int signals_take(const struct session *s, const sigset_t *set, const struct timespec *timeout);

#endif
