/* SPDX-License-Identifier: BSD-2-Clause */
/* executed.h - the files that processes execute: their programs and libraries, each once. */
#ifndef SBERF_ENGINE_EXECUTED_H
#define SBERF_ENGINE_EXECUTED_H

#include "base/err.h"
#include "base/vec.h"

#include <sys/types.h>

struct executed_file {
	char *path;              /* by which this process can open it, as long as that one lives */
	char *shown;             /* as the process that executes it knows it */
	char *called;            /* what a process calls itself whose program it is, if that is another name; NULL */
};

typedef VEC(struct executed_file) executed_files;

/*
 * Adds the files that PID executes to FILES, but for those that are called as one that is there. 0, or a
 * negative errno with a sentence. Free them with executed_free(), also after a failure.
 */
int executed_add(executed_files *files, pid_t pid, struct err *e);
void executed_free(executed_files *files);
/* Whether one of FILES is called SHOWN. */
bool executed_has(const executed_files *files, const char *shown);

#endif
