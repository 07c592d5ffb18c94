/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipes.h - recordings that come through a pipe: waiting for a writer, a Ctrl-C that reaches both
 * sides, and copies of input that must be read more than once.
 */
#ifndef SBERF_CMD_PIPES_H
#define SBERF_CMD_PIPES_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

/* stat(2) of PATH; "-" means standard input. */
int pipes_stat(const char *path, struct stat *st);

/* PATH as messages name it: "standard input" for "-". */
const char *pipes_name(const char *path);

/*
 * If PATH is a named pipe, says on standard error in the name of COMMAND that it is waited for:
 * open() blocks until somebody opens the pipe for writing.
 */
void pipes_say_waiting(const char *path, const char *command);

/*
 * In `record -o - | report -i -` Ctrl-C reaches both sides and is meant for the recorder. If PATH
 * is a pipe, the first Ctrl-C only prints that reading goes on to the end of the recording. Returns
 * false when nothing was changed; else call pipes_end_patience() afterwards.
 */
bool pipes_begin_patience(const char *path);
void pipes_end_patience(void);

/* The folder of such copies. */
const char *pipes_folder(void);

/*
 * Opens the recording PATH ("-": standard input) so that it can be read from its beginning several
 * times, even when it is renamed meanwhile. Input that can be read only once, such as a pipe, is
 * copied to an unnamed file in $TMPDIR (or /var/tmp), and *RET_COPIED, which may be NULL, is set.
 * Returns a descriptor owned by the caller, or a negative errno with a sentence.
 */
int pipes_open_again(const char *path, bool *ret_copied, struct err *e);

#endif
