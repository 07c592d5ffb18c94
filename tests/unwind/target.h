/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target.h - stops a child of the test with ptrace and takes raw captures of it. Tests only: sberf
 * never stops anything.
 */
#ifndef SBERF_TESTS_UNWIND_TARGET_H
#define SBERF_TESTS_UNWIND_TARGET_H

#include "tests/unwind/fixture.h"

#include <sys/types.h>

/* Images by path, shared by all captures: a module id is the index of a path. */
struct target_files {
	VEC(struct target_file) files;
};

struct target_file {
	char path[512];
	struct image *image;             /* NULL = not an ELF file that can be read */
};

void target_files_free(struct target_files *tf);

/*
 * Starts ARGV with its stdout in a pipe and waits until it has said "ready". The pid, or -1 with a
 * sentence on stderr.
 */
pid_t target_start(char *const argv[]);
/* Lets the traced, stopped PID do some thousand instructions, so that it has left the write() of "ready". */
void target_settle(pid_t pid);
/* Stops thread TID of a running target; false when it has ended. */
bool target_stop(pid_t tid);

/*
 * A capture of the stopped thread TID of PID, with at most CAP bytes of each stack from 128 bytes
 * below sp, as the kernel half takes it: page by page until one cannot be read. When a handler's
 * frame in the copied bytes shows that the handler runs on an alternate stack, the interrupted
 * stack becomes the second segment. The mappings are those of BEFORE, an earlier capture of the
 * same process, or read from /proc when BEFORE is NULL.
 */
bool target_capture(pid_t pid, pid_t tid, size_t cap, struct target_files *tf, const struct fixture *before,
		    struct fixture *ret);

#endif
