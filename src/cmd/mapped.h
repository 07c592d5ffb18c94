/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped.h - what addresses of other processes are of, a little later: a file, the heap, a stack.
 * What a process has mapped is read when it is asked for, and again when an address is not found or
 * some time has passed: a mapping that came in place of another one within that time has the name of
 * the older one.
 */
#ifndef SBERF_CMD_MAPPED_H
#define SBERF_CMD_MAPPED_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapped;

struct mapped *mapped_new(void);         /* NULL when out of memory */
void mapped_free(struct mapped *m);      /* NULL is fine */

/*
 * What ADDRESS of process PID is of, NOW_NS by CLOCK_MONOTONIC: "/usr/lib/libc.so.6", "heap",
 * "stack", "anon", as raw bytes, valid until the next call. NULL = not known; the process may be
 * gone.
 */
const char *mapped_name(struct mapped *m, pid_t pid, uint64_t address, uint64_t now_ns);

DEFINE_AUTO(mapped_free, struct mapped);

#endif
