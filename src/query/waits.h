/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits.h - what threads wait for: class, call, stack, waker, with totals and lengths.
 *
 * Reads the same facts as query.h. Pure: the same snapshot, names and query give the same list. It
 * has at most the 10,000 heaviest rows of stacks, besides one "(other)" for each call, and 10,000
 * rows of wakers.
 */
#ifndef SBERF_QUERY_WAITS_H
#define SBERF_QUERY_WAITS_H

#include "base/err.h"
#include "model/names.h"
#include "model/wait.h"
#include "profile/profile.h"
#include "query/query.h"

enum wait_level {
	WAIT_LEVEL_ALL,          /* row 0 */
	WAIT_LEVEL_NODE,         /* of the CPU; with query.by_node only: else classes are right below row 0 */
	WAIT_LEVEL_CLASS,
	WAIT_LEVEL_CALL,
	/* one stack, by the names of its functions; stacks with the same reading are one */
	WAIT_LEVEL_STACK,
	WAIT_LEVEL_WAKER,        /* who woke threads that waited there, and in which stack, when that was asked for */
};

struct wait_row {
	uint64_t key;            /* identity that survives refreshes */
	uint8_t level;           /* enum wait_level; rows come depth first, siblings by falling total */
	uint32_t parent;         /* row; NODE_NONE for row 0 */
	uint32_t nr_children;
	uint16_t node;           /* from WAIT_LEVEL_NODE on, with query.by_node; NODE_UNKNOWN = what can be no node */
	enum wait_class class;   /* from WAIT_LEVEL_CLASS on */
	uint32_t call;           /* from WAIT_LEVEL_CALL on */
	str_id group;            /* there too: the container or cgroup whose limit it waits for; 0 = it does not */
	/* STACK: the heaviest of those that read the same; WAKER: the waker's, STACK_ROOT = none */
	stack_id stack;
	/* STACK: the thread that waited longest there in all; WAKER: the waker; ID_NONE = none */
	thread_id thread;
	uint8_t context;         /* WAIT_LEVEL_WAKER: enum waker_context */
	uint16_t states;         /* that waits of it were in: 1 << enum wait_state, or-ed */
	uint64_t total_ns;       /* blocked and runnable, as the query asks */
	uint64_t blocked_ns, runnable_ns;
	uint64_t doubt_ns;       /* of total_ns: extrapolated */
	uint64_t open_ns;        /* of total_ns: in waits that have not ended */
	uint32_t threads;        /* how many waited there */
	uint64_t count;          /* waits; those that have not ended count, and the two parts of a wait count once */
	double longest_ns;       /* part of a wait */
	/* waits by length: that of the blocked part, if they have one and it is asked for */
	uint64_t hist[WAIT_BUCKETS];
};

/* A thread that has not been woken yet. */
struct wait_open {
	thread_id thread;
	stack_id stack;
	uint32_t call;
	uint8_t state;
	uint8_t flags;           /* EVENT_F_* */
	double waited_ns;        /* so far; since the capture began with EVENT_F_EARLIER */
	bool idling;             /* query.h */
};

/* Where the shown functions of a stack begin. */
struct wait_first {
	stack_id stack;          /* the frame; STACK_ROOT = "[no stack]" */
	/*
	 * the first of its names shown. Callers are shown with all their names, or, with
	 * query.no_inlines, the last
	 */
	uint32_t name;
};

struct waits {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct wait_row *row;
	uint32_t n;
	uint32_t other_stacks;           /* stacks without a row of their own: they are in the rows "(other)" */
	struct wait_open *open;          /* longest first, idle ones last */
	uint32_t nr_open;
	uint64_t idle_ns;                /* idle waits in what was asked for, left out or not */
	struct wait_first *first;        /* of each row: wait_stack_first() */
	/* for labels: what is known of the functions below funcs (query/stack_signature.h) */
	uint8_t *entry;
	uint32_t funcs;
};

/*
 * Builds the list of what Q asks for: range, kinds (off-CPU ones; 0 = both), states, calls, thread,
 * nodes, by_node, no_inlines. fold_idle leaves idle waits out, also among open waits. On success
 * *RET is the caller's; -ENOMEM is the only failure.
 */
int waits_build(const struct snapshot *s, const struct names *names, const struct query *q,
		struct waits **ret, struct err *e);
void waits_free(struct waits *w);                /* NULL is fine */

/*
 * What row I is called, sanitised: "node 0", "lock", "futex", "bio_aof_fsync ›
 * bioProcessBackgroundJobs › start_thread" (innermost of the program first, what belongs to libc's
 * entry into the kernel left out), "worker 1235 (redis-server 1234)", "interrupt or timer".
 */
char *wait_row_label(const struct waits *w, uint32_t i, char *dst, size_t size);
/* The functions of STACK as in wait_row_label(). */
char *wait_stack_label(const struct waits *w, stack_id stack, char *dst, size_t size);
/* Where the functions that wait_stack_label() shows begin. */
struct wait_first wait_stack_first(const struct waits *w, stack_id stack);

DEFINE_AUTO(waits_free, struct waits);

#endif
