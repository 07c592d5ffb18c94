/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile.h - makes the sums right: what samples and waits stand for is fitted to what each thread really spent.
 *
 * The kernel half keeps exact totals for each thread and call (capture/source.h) and tells some of what they are made of. A
 * *key* is (thread, kind, call): running, or waits in one call. Events are held until the totals up to their time are known:
 *
 * - A *long* wait (its period or more) is told every time: it weighs its own length. What long totals say beyond that was lost.
 * - *Short* waits are told with probability length / period, so each stands for a period of such time. The short totals of the
 *   key are shared out among those told, as much as each stands for; likewise the running time of a thread among its samples.
 * - What is left of a total is *carried*: it goes to those told next, shows as provisional on the stacks told last meanwhile,
 *   and is given to these for good when the thread or the capture ends. A thread of which nothing was told takes stacks of its
 *   *kin*: threads of the same name and program, in the same call. Where there are none it is NOTE_NO_STACK.
 *
 * So for every key, what was given plus what is carried is the total, to the nanosecond; and what a stack is given is right on
 * average, also where few waits are told, or where what a thread does changes (tests/unit/test_reconcile.c simulates both).
 *
 * Pure: times and totals are given. One thread (the engine) calls.
 */
#ifndef SBERF_ENGINE_RECONCILE_H
#define SBERF_ENGINE_RECONCILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/hash.h"
#include "capture/source.h"
#include "engine/event_sink.h"
#include "model/dict.h"
#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

struct reconcile;

/* Whose time it is: threads by what the kernel calls them, since totals know no other name. */
struct reconcile_task {
	pid_t pid, tid;
	uint64_t start_ns;
};

/* A hash of T and of WHAT of it is meant. */
static inline uint64_t reconcile_task_hash(const struct reconcile_task *t, uint64_t what)
{
	return hash_2u64(t->start_ns ^ (uint64_t)(uint32_t)t->tid << 32, what);
}

/* Whether A and B are one thread: the process follows from it. */
static inline bool reconcile_task_same(const struct reconcile_task *a, const struct reconcile_task *b)
{
	return a->tid == b->tid && a->start_ns == b->start_ns;
}

/* The length of a wait that is over. */
struct reconcile_wait {
	uint64_t blocked_ns, runnable_ns;
	uint64_t told_blocked_ns, told_runnable_ns;      /* of it: what was told elsewhere while it lasted */
	uint64_t period_ns;                              /* that decided whether it is told */
	uint32_t count;                                  /* waits that these are the lengths of, together; 0 means 1 */
};

struct reconcile_config {
	struct dict *dict;                               /* of what events name; must outlive the account */
	struct event_sink *sink;                         /* gets each event when it is settled, about in the order of time */
	/* The id of a thread that only totals know; ID_NONE: its time cannot be told. */
	thread_id (*thread)(void *ctx, const struct reconcile_task *task);
	void *ctx;
};

/* Sums over everything, from the totals as they were told last; and of what was given, with what stack. */
struct reconcile_figures {
	uint64_t running_ns, blocked_ns, runnable_ns;
	uint64_t waits;                  /* that ended */
	uint64_t short_ns, short_count;  /* below --min-block: in none of the above */
	uint64_t own_ns;                 /* given to waits: on stacks of their own ... */
	uint64_t none_ns;                /* ... and on none */
	uint32_t keys;                   /* known now */
};

int reconcile_new(const struct reconcile_config *c, struct reconcile **ret, struct err *e);
void reconcile_free(struct reconcile *a);            /* NULL is fine; nothing is given any more */

/* Holds a sample of TASK; EV.weight is what it stands for by itself. False when it finds no room: EV is lost. */
bool reconcile_sample(struct reconcile *a, const struct reconcile_task *task, const struct event *ev);
/*
 * Holds a wait of TASK that is over. EV has its end, thread, stack and what else belongs to it; kind, weight, count and length
 * are set here, for one event (EVENT_BLOCKED) or both (EVENT_RUNNABLE, which then has EVENT_F_PIECE and no count). A stack that
 * is NOTE_NO_STACK counts as none. False as above.
 */
bool reconcile_wait(struct reconcile *a, const struct reconcile_task *task, const struct event *ev, const struct reconcile_wait *w);
/*
 * Holds W.count waits of TASK that were summed (engine/wait_sums.h), of the same stack and all: no total has them, so what they say is added
 * to what totals say. False when they found no room: then they will be without stack.
 */
bool reconcile_sum(struct reconcile *a, const struct reconcile_task *task, const struct event *ev, const struct reconcile_wait *w);
/* A wait in CALL whose end was not told had these parts told while it lasted: they are taken off what is missing. */
void reconcile_missed(struct reconcile *a, const struct reconcile_task *task, uint32_t call, uint64_t blocked_ns,
		    uint64_t runnable_ns);

/* A source_total_fn: takes in what T says. CTX is the account. */
void reconcile_total(void *ctx, const struct source_total *t);
/*
 * Gives what is held up to TIME_NS, for which the totals were told last and up to which every event has been held. Call it
 * regularly: grace for what comes late is counted in calls.
 */
void reconcile_settle(struct reconcile *a, uint64_t time_ns);

/* Tells TO events that stand for what is held or carried, as of TIME_NS. They may not be added to anything for good. */
void reconcile_rest(struct reconcile *a, uint64_t time_ns, struct event_sink *to);

/* The end: gives all that is held and carried, as of TIME_NS. */
void reconcile_finish(struct reconcile *a, uint64_t time_ns);

void reconcile_figures_of(const struct reconcile *a, struct reconcile_figures *ret);

/* The stack that stands for none. */
stack_id reconcile_no_stack(const struct reconcile *a);

#define RECONCILE_GRACE 4u         /* calls of reconcile_settle() after which what totals do not know stands for itself */
#define RECONCILE_WINDOW 16u       /* ... after which what is missing of long waits is given up */

DEFINE_AUTO(reconcile_free, struct reconcile);

#endif
