/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait_sums.h - turns the kernel half's sums of short waits into waits again.
 *
 * A sum says how many waits there were and how long they took. Everything else, the stack above
 * all, came with the first of them (source_turn_sums()). The first may come late, when a module of
 * its stack had to be loaded. A sum waits for it for two turns, and then goes without stack.
 *
 * The waits go to the account, reconcile_sum(). Pure: the owner turns and reads. For one thread.
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

/* ACCOUNT gets the waits, and must outlive the result, which is the caller's; NULL when out of memory. */
struct wait_sums *wait_sums_new(struct reconcile *account);
/* The same for sums of hits: HITS gets them. */
struct hit_sums;
struct wait_sums *wait_sums_of_hits(struct hit_sums *hits);
void wait_sums_free(struct wait_sums *s);                  /* NULL is fine; pending sums are dropped */

/*
 * Takes EV, the first wait of TASK of the sum ID, with its stack. If there is no room, the sum will
 * have no stack.
 */
void wait_sums_first(struct wait_sums *s, const struct reconcile_task *task, uint64_t id, const struct event *ev);

/* Emits SUM, or keeps it until its first wait comes. A source_sum_fn. */
void wait_sums_take(void *wait_sums, const struct source_sum *sum);

/*
 * Call after all sums of a turn: retries the pending ones, and forgets first waits of the turn
 * before.
 */
void wait_sums_turned(struct wait_sums *s);
/* Ends: pending sums are emitted without stack. */
void wait_sums_finish(struct wait_sums *s);

/* Number of sums emitted without stack. */
uint64_t wait_sums_orphans(const struct wait_sums *s);

DEFINE_AUTO(wait_sums_free, struct wait_sums);

#endif
