/* SPDX-License-Identifier: BSD-2-Clause */
/* fdmessage.h - messages, with one open file at most, through a socket that keeps them apart (SOCK_SEQPACKET). */
#ifndef SBERF_BASE_FDMESSAGE_H
#define SBERF_BASE_FDMESSAGE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Sends the SIZE bytes at M and, unless FD is negative, that file. 0 or a negative errno; -EPIPE: nobody is there.
 * Waits for room.
 */
int fdmessage_send(int socket, const void *m, size_t size, int fd);

/*
 * Takes the next message, of up to SIZE bytes, to M, and the file that came with it to *RET_FD, -1 = none (RET_FD NULL:
 * it is closed). Its length; 0: nobody is there any more; -EMSGSIZE: it is longer; -EAGAIN when there is none and the
 * socket does not wait; or another negative errno.
 */
ssize_t fdmessage_take(int socket, void *m, size_t size, int *ret_fd);

#endif
