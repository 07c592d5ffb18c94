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

#include <stdint.h>
#include <sys/types.h>

/* Descriptors of the program. Others, which whoever started sberf has left open, it closes itself. */
#define SPAWN_SOCKET 3                  /* SOCK_SEQPACKET */
#define SPAWN_FILE 4

/*
 * Starts the program ARGV[0], a name for installed_find(), which gets FILE (borrowed; -1 = none). Its pid, and our end
 * of the socket, which is the caller's. -ENOENT: it is not installed; or another negative errno; with a sentence.
 */
int spawn_start(char *const *argv, int file, pid_t *ret_pid, int *ret_socket, struct err *e);

/*
 * The processes that work for sberf. Those of spawn_start() are counted from their start on; others when spawn_count()
 * says so. Whoever ends PID calls spawn_ends() before it is reaped: what it took until then stays counted. Any thread.
 */
void spawn_count(pid_t pid);
void spawn_ends(pid_t pid);

/*
 * What PID, which is counted, says that processes take which it started and has not reaped: OTHERS_NS of CPU time. Not
 * every kernel lists them (/proc/PID/task/TID/children).
 */
void spawn_says(pid_t pid, uint64_t others_ns);

/* The CPU time of the process PID; 0 = it is not there. */
uint64_t spawn_clock_ns(pid_t pid);

/* The CPU time that all of them have taken up to now, and the processes that they started. Never less than before. */
uint64_t spawn_cpu_ns(void);

#endif
