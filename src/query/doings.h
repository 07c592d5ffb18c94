/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doings.h - what each thread did when: its waits, each from moment to moment, and the samples of its running
 * time between them. Made of the single events of a recording; facts say no more than in which second things were.
 *
 * In time that no wait covers a thread ran, or it waited so briefly that this was added up instead of being told
 * (docs/limits.md). How much of either there was in all is known, as running time is exact, but not when: what a
 * thread ran may be told seconds later, with its next sample. Private to queries.
 */
#ifndef SBERF_QUERY_DOINGS_H
#define SBERF_QUERY_DOINGS_H

#include "base/cleanup.h"
#include "base/keyed.h"
#include "base/vec.h"
#include "model/event.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOING_NONE SIZE_MAX

/* One part of a wait. Threads are those of doings.same. */
struct doing {
	uint64_t from_ns, to_ns;         /* CLOCK_MONOTONIC */
	thread_id thread;
	stack_id stack;
	thread_id waker;                 /* ID_NONE = not known */
	lock_id lock;
	uint32_t call;
	uint8_t kind;                    /* EVENT_BLOCKED, EVENT_RUNNABLE */
	uint8_t state, context;          /* enum wait_state, waker_context */
	bool open;                       /* it had not ended when the recording did */
};

struct doing_sample {
	uint64_t time_ns, weight;
	thread_id thread;
	stack_id stack;
};

/* Shares of the time that no wait covers. What they leave of 1 is not known. */
struct doing_shares {
	double ran, brief;
};

/* What a thread did in all. */
struct doing_sum {
	uint64_t thread;
	uint64_t ran_ns;                 /* by its samples, whose weights are exact in sum */
	uint64_t brief_ns;               /* waits of which only the sum is known */
	uint64_t waited_ns;              /* waits that are told */
	uint64_t from_ns, to_ns;         /* when it first and last did something */
	struct doing_shares share;
};

struct doings {
	const struct dict *d;
	thread_id *same;                 /* threads_same() */
	uint32_t threads;
	VEC(struct doing) wait;          /* by thread and time after doings_finish(); none overlap */
	VEC(struct doing_sample) sample; /* the same */
	KEYED(struct doing_sum) sums;
	uint64_t from_ns, to_ns;         /* of all events */
};

/* NULL when out of memory. S, of which the threads are, must outlive it. */
struct doings *doings_new(const struct snapshot *s);
void doings_free(struct doings *o);      /* NULL is fine */

/* Takes EV, of any kind, in any order; false when out of memory. */
bool doings_add(struct doings *o, const struct event *ev);
/* Call once all have been taken, before anything is asked; false when out of memory. */
bool doings_finish(struct doings *o);

/* The last wait of THREAD that began before NS; DOING_NONE. The one before that is one less, if it is of THREAD. */
size_t doings_last(const struct doings *o, thread_id thread, uint64_t ns);
/* The samples of THREAD from FROM_NS to before TO_NS: the first one; *RET_N how many. */
const struct doing_sample *doings_samples(const struct doings *o, thread_id thread, uint64_t from_ns, uint64_t to_ns,
					  size_t *ret_n);
/* What THREAD did in all; NULL when nothing is known of it. */
const struct doing_sum *doings_sum(const struct doings *o, thread_id thread);

DEFINE_AUTO(doings_free, struct doings);

#endif
