/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipeends.h - which processes have one end of a pipe open: those that can end a wait at the other end.
 *
 * The kernel counts the ends of a pipe, but does not say whose they are; so the file descriptors of all processes are
 * looked at (/proc/PID/fd and fdinfo).
 */
#ifndef SBERF_SYSTEM_PIPEENDS_H
#define SBERF_SYSTEM_PIPEENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The processes that have the pipe LINK ("pipe:[4711]", as /proc/PID/fd has it) open, to write if WRITES, else to read:
 * the first MAX of them to RET. Returns how many there are; processes that may not be looked at are left out.
 */
size_t pipe_ends(const char *link, bool writes, pid_t *ret, size_t max);

#endif
