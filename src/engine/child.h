/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * child.h - the command behind `--`: started held back, let go once the capture runs, so that its first instruction counts.
 *
 * Under sudo it runs as the user who called sudo (SUDO_UID, SUDO_GID), with that user's groups: sberf's privileges are for
 * watching, not for what is watched.
 */
#ifndef SBERF_ENGINE_CHILD_H
#define SBERF_ENGINE_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;               /* 0 = none */
	int gate;                /* closed to let it go; -1 */
	int report;              /* tells whether exec worked; -1 */
	const char *file;        /* argv[0], borrowed */
};

#define CHILD_INIT { .pid = 0, .gate = -1, .report = -1 }

/*
 * Looks FILE up as execvp() would, before anything is set up for it. Fails with a sentence and *RET_STATUS as a shell would
 * return it: 127 not found, 126 not executable.
 */
int child_check(const char *file, int *ret_status, struct err *e);

/*
 * Forks a child that waits to execute ARGV (NULL-terminated, looked up in PATH). With DETACHED it leaves the foreground process
 * group and, where these are the terminal, gets /dev/null as input and output: the terminal belongs to the view. It then ends with sberf,
 * with all of its group and also when sberf is killed (guard.h).
 */
int child_start(char *const *argv, bool detached, struct child *c, struct err *e);

/*
 * Lets it go and waits until it has executed, or failed to: then a negative errno with a sentence, and *RET_STATUS as
 * child_check() gives it; the child has been reaped.
 */
int child_go(struct child *c, int *ret_status, struct err *e);

/* Ends a child that was never let go, closes what is open. The pid is forgotten. */
void child_abandon(struct child *c);

#endif
