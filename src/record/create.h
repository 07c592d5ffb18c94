/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * create.h - makes the file of a recording, and never overwrites a file that is no recording, or
 * one that is still being written.
 *
 * In two steps, so that a disk that is full at the first byte costs nothing: the file begins beside
 * its place, and takes that place when its header is in it.
 */
#ifndef SBERF_RECORD_CREATE_H
#define SBERF_RECORD_CREATE_H

#include "base/err.h"

/*
 * Creates a file beside PATH, new and empty, mode 0600, close-on-exec, with an exclusive flock(2)
 * that says for as long as it is open that it is being written. Refuses what recording_place()
 * would refuse. Under sudo the file belongs to the invoking user. *RET_FD and *RET_BESIDE, its
 * name, are the caller's, who removes the file if it is not placed.
 */
int recording_create(const char *path, int *ret_fd, char **ret_beside, struct err *e);

/*
 * Renames BESIDE to PATH. An existing recording is renamed to PATH.old (over an older recording
 * there); an empty file is replaced; anything else that exists at PATH or PATH.old is refused, a
 * symbolic link and a recording that is being written included.
 */
int recording_place(const char *beside, const char *path, struct err *e);

/*
 * Moves PATH to PATH.1, that to PATH.2 and so on, to at most PATH.(FILES - 1): what was there goes.
 * Only recordings are moved or removed: anything else under one of these names is refused before
 * anything is done, as is a recording that is being written.
 */
int recording_shift(const char *path, unsigned int files, struct err *e);

#endif
