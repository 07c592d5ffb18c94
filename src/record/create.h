/* SPDX-License-Identifier: BSD-2-Clause */
/* create.h - makes the file of a recording without ever overwriting what is not one. */
#ifndef SBERF_RECORD_CREATE_H
#define SBERF_RECORD_CREATE_H

#include "base/err.h"

/*
 * Creates PATH, new and empty, mode 0600, close-on-exec. An existing recording is renamed to PATH.old (over an older recording
 * there); an empty file is replaced; anything else that exists at PATH or PATH.old, a symbolic link included, is refused.
 * Under sudo the file belongs to the invoking user. *RET_FD is the caller's.
 */
int recording_create(const char *path, int *ret_fd, struct err *e);

#endif
