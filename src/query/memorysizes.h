/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorysizes.h - how large the memory of the processes was, over time and at last, from the readings that
 * a capture with --memory makes (EVENT_SIZE of model/event.h).
 *
 * A process has sizes from its first reading to its last one, and in between those of the one before. What
 * is asked for together is their sum. A slice of time that has several readings of a process has their
 * average; what was resident at most is by its largest one.
 *
 * Pure: the same snapshot, names and query give the same.
 */
#ifndef SBERF_QUERY_MEMORYSIZES_H
#define SBERF_QUERY_MEMORYSIZES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/memory.h"
#include "model/names.h"
#include "profile/profile.h"
#include "query/query.h"

#include <stdint.h>

/* What all processes had in a slice of time. */
struct sizes_moment {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	struct memory_sizes sizes;
	uint64_t most;           /* bytes that were resident at most, by the largest reading of each */
};

struct sizes_process {
	thread_id thread;        /* its first thread, by which it has a name */
	uint32_t first, last;    /* moments of its first reading and its last one */
	struct memory_sizes begin, end;          /* by these two, each size by its own first and last reading */
	struct memory_sizes largest;             /* while it is built: the largest readings of one slice */
	uint64_t most;           /* bytes that were resident at most, at a reading */
};

struct memory_history {
	VEC(struct sizes_moment) moment;         /* by time; empty when there were no readings */
	VEC(struct sizes_process) process;       /* those with most resident at last first */
};

/* What Q asks for: its time, its threads and processes. *RET is the caller's. 0, or -ENOMEM with a sentence. */
int memory_history_build(const struct snapshot *s, const struct names *names, const struct query *q,
			 struct memory_history **ret, struct err *e);
void memory_history_free(struct memory_history *h);      /* NULL is fine */

DEFINE_AUTO(memory_history_free, struct memory_history);

#endif
