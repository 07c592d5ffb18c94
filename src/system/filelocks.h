/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filelocks.h - who waits for a lock on a file (fcntl(2), flock(2)), and which process holds it, by
 * /proc/locks.
 *
 * Its lines are those of proc_locks(5): "1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF", and
 * behind a holder those who wait for it, with "->" before the type. Locks of an open file
 * description have no process (-1).
 */
#ifndef SBERF_SYSTEM_FILELOCKS_H
#define SBERF_SYSTEM_FILELOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct file_lock {
	bool waits;              /* a line with "->" */
	pid_t pid;               /* -1 = not known */
	uint32_t maj, min;       /* of the device */
	uint64_t ino;
};

/* One line, without its newline. False when it is none; *RET is unchanged then. */
bool file_lock_parse(const char *line, struct file_lock *ret);

/*
 * The process that holds what PID waits for on the file MAJ:MIN INO. 0 = PID waits for no lock there, or
 * nobody knows who holds it.
 */
pid_t file_lock_holder(pid_t pid, uint32_t maj, uint32_t min, uint64_t ino);

#endif
