/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pipes.h - recordings that come through a pipe: waiting for whoever writes, Ctrl-C that reaches both sides, and copies of
 * what has to be read more than once.
 */
#ifndef SBERF_CMD_PIPES_H
#define SBERF_CMD_PIPES_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

/* stat(2) of PATH, of standard input when it is "-". */
int pipes_stat(const char *path, struct stat *st);

/* PATH for sentences: "standard input" for "-". */
const char *pipes_name(const char *path);

/*
 * Says on standard error, as COMMAND, that a named pipe PATH is waited for: opening one waits until somebody opens it for
 * writing.
 */
void pipes_say_waiting(const char *path, const char *command);

/*
 * Ctrl-C reaches both sides of `record -o - | report -i -`, and is meant for the recording: when PATH is a pipe, or standard
 * input that is one, the first one only says that reading goes on, to the end that the recorder now writes. False when nothing
 * was changed; else pipes_end_patience() puts it back.
 */
bool pipes_begin_patience(const char *path);
void pipes_end_patience(void);

/*
 * Opens the recording PATH ("-": standard input) so that it can be read from its beginning again and again, also when it is
 * renamed meanwhile. What can be read only once, such as a pipe, is copied into a file in $TMPDIR (or /var/tmp) that has no
 * name; then *RET_COPIED, which may be NULL, is true. The descriptor, the caller's, or a negative errno with a sentence.
 */
int pipes_open_again(const char *path, bool *ret_copied, struct err *e);

#endif
