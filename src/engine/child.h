/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * child.h - starts the command behind `--` and holds it back until the capture runs, so that its
 * first instruction is seen.
 *
 * Under sudo the command runs as the user who called sudo (SUDO_UID, SUDO_GID), with that user's
 * groups: the profiler needs privileges, the profiled program does not.
 */
#ifndef SBERF_ENGINE_CHILD_H
#define SBERF_ENGINE_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;               /* 0 = none */
	int gate;                /* closed to release it; -1 = closed */
	int report;              /* reports whether exec worked; -1 = closed */
	const char *file;        /* argv[0], borrowed */
};

#define CHILD_INIT { .pid = 0, .gate = -1, .report = -1 }

/*
 * Looks FILE up as execvp() would, before anything is set up. 0, or a negative errno with a
 * sentence and *RET_STATUS as a shell returns it: 127 not found, 126 not executable.
 */
int child_check(const char *file, int *ret_status, struct err *e);

/* The same, and where it was found: in RET, of PATH_MAX bytes. */
int child_find(const char *file, char *ret, int *ret_status, struct err *e);

/* Who the command will run as. 0, or a negative errno with a sentence when sudo's variables make no sense. */
int child_identity(uid_t *ret_uid, gid_t *ret_gid, struct err *e);

/*
 * Forks a child that waits to execute ARGV (NULL-terminated, looked up in PATH). DETACHED: it
 * leaves the foreground process group and, in place of the terminal, gets /dev/null as input and
 * output, because the view owns the terminal. It and its whole group then end with sberf, even when
 * sberf is killed (guard.h).
 */
int child_start(char *const *argv, bool detached, struct child *c, struct err *e);

/*
 * Releases the child and waits until it has executed its command. 0; or, when that failed, a
 * negative errno with a sentence and *RET_STATUS as child_check() sets it; the child has been
 * reaped then.
 */
int child_go(struct child *c, int *ret_status, struct err *e);

/* Ends a child that was never released, and closes the descriptors. The pid is forgotten. */
void child_abandon(struct child *c);

#endif
