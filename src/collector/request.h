/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * request.h - what sberf and sberf-collector tell each other: a request of fixed size, and its answer of
 * fixed size with one open file at most, through a socket that keeps messages apart (SOCK_SEQPACKET).
 *
 * There is nothing else. A message of another size ends the session.
 */
#ifndef SBERF_COLLECTOR_REQUEST_H
#define SBERF_COLLECTOR_REQUEST_H

#include <stdint.h>

/* Descriptors of the collector. */
#define COLLECTOR_SOCKET 3
#define COLLECTOR_LIST 4                 /* of COLLECTOR_PROCESSES and COLLECTOR_THREADS */

#define COLLECTOR_PAGES_MAX 32u          /* addresses in one request */
#define COLLECTOR_PATH_MAX 256u          /* with a NUL; longer paths are not asked for */

/* What can be asked for. Each is an open file, for reading. collector_policy.c says of each what it may be. */
enum collector_op {
	COLLECTOR_MAPS = 1,              /* the list of mappings of a process */
	COLLECTOR_MAPPED,                /* the file that it maps from a to b */
	COLLECTOR_EXE,                   /* the program that it executes */
	COLLECTOR_FILE,                  /* a program or library at a path below its root */
	COLLECTOR_PERF_MAP,              /* names of its code that was made at run time, /tmp/perf-PID.map */
	COLLECTOR_JITDUMP,               /* the same as a jitdump file, which is at a path below its root */
	COLLECTOR_KALLSYMS,              /* names of the kernel, with addresses; of no process */
	COLLECTOR_MEMORY,                /* memory from a to b of a process: for plug-ins of language runtimes */
	COLLECTOR_STACK,                 /* memory from a to b of a thread that waits: of its stack or its futex */
	COLLECTOR_CONTAINER,             /* what the runtime of the container that a process is in keeps of it */
	COLLECTOR_MAPPING_SIZES,         /* the same as COLLECTOR_MAPS, with what is resident of each: smaps */
	COLLECTOR_SOURCE,                /* text at a path below its root, that everybody may read */
	COLLECTOR_POLICIES,              /* the list of its mappings with memory policies and nodes: numa_maps */
	COLLECTOR_PAGES,                 /* of a addresses the nodes that their pages are on: an int of each */
	COLLECTOR_OPS
};

struct collector_request {
	uint32_t seq;                    /* its answer has the same */
	uint32_t op;                     /* enum collector_op */
	int32_t pid;                     /* of the process or thread, in the pid namespace of sberf; 0 = none */
	uint32_t reserved;               /* 0 */
	uint64_t start_ticks;            /* when that began: field 22 of proc_pid_stat(5) */
	uint64_t a, b;                   /* addresses; 0 = none */
	union {
		char path[COLLECTOR_PATH_MAX];           /* absolute, and NULs up to the end; "" = none */
		uint64_t page[COLLECTOR_PAGES_MAX];      /* of COLLECTOR_PAGES: addresses, and zeroes up to the end */
	};
};

struct collector_answer {
	uint32_t seq;
	int32_t err;                     /* 0, and a file comes with the answer; or a negative errno */
	uint64_t dev, ino, size;         /* of the file, as fstat(2) has them */
	uint64_t took_ns;                /* CPU time of the process that has served this, and others; 0 = none has */
};

/* What the collector says before the first request. */
struct collector_hello {
	int32_t err;                     /* 0, and it has only those rights that it keeps; or a negative errno */
	uint32_t reserved;               /* 0 */
	uint64_t lacks;                  /* capabilities that it should have and has not, 1 << CAP_*: -EPERM */
};

/* Its first argument where it holds the kernel half of the capture (capture/hold.h), and answers about that. */
#define COLLECTOR_HOLDS "holds"

_Static_assert(sizeof(struct collector_request) == 296, "requests have no gaps");
_Static_assert(sizeof(struct collector_answer) == 40, "answers have no gaps");

/* Which processes requests may be about. */
enum collector_target {
	COLLECTOR_ALL,                   /* all but sberf's own */
	COLLECTOR_PROCESSES,             /* those whose ids are in the BPF map COLLECTOR_LIST */
	COLLECTOR_THREADS,               /* those that have threads whose ids are in it */
	COLLECTOR_CGROUP,                /* those in a cgroup, or below it */
	COLLECTOR_TARGETS
};

#endif
