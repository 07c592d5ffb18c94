/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deadfs.h - a file system whose server takes requests and answers only those for names: whoever
 * needs a byte of a file waits for as long as the server lives, also when killed.
 */
#ifndef SBERF_TESTS_UNIT_DEADFS_H
#define SBERF_TESTS_UNIT_DEADFS_H

#include <sys/types.h>

#define DEADFS_FILE "file"       /* its only one, of 16 pages */

/*
 * Mounts it on DIR, in a mount namespace made for this process. Returns the server, a child:
 * killing it gives everybody who waits an error. 0 when mounting is not allowed here.
 */
pid_t deadfs_start(const char *dir);

#endif
