/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker.h - starts sberf-worker, a program that gives up all it does not need before it touches what is
 * foreign (sandbox.h), and looks after it: how much CPU it has used, how it ended.
 *
 * A job is what the worker is told to do: to run a plug-in, from a file or one that it has itself (that for perf maps
 * is such a one), or to read files of code (symbol/names_worker.h).
 */
#ifndef SBERF_PLUGIN_WORKER_H
#define SBERF_PLUGIN_WORKER_H

#include "base/err.h"
#include "base/spawn.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORKER_JOB_PLUGIN "plugin"       /* of WORKER_FILE; another word is the name of one that is built in */
/* Descriptors of the worker. */
#define WORKER_SOCKET SPAWN_SOCKET
#define WORKER_FILE SPAWN_FILE

struct worker {
	pid_t pid;               /* 0 = there is none */
	int socket;              /* SOCK_SEQPACKET; -1 = none */
	int status;              /* of one that had ended before worker_stop(): as waitpid(2) has it; -1 = it had not */
	uint64_t peak_bytes;     /* the same: memory that it had used */
	uint64_t oom_kills;      /* oomkills_count() when it was started; then, of one that had ended, how many more */
};

/* Is the program there? */
bool worker_is_there(void);

/* Starts a worker for JOB, which gets FILE (borrowed; -1 = none). -ENOENT: the program is not installed. */
int worker_start(const char *job, int file, struct worker *ret, struct err *e);

/*
 * Ends it, if there is one, and says how it had ended before, "" = it had not: "it crashed (signal 11)". With
 * IS_ENDING its end has been seen, and the kernel gets a moment to tell of it. Returns DST.
 */
const char *worker_stop(struct worker *w, bool is_ending, char *dst, size_t dst_size);

/* Did somebody end it who is not sberf, and not the kernel for its memory? Of one that worker_stop() has seen. */
bool worker_was_killed(const struct worker *w);

/* Is it waiting for something, and not for a CPU or a disk? */
bool worker_is_idle(const struct worker *w);

/* CPU time that it has used, ns; 0 when it has ended. */
uint64_t worker_cpu_ns(const struct worker *w);

#endif
