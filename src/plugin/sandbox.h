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

#endif
