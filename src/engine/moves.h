/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moves.h - migrations between nodes: counted exactly, told with the stack that was left behind wherever there is one.
 *
 * The kernel half counts every return of a thread to another node than it left, and tells some of them with their stacks. What the
 * totals say beyond those told is told without stack (NOTE_NO_STACK), when it is still missing after MOVES_LATE_NS: a stack may have
 * to wait for the files that it goes through (parked.h). So the sum of what is told is the exact number, thread by thread.
 *
 * One thread (the engine) calls.
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
	/* The id of a thread that only totals know; ID_NONE: its migrations cannot be told. */
	thread_id (*thread)(void *ctx, const struct reconcile_task *task);
	void *ctx;
};

int moves_new(const struct moves_config *c, struct moves **ret, struct err *e);
void moves_free(struct moves *m);        /* NULL is fine */

/* EV, an EVENT_MIGRATION of TASK with its stack. */
void moves_told(struct moves *m, const struct reconcile_task *task, const struct event *ev);

/* What the totals say of a thread: of every one, for each reading of them. */
void moves_total(struct moves *m, const struct source_total *t);
/* One reading is over, of TIME_NS. LAST: nothing comes any more, so what is missing now is missing. */
void moves_settle(struct moves *m, uint64_t time_ns, bool last);

/* The exact figures of a thread (0 when it never moved), and of all. */
void moves_of(const struct moves *m, pid_t tid, uint64_t start_ns, uint64_t *ret_moves, uint64_t *ret_kernel_moves);
void moves_sum(const struct moves *m, uint64_t *ret_moves, uint64_t *ret_kernel_moves);

DEFINE_AUTO(moves_free, struct moves);

#endif
