/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * big.h - a profile as large as views must bear, the same every time: many different stacks of
 * BIG_DEPTH frames, of many threads.
 *
 * Stacks share their upper parts, as those of a program do. Every second place has a name, and
 * every eighth of those an inlined call. Half of the events fall on few stacks; each stack has
 * events.
 */
#ifndef SBERF_TESTS_UNIT_BIG_H
#define SBERF_TESTS_UNIT_BIG_H

#include "model/dict.h"
#include "model/event.h"
#include "model/names.h"

#include <stdbool.h>
#include <stdint.h>

#define BIG_STACKS 100000u               /* the size that is promised */
#define BIG_THREADS 2000u
#define BIG_DEPTH 25u

struct big {
	stack_id *stack;
	thread_id *thread;
	uint32_t stacks, threads;
};

/* Puts the stacks, their names and the threads into D and NAMES. False when out of memory. */
bool big_init(struct big *b, struct dict *d, struct names *names, uint32_t stacks, uint32_t threads);
void big_free(struct big *b);

/* The stack of event N of a kind: all come up in turn, few of them very often. */
uint32_t big_pick(const struct big *b, uint64_t n);

/* A sample on stack I at TIME_NS; a wait there, in its two parts. */
void big_sample(const struct big *b, uint32_t i, uint64_t n, uint64_t time_ns, struct event *ret);
void big_wait(const struct big *b, uint32_t i, uint64_t n, uint64_t time_ns, struct event *ret_blocked,
	      struct event *ret_runnable);

/* How many events there are, and event N of them, from START_NS on, over SECONDS, on two nodes. */
uint64_t big_events(const struct big *b);
void big_event(const struct big *b, uint64_t n, uint64_t start_ns, uint32_t seconds, struct event *ret);

#endif
