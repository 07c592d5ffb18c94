/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sums.h - short waits that the kernel half has added up become waits again.
 *
 * A sum says how many there were and how long; what else belongs to it, its stack above all, was told with the first of them
 * (source_turn_sums()). That may come late, when a module had to be loaded for its stack: a sum waits for it for two turns, and then
 * goes without stack.
 *
 * Pure: whoever owns it turns and reads. One thread calls.
 */
#ifndef SBERF_ENGINE_SUMS_H
#define SBERF_ENGINE_SUMS_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "engine/account.h"
#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

struct sums;

struct sums_config {
	stack_id no_stack;       /* account_no_stack() */
	/* Waits of TASK, W.count of them. */
	void (*each)(void *ctx, const struct account_task *task, const struct event *ev, const struct account_wait *w);
	thread_id (*thread)(void *ctx, const struct account_task *task);
	void *ctx;
};

/* NULL when out of memory. */
struct sums *sums_new(const struct sums_config *c);
void sums_free(struct sums *s);                  /* NULL is fine; what waits is not told */

/* EV is the first wait of TASK of the sum ID, with its stack. What finds no room has no stack later. */
void sums_first(struct sums *s, const struct account_task *task, uint64_t id, const struct event *ev);

/* A source_sum_fn: tells what SUM says, or keeps it. CTX is the sums. */
void sums_take(void *ctx, const struct source_sum *sum);

/* After those of a turn have been taken: what waits is looked at again, and first waits of the turn before are forgotten. */
void sums_turned(struct sums *s);
/* The end: what waits goes without stack. */
void sums_finish(struct sums *s);

/* Sums that went without stack. */
uint64_t sums_orphans(const struct sums *s);

DEFINE_AUTO(sums_free, struct sums);

#endif
