/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold.h - what sberf and the collector that holds the kernel half tell each other: the plan of a capture, once,
 * and the answer to that; then requests of fixed size, and answers of fixed size with one open file at most, through
 * a socket that keeps messages apart (SOCK_SEQPACKET).
 *
 * There is nothing else. A message of another size ends the session. What a capture gathers is never told by it: maps,
 * rings and perf events are handed over as files, and sberf maps and reads them by itself.
 */
#ifndef SBERF_CAPTURE_HOLD_H
#define SBERF_CAPTURE_HOLD_H

#include "base/err.h"
#include "capture/features.h"
#include "capture/mapsizes.h"
#include "capture/source.h"

#include <limits.h>

#define HOLD_IDS_MAX 4096u
#define HOLD_VERSION_MAX 32u
#define HOLD_RINGS_MAX 1024u             /* one for each node; as many as Linux knows */
#define HOLD_RATE_MAX 100000u            /* samples a second of one CPU */

/* A process or thread of the target, and when it began: field 22 of proc_pid_stat(5). */
struct hold_id {
	uint64_t start_ticks;
	uint32_t id;
	uint32_t reserved;               /* 0 */
};

/* Of a struct capture_plan, each by the name that it has there, and told as it is: numbers, and what is 0 or 1. */
#define HOLD_NUMBERS(X) \
	X(uint32_t, freq_hz) X(uint32_t, verify_every) X(uint32_t, stack_bytes) X(uint32_t, nr_threads) \
	X(uint32_t, kinds) X(uint32_t, call_records) \
	X(uint64_t, ring_bytes) X(uint64_t, ring_least) X(uint64_t, min_block_ns)
#define HOLD_FLAGS(X) \
	X(kernel) X(frame_pointers) X(no_callers) X(tables_only) X(walk_rules) X(walk_or_copy) X(stack_fixed) \
	X(off_cpu) X(wakers) X(every_wait) X(to_come) X(stay) X(kernel_locks)

/* All of it that decides what is loaded. */
struct hold_plan {
	char version[HOLD_VERSION_MAX];  /* of sberf, NULs up to the end: both are of one installation */
	uint32_t target, event, numa, nr_ids;
#define X(type, field) type field;
	HOLD_NUMBERS(X)
#undef X
#define X(field) uint8_t field;
	HOLD_FLAGS(X)
#undef X
	char name[20];                   /* "" = none; NULs up to the end */
	char cgroup[PATH_MAX];           /* the same */
	struct hold_id ids[HOLD_IDS_MAX];
};

/* What the kernel half is made of; or why it is not there. */
struct hold_reply {
	int32_t err;                     /* 0 or a negative errno ... */
	char text[ERR_TEXT_MAX];         /* ... and a sentence */
	uint32_t nr_rings, first_copy, event;    /* never EVENT_AUTO */
	uint8_t walks;
	struct features features;        /* run_stats: and permitted */
	struct map_sizes sizes;
	uint64_t ring_bytes[HOLD_RINGS_MAX];
};

/* What can be asked for, and what A and B of the request are; both are 0 where nothing is said. */
enum hold_op {
	HOLD_MAP = 1,                    /* the map A of the object, in the order of its skeleton: a file */
	HOLD_RING,                       /* the ring A: a file */
	HOLD_TARGETS,                    /* the map of processes or threads that are the target: a file */
	HOLD_SIDE,                       /* an event that follows processes on the CPU A, switched off: a file */
	HOLD_SAMPLER,                    /* an event that samples the CPU A B times a second, switched off: a file */
	HOLD_AIM,                        /* the plan's target becomes it, and only the kernel half changes it then */
	HOLD_START,                      /* programs are attached */
	HOLD_STOP,                       /* programs are detached */
	HOLD_TASKS,                      /* the list of tasks that wait: a file */
	HOLD_RAN,                        /* CPU time of the programs, in ns */
	HOLD_OPS
};

struct hold_request {
	uint32_t seq;                    /* its answer has the same */
	uint32_t op;                     /* enum hold_op */
	uint64_t a, b;
};

struct hold_answer {
	uint32_t seq;
	int32_t err;                     /* 0, or a negative errno ... */
	uint64_t value;                  /* of HOLD_RAN; else 0 */
	char text[ERR_TEXT_MAX];         /* ... and a sentence */
};

_Static_assert(sizeof(struct hold_request) == 24, "requests have no gaps");

/* One row for each request. */
struct hold_row {
	const char *name;                /* for sentences */
	uint64_t a_max, b_max;           /* the largest A and B */
	uint64_t b_min;
	bool file;                       /* a file comes with the answer */
};

/* The row of OP, NULL = there is no such request. */
const struct hold_row *hold_row(uint32_t op);

/* Is Q well-formed? 0 or -EINVAL. */
int hold_check_request(const struct hold_request *q);

/*
 * Says PLAN, of which nothing is left out that the collector has to know, for a target whose processes or threads are
 * there: RET. -ENOTSUP: it has something that a collector does not do; -E2BIG; -ESRCH; with a sentence.
 */
int hold_plan_of(const struct capture_plan *plan, struct hold_plan *ret, struct err *e);

/* Is P well-formed? 0 or -EINVAL with a sentence. Pure. */
int hold_plan_check(const struct hold_plan *p, struct err *e);

/*
 * The same back: RET borrows P, but for its list of ids, which is the caller's. P is well-formed. -ENOMEM, and -ESRCH
 * when one of the processes has ended, with a sentence.
 */
int hold_plan_back(const struct hold_plan *p, struct capture_plan *ret, struct err *e);

#endif
