/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup.h - answers questions about running processes that need no state: does it exist, what is
 * its name, which processes have this name, which descend from it.
 */
#ifndef SBERF_SYSTEM_LOOKUP_H
#define SBERF_SYSTEM_LOOKUP_H

#include "base/err.h"
#include "base/parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* PID is a process (a thread group leader) of which not all threads have ended. Zombies have ended. */
bool lookup_process_exists(pid_t pid);
/* TID is a thread, main threads included, that has not ended. */
bool lookup_thread_exists(pid_t tid);
/* The process of the thread TID; 0 = there is none. */
pid_t lookup_process_of(pid_t tid);
/*
 * ID has ended, and *RET_PARENT (0 = nobody) has not asked how yet; or it is the first thread of a
 * process whose others go on.
 */
bool lookup_zombie(pid_t id, pid_t *ret_parent);

/* The comm of thread or process ID, sanitised, "" when it cannot be read. Returns DST. */
char *lookup_comm(pid_t id, char *dst, size_t dst_size);

/*
 * Appends the processes called NAME, by pid: those whose comm or whose executable's base name equals
 * NAME, sberf itself excepted. NULL: all but sberf. None found is not an error.
 */
int lookup_by_name(const char *name, u32_vec *ret, struct err *e);

/*
 * Appends the processes, by pid, that descend from those in PIDS and are not in there themselves;
 * not those that have ended. 0 or a negative errno with a sentence.
 */
int lookup_descendants(const u32_vec *pids, u32_vec *ret, struct err *e);

#endif
