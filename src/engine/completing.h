/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completing.h - in which ways the text of a probe can go on: kinds, files of a target, and behind them
 * system calls, tracepoints, functions and static probes. For whoever types one, in a view or a shell.
 */
#ifndef SBERF_ENGINE_COMPLETING_H
#define SBERF_ENGINE_COMPLETING_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define COMPLETIONS_MAX 200u     /* that are kept */
#define COMPLETION_TEXT_MAX 600u
#define COMPLETION_ARGS_MAX 200u

struct completion {
	char text[COMPLETION_TEXT_MAX];  /* all of the probe so far, raw bytes: one that ends in ":" goes on */
	char args[COMPLETION_ARGS_MAX];  /* "int dfd, const char * filename"; "" = not known, or too long */
	uint32_t cost_ns;                /* of a hit; 0 = not known */
};

struct completions {
	struct completion at[COMPLETIONS_MAX];
	uint32_t n;              /* of these */
	uint32_t all;            /* how many there are */
	char common[COMPLETION_TEXT_MAX];        /* what all of them begin with */
	struct err why;          /* code 0, or why there is none */
};

/*
 * Fills *RET, which is large, with the ways in which TYPED, the begin of a probe (sberf-probe(7)), can go on; in a
 * condition or a measure with what the last word there can be: a name of an argument, comm, retval. PIDS, N of them,
 * are the target: none = only the kernel, and files that are named by a path, have any. Reads files, which may take a
 * second where they have millions of symbols.
 */
void complete_probe(const char *typed, const uint32_t *pids, size_t n, struct completions *ret);

#endif
