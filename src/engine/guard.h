/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.h - a helper process that ends the command when sberf dies before it could do so, as by
 * SIGKILL.
 *
 * The kernel's own signal at a parent's death (PR_SET_PDEATHSIG) reaches the command but not its
 * children, and set-user-ID programs are exempt. The guard ends the command's whole process group.
 * It exits when the command does.
 */
#ifndef SBERF_ENGINE_GUARD_H
#define SBERF_ENGINE_GUARD_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Starts a guard for COMMAND, a child that leads a process group of its own or soon will. 0 or a
 * negative errno with a sentence.
 */
int guard_start(pid_t command, struct err *e);

/* Asks COMMAND and the process group that it leads to end, as a shell ends a job. */
void guard_end(pid_t command);

#endif
