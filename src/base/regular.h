/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regular.h - opens what has been found, and only if it is a regular file: a FIFO is not waited for, a device
 * not touched.
 *
 * A path is opened with O_PATH first, which does nothing to what it names. When that is a regular file it is
 * opened for reading through /proc/self/fd, so nothing can be swapped in between.
 */
#ifndef SBERF_BASE_REGULAR_H
#define SBERF_BASE_REGULAR_H

/* Another open file description for FD, which stays open: offsets are not shared. An fd or a negative errno. */
int reopen_fd(int fd);

/* The same of FD, opened with O_PATH, if it is a regular file: -ELOOP: a symbolic link; -ENOTSUP: something else. */
int regular_reopen(int fd);

#endif
