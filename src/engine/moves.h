/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moves.h - counts migrations between NUMA nodes exactly, and attributes them to the stacks that
 * were left behind, where known.
 *
 * The kernel half counts every return of a thread to a node other than the one it left, and reports
 * some with their stacks. When the totals count more than was reported, the difference is emitted
 * without stack (NOTE_NO_STACK) after MOVES_LATE_NS: a stack may have to wait for the files that it
 * passes (parked.h). So each thread's sum is exact.
 *
 * For one thread, the engine.
 */
#ifndef SBERF_ENGINE_MOVES_H
#define SBERF_ENGINE_MOVES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "engine/event_sink.h"
#include "engine/parked.h"
#include "engine/reconcile.h"
#include "model/event.h"

#define MOVES_LATE_NS (PARKED_TIME_NS + 1000000000u)

struct moves;

struct moves_config {
	struct dict *dict;               /* must outlive the result */
	struct event_sink *sink;         /* gets each migration */
	/* names threads that only totals know, and outlives the result; NULL: theirs are not emitted */
	struct processes *ps;
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int moves_new(const struct moves_config *c, struct moves **ret, struct err *e);
void moves_free(struct moves *m);        /* NULL is fine */

/* Takes EV, an EVENT_MIGRATION of TASK with its stack. */
void moves_told(struct moves *m, const struct reconcile_task *task, const struct event *ev);

/* Takes the totals of one thread; call it for every thread of each reading. */
void moves_total(struct moves *m, const struct source_total *t);
/*
 * Ends a reading of totals at TIME_NS. LAST: no more stacks will come, so all missing migrations
 * are emitted.
 */
void moves_settle(struct moves *m, uint64_t time_ns, bool last);

/* The exact figures of one thread (0 if it never moved), and of all together. */
void moves_of(const struct moves *m, pid_t tid, uint64_t start_ns, uint64_t *ret_moves, uint64_t *ret_kernel_moves);
void moves_sum(const struct moves *m, uint64_t *ret_moves, uint64_t *ret_kernel_moves);

DEFINE_AUTO(moves_free, struct moves);

#endif
