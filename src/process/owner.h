/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner.h - knows to whom anonymous code (MODULE_ANON) belongs: what is needed to find the perf map
 * of a process, also after its end, and its memory while it lives, from any thread.
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
	/* path of the jitdump file that it mapped, as it sees it; outlives the owner. NULL = none was seen */
	const char *dump;
	int kept_fd;             /* what was opened last of what it tells, kept by owners_open_map(); -1 = nothing */
	uint64_t kept_at;
};

struct owners;

struct owners *owners_new(void);                 /* NULL when out of memory */
void owners_free(struct owners *os);             /* NULL is fine */

/* Remembers O (root referenced) for MODULE, once. */
void owners_add(struct owners *os, module_id module, const struct owner *o);

/* The owner of MODULE, if one is remembered, maps the jitdump file DUMP now. */
void owners_set_dump(struct owners *os, module_id module, const char *dump);

/*
 * As processes_open_symbols() for MODULE_ANON: what is at its path under the root of the process,
 * or, when that cannot be had any more (the mount or the directory went with the process), what was
 * there when it was last opened. Any thread.
 */
int owners_open_map(struct owners *os, module_id module, uid_t *ret_uid, struct err *e);

/*
 * Opens the memory (/proc/PID/mem) of the owner of MODULE, never that of another process with its
 * number. Any thread.
 */
int owners_open_memory(struct owners *os, module_id module, struct err *e);

/*
 * A handle of /proc/PID of the owner of MODULE, as long as it runs; -ESRCH. Never that of another process with its
 * number, nor of one of another time. Any thread.
 */
int owners_open_process(struct owners *os, module_id module);

DEFINE_AUTO(owners_free, struct owners);

#endif
