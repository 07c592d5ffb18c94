/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collector_policy.h - what sberf-collector answers and what it refuses: the boundary between who has privileges and
 * who has been fed with foreign bytes.
 *
 * One row for each request says what it must contain, and what the file must be that is handed out. All is
 * decided by values, and nothing is opened here.
 */
#ifndef SBERF_COLLECTOR_COLLECTOR_POLICY_H
#define SBERF_COLLECTOR_COLLECTOR_POLICY_H

#include "collector/request.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define POLICY_FILE_MAX (4ull << 30)     /* of a file that is handed out, bytes */
#define POLICY_HEAD 4u                   /* bytes of its beginning that are looked at */
/* A start of a capture asks for thousands of files at once, and afterwards new programs alone do. */
#define POLICY_BURST 20000u              /* requests at once ... */
#define POLICY_PER_SECOND 2000u          /* ... and afterwards */

#define POLICY_READ_MAX 4096u            /* of one read of memory, bytes */
#define POLICY_STACK_MAX (8u << 20)      /* of a stack that is read, bytes */
#define POLICY_RED_ZONE 256u             /* bytes below a stack pointer that may be in use, and what rounds them up */
#define POLICY_FUTEX 64u                 /* bytes around a futex that may be read */
#define POLICY_ID_MIN 12u                /* bytes of the id of a container */

enum policy_content {
	POLICY_KERNEL_TEXT,              /* the kernel or the collector makes it: there is nothing to look at */
	POLICY_ELF,
	POLICY_TEXT,                     /* lines, or nothing yet */
	POLICY_JITDUMP,
	POLICY_JSON,
	POLICY_SOURCE,                   /* no NUL, or nothing yet */
};

struct policy_row {
	const char *name;                /* for sentences */
	bool of_process;                 /* the request has a process; else it has none */
	bool has_range, has_path;        /* and a range of addresses, a path; else it has none */
	bool has_pages;                  /* and addresses in place of both */
	enum policy_content content;     /* of the file */
	bool owned;                      /* the file is the process's user's, or root's, and no link leads to it */
	bool of_root;                    /* it is root's alone, and the same; its path is that of this machine */
	bool for_all;                    /* everybody may read it */
	uint64_t caps;                   /* capabilities that serving it takes, 1 << CAP_* */
};

/* The row of OP, NULL = there is no such request. */
const struct policy_row *policy_row(uint32_t op);

/* Capabilities that all of them take together, 1 << CAP_*: what the collector keeps. */
uint64_t policy_caps(void);

/* What a collector keeps that loads and attaches BPF programs, opens perf events and looks at the size of a target. */
uint64_t policy_caps_to_hold(void);

/* Names of the capabilities CAPS, 1 << CAP_*, of those that the rows have: "cap_syslog and ...". Returns DST. */
#define POLICY_CAPS_TEXT 192u
const char *policy_caps_text(uint64_t caps, char dst[POLICY_CAPS_TEXT]);

/*
 * Is Q well-formed: all that its row needs, and nothing else? 0; -EINVAL; -EPERM for a path that has "..", or
 * leads to /proc, /sys or /dev, for one that is not where runtimes of containers keep what they know, if it is to be,
 * and for a read of memory that is too long. *RET_ROW is set with 0 only.
 */
int policy_request(const struct collector_request *q, const struct policy_row **ret_row);

/*
 * Is PATH that of a file in which the runtime keeps what it knows of containers, and of that which the cgroup CGROUP
 * is of, if it is about one? NULL = of whichever.
 */
bool policy_of_containers(const char *path, const char *cgroup);

/* What is known of a file before it is handed out. */
struct policy_file {
	struct stat st;                  /* fstat(2) */
	uint64_t fs_type;                /* f_type of fstatfs(2) */
	unsigned char head[POLICY_HEAD];
	size_t n;                        /* bytes of HEAD that there are */
};

/*
 * May the file F, which the kernel does not make, be handed out for ROW? OWNER is the user of the process. 0;
 * -ENOTSUP: no regular file, or one of /proc or /sys; -EFBIG; -ENOEXEC: its content is something else; -EPERM: it
 * is somebody else's, or not for everybody.
 */
int policy_file(const struct policy_row *row, const struct policy_file *f, uid_t owner);

/* What the kernel says of a thread. */
struct policy_thread {
	char state;                      /* as field 3 of proc_pid_stat(5) */
	uint64_t sp;                     /* its stack pointer; 0 = unknown */
	uint64_t futex;                  /* the address that it waits at; 0 = at none */
	uint64_t start, end;             /* of the mapping that SP is in; end 0 = of none */
};

/*
 * Up to where the memory of T from A to B may be read; 0: not at all. A thread that runs, or waits for a CPU, shows
 * nothing.
 */
uint64_t policy_stack(const struct policy_thread *t, uint64_t a, uint64_t b);

/* Is PATH, as /proc/PID/cgroup has it, that of the cgroup TARGET or of one below it? */
bool policy_below(const char *path, const char *target);

/*
 * The answer about a process that is none of the target. sberf follows the processes of the whole machine, so it asks
 * often enough; such a request does not count.
 */
#define POLICY_OUTSIDE (-EACCES)

/*
 * Was ERR, of an answer, a decision of the policy about a file that could have been read? Else it was in the nature of
 * things, also -ENOEXEC.
 */
bool policy_refused(int err);

/* How many requests may still be answered. All zeroes = a full one. */
struct policy_rate {
	uint64_t used, since_ns;
};

/* Uses up one request at NOW, ns of any steady clock; false: there are too many. */
bool policy_rate(struct policy_rate *r, uint64_t now_ns);
/* The last one did not count. */
void policy_rate_back(struct policy_rate *r);

#endif
