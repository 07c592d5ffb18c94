/* SPDX-License-Identifier: BSD-2-Clause */
/* sysfile.h - reads one-line files of /proc and /sys. */
#ifndef SBERF_SYSTEM_SYSFILE_H
#define SBERF_SYSTEM_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the first line of PATH, without its newline, into DST. False when it cannot be read or does not fit. */
bool sysfile_line(const char *path, char *dst, size_t dst_size);

/* The same for a file that holds one number, which may be negative. */
bool sysfile_i64(const char *path, int64_t *ret);
bool sysfile_u64(const char *path, uint64_t *ret);

#endif
