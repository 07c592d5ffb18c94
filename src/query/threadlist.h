/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threadlist.h - the threads of a snapshot: their times, where they ran last, and what they were
 * doing at the end.
 *
 * Reads the same facts as query.h. Pure: the same snapshot, names and query give the same list. A
 * renamed thread is one row, under its last name.
 */
#ifndef SBERF_QUERY_THREADLIST_H
#define SBERF_QUERY_THREADLIST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

enum thread_does {
	THREAD_QUIET,            /* nothing was seen of it recently */
	THREAD_RUNS,             /* it had samples in the last seconds */
	THREAD_QUEUED,           /* it was woken and waits for a CPU */
	THREAD_WAITS,            /* it has not been woken yet */
	THREAD_IDLES,            /* the same, and idle (query.h) */
};

struct thread_row {
	thread_id thread;
	uint64_t value[MEASURES_ASKED];  /* of each measure asked for, in its place */
	uint64_t total_ns;       /* of those that add up to it, as in tree_node */
	uint64_t idle_ns;        /* with query.fold_idle: blocked time that idled, not in value */
	uint64_t doubt_ns;       /* of value off the CPU: stands for waits without a stack of their own */
	uint64_t count;          /* samples and waits */
	uint16_t node;           /* of the CPU that it ran on last; NODE_UNKNOWN = it never did */
	uint8_t does;            /* enum thread_does */
	uint8_t state;           /* WAITS, IDLES: enum wait_state */
	uint32_t call;           /* QUEUED, WAITS, IDLES: in which call (CALL_*) */
	uint64_t waited_ns;      /* the same: for how long, up to the end of the snapshot */
};

struct threadlist {
	const struct dict *dict;
	struct query query;
	struct measure_set set;          /* what was asked for */
	struct thread_row *row;          /* by falling thread_row_ns(), then by pid and tid */
	uint32_t n;
	bool several;                    /* they are of several processes */
};

/*
 * Builds the list of what Q asks for: range, kinds, states, calls, thread, nodes, fold_idle, focus
 * and ignore. On success *RET is the caller's; -ENOMEM with a sentence is the only failure.
 */
int threadlist_build(const struct snapshot *s, const struct names *names, const struct query *q,
		     struct threadlist **ret, struct err *e);
void threadlist_free(struct threadlist *l);      /* NULL is fine */

/* All of R that is not idle. */
uint64_t thread_row_ns(const struct thread_row *r);
/* "worker 1240", sanitised. Returns DST. */
char *thread_row_label(const struct threadlist *l, uint32_t i, char *dst, size_t size);
/* "redis-server 1234", sanitised: the process of row I. Returns DST. */
char *thread_row_process(const struct threadlist *l, uint32_t i, char *dst, size_t size);

DEFINE_AUTO(threadlist_free, struct threadlist);

#endif
