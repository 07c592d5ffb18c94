/* SPDX-License-Identifier: BSD-2-Clause */
/* find_syscalls.h - the system calls that a probe "sys:..." means, by number. */
#ifndef SBERF_PROBE_FIND_SYSCALLS_H
#define SBERF_PROBE_FIND_SYSCALLS_H

#include "base/err.h"
#include "base/vec.h"
#include "model/wait.h"
#include "probe/spec.h"

#include <stdint.h>
#include <stdlib.h>

#define FIND_SYSCALLS_MAX 1024u  /* numbers from this on have no names anywhere */

struct found_syscall {
	uint32_t number;                 /* in the native ABI of the architecture, below FIND_SYSCALLS_MAX */
	char name[CALL_NAME_MAX];        /* "openat" */
};

typedef VEC(struct found_syscall) found_syscalls;

/*
 * Appends the system calls of ARCH (as uname gives it; NULL = this machine's) that P, of kind
 * PROBE_SYSCALL, means, by ascending number. Returns how many; -ENOENT with a sentence when there is
 * none, with the nearest name for a misspelt one; -EINVAL, -ENOMEM. Free with vec_free().
 */
int find_syscalls(const struct spec_point *p, const char *arch, found_syscalls *ret, struct err *e);

#endif
