/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask.h - asks sberf-collector for what this process may not open itself.
 *
 * It is started while sberf still has privileges, and answers until sberf ends. There is one each for files,
 * mappings, memory and stacks, so that what does not come (FUSE) keeps nothing else waiting. Any thread may ask
 * for all but stacks; they take turns. What is refused is counted.
 */
#ifndef SBERF_COLLECTOR_ASK_H
#define SBERF_COLLECTOR_ASK_H

#include "base/err.h"
#include "collector/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define COLLECTOR_PROGRAM "sberf-collector"

struct collector_start {
	enum collector_target target;
	int list;                /* of COLLECTOR_PROCESSES and COLLECTOR_THREADS: the BPF map, borrowed; else -1 */
	const char *cgroup;      /* of COLLECTOR_CGROUP: as /proc/PID/cgroup has it; else NULL */
	bool reads_memory;       /* ask_memory() works */
	uid_t uid;               /* that it runs as, which is not root */
	gid_t gid;
};

/* What the H of a collector that failed means: a negative errno with a sentence that says what to do. */
int collector_explain(const struct collector_hello *h, struct err *e);

/* Starts the collectors. 0 or a negative errno with a sentence; -EALREADY: there is one. */
int collector_start(const struct collector_start *c, struct err *e);

/* Have they been started? Also when they have ended since. */
bool collector_is_there(void);

/* Ends them, if there are any. No thread may ask meanwhile. */
void collector_stop(void);

/*
 * Each of them: an open file, the caller's, or a negative errno: what collector_policy.h says, -ESRCH: there is no such
 * process, -ENOTCONN: there is no collector, -EPIPE: it has ended.
 */
int ask_for(enum collector_op op, pid_t pid);
int ask_mapped(pid_t pid, uint64_t start, uint64_t end);
int ask_path(enum collector_op op, pid_t pid, const char *path);         /* -ENAMETOOLONG, too */
int ask_kallsyms(void);

/* The LENGTH bytes at FROM of PID, up to 4,096, to DST. 0; -EFAULT: not all are there; or as those above. */
int ask_memory(pid_t pid, uint64_t from, void *dst, size_t length);

/* On which nodes the N pages at ADDR of PID are, to STATUS, as move_pages(2) says it: 0; or as those above. */
int ask_pages(void *ctx, pid_t pid, unsigned long n, void **addr, int *status);

/* The socket to the one for stacks, which is for one thread at a time; -1 = there is none. */
int ask_stacks_socket(void);

/*
 * The WANT bytes at FROM of the thread TID, which waits, to DST, by a copy of ask_stacks_socket(). As vmread()
 * (system/vmread.h), and with the errors of the policy. May be called after a fork.
 */
ssize_t ask_stack(int socket, pid_t tid, uint64_t from, uint32_t want, uint8_t *dst);

struct ask_figures {
	uint64_t asked;          /* requests */
	uint64_t refused;        /* of them: by its policy ... */
	uint64_t outside;        /* ... and since the process is none of the target */
	bool ended;              /* it has ended before it was stopped, or does not answer */
};

void ask_figures(struct ask_figures *ret);

#endif
