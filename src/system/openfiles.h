/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openfiles.h - which files the processes of this machine have open, by /proc/PID/fd and fdinfo: who has an end of a
 * pipe, who keeps a BPF program.
 */
#ifndef SBERF_SYSTEM_OPENFILES_H
#define SBERF_SYSTEM_OPENFILES_H

#include <stdbool.h>
#include <sys/types.h>

struct openfile {
	pid_t pid;
	int proc;                /* the directory /proc/PID, borrowed */
	int fd;                  /* its number there */
	char to[64];             /* what it leads to, as the kernel says it ("pipe:[4711]"); a longer text is cut */
};

/*
 * Calls SEE with CTX for each open file of each process, until it returns false. Processes that may not be looked at,
 * or end meanwhile, are left out. False = SEE returned false.
 */
bool openfiles_each(bool (*see)(void *ctx, const struct openfile *f), void *ctx);

/*
 * The number that fdinfo of F has behind KEY ("flags:", "prog_id:"), which is of BASE, to *RET. False = there is none.
 * Fields of struct file come first: they are read from the first 4095 bytes.
 */
bool openfile_number(const struct openfile *f, const char *key, int base, unsigned long *ret);

#endif
