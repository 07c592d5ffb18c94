/* SPDX-License-Identifier: BSD-2-Clause */
/* listen.h - sockets that listen: at a path, or at this machine's own addresses, where nobody else can come. */
#ifndef SBERF_BASE_LISTEN_H
#define SBERF_BASE_LISTEN_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * A socket at PATH that listens, which MODE says who may use. What is there is replaced when it is a socket and nobody
 * listens at it. The descriptor, or a negative errno with a sentence.
 */
int listen_path(const char *path, mode_t mode, struct err *e);

/*
 * Listens at ADDRESS: "PORT", at 127.0.0.1 and ::1, or "127.0.0.1:PORT", or "[::1]:PORT". Any other address is refused
 * with -EINVAL: a proxy in front of listen_path(), or ssh -L, is for others. Port 0: one that is free, at both. Fills
 * FD; one that is not used is -1, as ::1 is where this machine has none. *RET_PORT: the port. 0, or a negative errno
 * with a sentence.
 */
int listen_loopback(const char *address, int fd[2], uint16_t *ret_port, struct err *e);

#endif
