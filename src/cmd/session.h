/* SPDX-License-Identifier: BSD-2-Clause */
/* session.h - what `top` and `record` share: from options to a running engine, with the command behind `--` if there is one. */
#ifndef SBERF_CMD_SESSION_H
#define SBERF_CMD_SESSION_H

#include "base/err.h"
#include "cmd/options.h"
#include "engine/child.h"
#include "engine/engine.h"

#define KEEP_BYTES (256ull << 20)        /* of --keep, when nothing else is said */

struct session {
	struct engine_config config;
	struct engine *engine;
	struct child child;
	char target_text[256];
	int status;              /* exit status that goes with an error; 0 = the usual one */
};

#define SESSION_INIT { .child = CHILD_INIT }

/*
 * Resolves the target, starts the command held back, opens the engine. The caller sets config.record and refresh_ns before.
 * DETACHED: the command must leave the terminal alone.
 */
int session_open(struct session *s, const struct options *o, bool detached, struct err *e);

/*
 * Starts the engine, then lets the command go. When the command cannot be executed, S->status is what a shell would return
 * (127 not found, 126 not executable).
 */
int session_start(struct session *s, struct err *e);

/* The command, unless it has ended already: 0. */
pid_t session_command(const struct session *s);
/* Asks the command to end, with what it has started, unless it has ended already. */
void session_end_command(const struct session *s);

/* What a command function returns for R: the status that goes with the error if there is one, else R. */
int session_exit(const struct session *s, int r);

void session_close(struct session *s);

#endif
