/* SPDX-License-Identifier: BSD-2-Clause */
/* vmread.h - reads the memory of another process as far as it can be read. */
#ifndef SBERF_SYSTEM_VMREAD_H
#define SBERF_SYSTEM_VMREAD_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The WANT bytes at FROM of the process or thread PID to DST, up to the first page that cannot be read: how many, or a
 * negative errno when that is the very first (-EFAULT), or PID may not be read. May be called after a fork.
 */
ssize_t vmread(pid_t pid, uint64_t from, uint32_t want, uint64_t page_size, uint8_t *dst);

#endif
