/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sandbox.h - takes from this process all that it does not need to work on foreign bytes: for programs that
 * sberf starts for that (sberf-worker). There is no way back.
 *
 * What is taken: the user and group (nobody's instead of root's), all capabilities, new privileges, files
 * (Landlock, where the kernel has it), system calls (seccomp), memory beyond a limit, and new processes.
 */
#ifndef SBERF_PLUGIN_SANDBOX_H
#define SBERF_PLUGIN_SANDBOX_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct sandbox_needs {
	uint64_t memory_bytes;   /* of address space */
	uint32_t stack_bytes, files, cpu_seconds;
	bool reads_files;        /* what is open is read as libraries do it, which look at it before */
};

/*
 * The first step, for as long as code is being loaded: files of the system's library folders may be opened
 * to be read.
 */
int sandbox_enter(const struct sandbox_needs *needs, struct err *e);

/* The second one: nothing can be opened any more. What is open already, and the descriptors of messages, are there. */
int sandbox_close(const struct sandbox_needs *needs, struct err *e);

/*
 * What a command gives up that reads a recording, or what another tool wrote, before it looks at the first byte:
 * other programs and processes, the network, and of files all but what is said here. For good, of the whole process,
 * which has one thread yet. Where files may be opened, only Landlock can say which, where the kernel has it.
 */
struct sandbox_reading {
	bool opens;              /* files may be opened to be read */
	/* written, or replaced by what was beside them, or folders in which files are made; NULL, "-" = none */
	const char *writes[2];
	/* a view or a server, which goes on to open files, to have threads and to be asked: they keep all that takes */
	bool stays;
};
int sandbox_reading(const struct sandbox_reading *needs, struct err *e);

#endif
