/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner.h - who owns a MODULE_ANON: what is needed to find the perf map of a process, also after its end, and
 * its memory while it lives, from any thread.
 */
#ifndef SBERF_PROCESS_OWNER_H
#define SBERF_PROCESS_OWNER_H

#include "base/err.h"
#include "model/dict.h"
#include "process/root.h"
#include "system/procfs.h"

#include <stdbool.h>
#include <stdint.h>

struct owner {
	pid_t pid;
	uint64_t start_ticks;    /* 0 = unknown */
	struct proc_status status;   /* ns_pid 0 = unknown */
	struct root *root;       /* a reference is owned; NULL = unknown */
};

struct owners;

struct owners *owners_new(void);                 /* NULL when out of memory */
void owners_free(struct owners *os);             /* NULL is fine */

/* Remembers O (root referenced) for MODULE, once. */
void owners_add(struct owners *os, module_id module, const struct owner *o);

/* As processes_open_symbols() for MODULE_ANON. Any thread. */
int owners_open_map(struct owners *os, module_id module, uid_t *ret_uid, struct err *e);

/* Opens the memory (/proc/PID/mem) of the owner of MODULE, never that of another process with its number. Any thread. */
int owners_open_memory(struct owners *os, module_id module, struct err *e);

/* The number of the process in its own pid namespace; 0 = unknown. Any thread. */
pid_t owners_ns_pid(struct owners *os, module_id module);

DEFINE_AUTO(owners_free, struct owners);

#endif
