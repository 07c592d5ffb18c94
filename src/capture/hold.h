/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold.h - what sberf and the collector that holds the kernel half tell each other: the plan of a capture, once,
 * what that says of probes (hold_tables.h), and the answer to that; then requests of fixed size, of which few are
 * followed by more, and answers of fixed size, each with one open file at most, through a socket that keeps messages
 * apart (SOCK_SEQPACKET).
 *
 * There is nothing else. A message of another size ends the session. What a capture gathers is never told by it: maps,
 * rings and perf events are handed over as files, and sberf maps and reads them by itself.
 */
#ifndef SBERF_CAPTURE_HOLD_H
#define SBERF_CAPTURE_HOLD_H

#include "base/err.h"
#include "capture/features.h"
#include "capture/mapsizes.h"
#include "capture/owncost.h"
#include "capture/source.h"
#include "model/allocation.h"
#include "model/event.h"
#include "model/probes.h"
#include "system/cpus.h"

#include <limits.h>

#define HOLD_IDS_MAX 4096u
#define HOLD_VERSION_MAX 32u
#define HOLD_RINGS_MAX 1024u             /* one for each node; as many as Linux knows */
#define HOLD_THREADS_MAX (1u << 22)      /* as many as Linux knows */
#define HOLD_RECORDS_MAX 64u             /* branch records of a CPU */
#define HOLD_TRACES_MAX 8192u            /* places in the kernel of all probes: more than engine/placing.h plans */
#define HOLD_HITS_MAX 100000000u         /* the largest that --every and --max-rate take */
#define HOLD_PLACES 512u                 /* places in programs of one request */
#define HOLD_VALUE_MAX 1024u             /* bytes of an entry of a map */
#define HOLD_PLACED_MAX 65536u           /* requests for places that are in place at a time */

/* A process or thread of the target, and when it began: field 22 of proc_pid_stat(5). */
struct hold_id {
	uint64_t start_ticks;
	uint32_t id;
	uint32_t reserved;               /* 0 */
};

/*
 * Of a struct capture_plan, each by the name that it has there, and told as it is: numbers, each with the least and the
 * largest that is taken, and what is 0 or 1.
 */
#define HOLD_NUMBERS(X) \
	X(uint32_t, freq_hz, 1, CAPTURE_FREQ_MAX) \
	X(uint32_t, verify_every, 0, CAPTURE_VERIFY_MAX) \
	X(uint32_t, stack_bytes, SB_STACK_MIN, SB_STACK_MAX) \
	X(uint32_t, nr_threads, 0, HOLD_THREADS_MAX) \
	X(uint32_t, kinds, 0, (1u << EVENT_KINDS) - 1) \
	X(uint32_t, call_records, 0, HOLD_RECORDS_MAX) \
	X(uint32_t, growth_interval, 0, ALLOC_INTERVAL_MAX) \
	X(uint32_t, alloc_interval, 0, ALLOC_INTERVAL_MAX) \
	X(uint32_t, nr_calls, 0, SB_CALLS_MAX) \
	X(uint32_t, nr_traces, 0, HOLD_TRACES_MAX) \
	X(uint32_t, nr_filters, 0, 2 * PROBES_MAX) \
	X(uint32_t, nr_loads, 0, SB_LOAD_SETS) \
	X(uint32_t, hits_every, 0, HOLD_HITS_MAX) \
	X(uint32_t, hits_rate, 0, HOLD_HITS_MAX) \
	X(uint64_t, ring_bytes, 0, RING_MAX) \
	X(uint64_t, ring_least, 0, RING_DEFAULT_MAX) \
	X(uint64_t, min_block_ns, 0, CAPTURE_BLOCK_MAX_NS)
#define HOLD_FLAGS(X) \
	X(kernel) X(frame_pointers) X(no_callers) X(tables_only) X(walk_rules) X(walk_or_copy) X(stack_fixed) \
	X(off_cpu) X(wakers) X(every_wait) X(to_come) X(stay) X(kernel_locks) X(prints) X(hits_bounded) X(spans) \
	X(look) X(sum_hits) X(places_to_come) X(functions_to_come) X(alloc_frees) X(allocs_told)

/* All of it that decides what is loaded. */
struct hold_plan {
	char version[HOLD_VERSION_MAX];  /* of sberf, NULs up to the end: both are of one installation */
	uint32_t target, event, numa, nr_ids;
#define X(type, field, least, most) type field;
	HOLD_NUMBERS(X)
#undef X
#define X(field) uint8_t field;
	HOLD_FLAGS(X)
#undef X
	uint8_t wishes, loaded;          /* capture_plan.call_wishes, and .loads, are there; 0 or 1 */
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
	uint8_t mapping_calls;           /* of --memory=growth: what is mapped and unmapped is told; 0 or 1 */
	struct features features;        /* run_stats: and permitted */
	struct map_sizes sizes;
	struct owncost own;
	uint8_t many, session;           /* links_can() */
	uint8_t faults;                  /* page faults can be sampled */
	uint64_t walk_bytes;             /* kernel memory of maps that walks by rules need */
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
	HOLD_LOADS,                      /* the set A of named values of places in programs; it follows */
	HOLD_PLACE,                      /* A places are probed; a struct hold_places follows, with their file */
	HOLD_DROP,                       /* those that have the number A are probed no more */
	HOLD_REMOVE,                     /* the probe A of places in the kernel is taken off */
	HOLD_WAY,                        /* how long it takes to get to the program of the probe A, in ns */
	HOLD_FAULTS,                     /* an event that samples page faults of the CPU A; B 1: major ones */
	HOLD_BALANCING,                  /* faults of automatic NUMA balancing are told from others; A 0: not */
	HOLD_HOMES,                      /* the list of tasks of the target with their home nodes: a file */
	/*
	 * Entries of maps, for a sberf that may not ask the kernel: of the map A all, these taken out, and what it has
	 * for the key B: a file (mapway.h); one that follows as a struct hold_entry is put, or deleted
	 */
	HOLD_READ, HOLD_TAKE, HOLD_GET, HOLD_PUT, HOLD_DELETE,
	HOLD_CALLS,                      /* the list of calls that have not ended: of system calls, A 1: of functions */
	HOLD_OPS
};

/* Places of one file in one process, or where the target is not a list of processes, in all that have it. */
struct hold_places {
	uint32_t kind, of;               /* enum link_kind, enum link_of */
	int32_t pid;                     /* 0 = in all */
	uint32_t n;                      /* as A of the request; what follows has zeroes behind so many */
	uint64_t offset[HOLD_PLACES], semaphore[HOLD_PLACES], cookie[HOLD_PLACES];
};

/* An entry of a map. */
struct hold_entry {
	uint32_t map;                    /* as A of HOLD_MAP */
	uint32_t reserved;               /* 0 */
	uint8_t key[32];                 /* the map knows how many of these bytes, ... */
	uint8_t value[HOLD_VALUE_MAX];   /* ... and of these */
};

struct hold_request {
	uint32_t seq;                    /* its answer has the same */
	uint32_t op;                     /* enum hold_op */
	uint64_t a, b;
};

struct hold_answer {
	uint32_t seq;
	int32_t err;                     /* 0, or a negative errno ... */
	uint64_t value;                  /* of HOLD_RAN, HOLD_WAY; of HOLD_PLACE their number, 0 = none is placed */
	uint8_t failed[HOLD_PLACES];     /* of HOLD_PLACE: of each place 0, or a positive errno */
	char text[ERR_TEXT_MAX];         /* ... and a sentence */
};

_Static_assert(sizeof(struct hold_request) == 24, "requests have no gaps");

/* One row for each request. */
struct hold_row {
	const char *name;                /* for sentences */
	uint64_t a_max, b_max;           /* the largest A and B */
	uint64_t b_min;
	bool file;                       /* a file comes with the answer */
	uint32_t more;                   /* bytes of the message that follows; 0 = there is none */
	bool gives;                      /* a file comes with that */
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

/* Is P, places that the request for them says there are N of, well-formed? 0 or -EINVAL. */
int hold_check_places(const struct hold_places *p, uint64_t n);

/*
 * The same back, but for what hold_tables.h says: RET borrows P, but for its list of ids, which is the caller's. P is
 * well-formed. -ENOMEM, and -ESRCH when one of the processes has ended, with a sentence.
 */
int hold_plan_back(const struct hold_plan *p, struct capture_plan *ret, struct err *e);

#endif
