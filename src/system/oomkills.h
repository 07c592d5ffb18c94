/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oomkills.h - how many processes of this process's cgroup the kernel has killed for lack of memory, so that such an
 * end is told from one that somebody wanted.
 */
#ifndef SBERF_SYSTEM_OOMKILLS_H
#define SBERF_SYSTEM_OOMKILLS_H

#include <stdint.h>

/* So many since the cgroup was made, version 2 or 1; 0 where the kernel does not say. */
uint64_t oomkills_count(void);

/* The number behind "oom_kill" in TEXT, lines of a key and a number; 0 = there is none. Pure. */
uint64_t oomkills_parse(const char *text);

#endif
