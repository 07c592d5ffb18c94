/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_sums.h - short waits that the kernel half has added up become waits again.
 *
 * A sum says how many there were and how long; what else belongs to it, its stack above all, was told with the first of them
 * (source_turn_sums()). That may come late, when a module had to be loaded for its stack: a sum waits for it for two turns, and then
 * goes without stack.
 *
 * Pure: whoever owns it turns and reads. One thread calls.
 */
#ifndef SBERF_ENGINE_WAIT_SUMS_H
#define SBERF_ENGINE_WAIT_SUMS_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "engine/reconcile.h"
#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

struct wait_sums;

struct wait_sums_config {
	stack_id no_stack;       /* reconcile_no_stack() */
	/* Waits of TASK, W.count of them. */
	void (*each)(void *ctx, const struct reconcile_task *task, const struct event *ev, const struct reconcile_wait *w);
	thread_id (*thread)(void *ctx, const struct reconcile_task *task);
	void *ctx;
};

/* NULL when out of memory. */
struct wait_sums *wait_sums_new(const struct wait_sums_config *c);
void wait_sums_free(struct wait_sums *s);                  /* NULL is fine; what waits is not told */

/* EV is the first wait of TASK of the sum ID, with its stack. What finds no room has no stack later. */
void wait_sums_first(struct wait_sums *s, const struct reconcile_task *task, uint64_t id, const struct event *ev);

/* A source_sum_fn: tells what SUM says, or keeps it. CTX is the sums. */
void wait_sums_take(void *ctx, const struct source_sum *sum);

/* After those of a turn have been taken: what waits is looked at again, and first waits of the turn before are forgotten. */
void wait_sums_turned(struct wait_sums *s);
/* The end: what waits goes without stack. */
void wait_sums_finish(struct wait_sums *s);

/* Sums that went without stack. */
uint64_t wait_sums_orphans(const struct wait_sums *s);

DEFINE_AUTO(wait_sums_free, struct wait_sums);

#endif
