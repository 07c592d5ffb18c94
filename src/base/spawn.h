/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spawn.h - starts a program that is installed with sberf, with a socket to speak to it.
 *
 * It has a process group and an environment of its own, which is empty, so neither keys nor variables reach
 * it; its input and output are /dev/null.
 */
#ifndef SBERF_BASE_SPAWN_H
#define SBERF_BASE_SPAWN_H

#include "base/err.h"

#include <sys/types.h>

/* Descriptors of the program. Others, which whoever started sberf has left open, it closes itself. */
#define SPAWN_SOCKET 3                  /* SOCK_SEQPACKET */
#define SPAWN_FILE 4

/*
 * Starts the program ARGV[0], a name for installed_find(), which gets FILE (borrowed; -1 = none). Its pid, and our end
 * of the socket, which is the caller's. -ENOENT: it is not installed; or another negative errno; with a sentence.
 */
int spawn_start(char *const *argv, int file, pid_t *ret_pid, int *ret_socket, struct err *e);

#endif
