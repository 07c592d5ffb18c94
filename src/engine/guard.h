/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.h - a small process of our own that ends a command when sberf dies before it could, as by SIGKILL.
 *
 * What the kernel can send at our death (PR_SET_PDEATHSIG) reaches the command itself, not what it has started; and a program that is
 * set-user-ID is free of it. The guard ends the command's whole group. It goes when the command has ended.
 */
#ifndef SBERF_ENGINE_GUARD_H
#define SBERF_ENGINE_GUARD_H

#include "base/err.h"

#include <sys/types.h>

/* Watches over COMMAND, a child that leads a process group of its own or soon will. */
int guard_start(pid_t command, struct err *e);

/* Asks COMMAND to end, and what is in the group that it leads, as a job of a shell does, unless it has left that. */
void guard_end(pid_t command);

#endif
