/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile.h - fits the weights of samples and waits to the time that each thread really spent.
 *
 * The kernel half keeps exact totals for each thread and call (capture/source.h), and reports some
 * of the samples and waits behind them. A *key* is (thread, kind, call): running, or waits in one
 * call. Events are held until the totals up to their time are known:
 *
 * - A *long* wait (a period or more) is always reported: it weighs its own length. What long totals
 *   count beyond the reported waits was lost.
 * - *Short* waits are reported with probability length / period, so each stands for one period. The
 *   short totals of the key are shared among the reported ones, in proportion; likewise the running
 *   time of a thread among its samples.
 * - The rest of a total is *carried*: it goes to the next events of the key. Meanwhile it shows as
 *   provisional on the last stacks, and it goes to these for good when the thread or the capture
 *   ends. A thread with no reported events takes stacks of its *kin*: threads of the same name and
 *   program, in the same call, and as young as it if there are any. Without kin the stack is
 *   NOTE_NO_STACK, as that of a new thread that waits to run for the first time (CALL_NEW) always is.
 *
 * So for every key, emitted plus carried time is the total, to the nanosecond. Each stack is right
 * on average, even where few waits are reported or behaviour changes (tests/unit/test_reconcile.c
 * simulates both).
 *
 * Pure: times and totals are arguments. For one thread, the engine.
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
#include "process/process.h"

#include <stdbool.h>
#include <stdint.h>

struct reconcile;

/* The thread that spent the time, by the kernel's numbers: totals know no others. */
struct reconcile_task {
	pid_t pid, tid;
	uint64_t start_ns;
};

/* A hash of T and of a number WHAT that goes with it. */
static inline uint64_t reconcile_task_hash(const struct reconcile_task *t, uint64_t what)
{
	return hash_2u64(t->start_ns ^ (uint64_t)(uint32_t)t->tid << 32, what);
}

/*
 * Whether A and B are the same thread. tid and start time suffice; the process follows from them.
 */
static inline bool reconcile_task_same(const struct reconcile_task *a, const struct reconcile_task *b)
{
	return a->tid == b->tid && a->start_ns == b->start_ns;
}

/* The length of a wait that has ended. */
struct reconcile_wait {
	uint64_t blocked_ns, runnable_ns;
	uint64_t told_blocked_ns, told_runnable_ns;      /* of it, what was emitted while it lasted */
	/* the wait period in force: shorter waits were sampled */
	uint64_t period_ns;
	/* number of waits whose lengths are added up here; 0 means 1 */
	uint32_t count;
};

struct reconcile_config {
	struct dict *dict;                               /* of the events; must outlive the account */
	struct event_sink *sink;                         /* gets settled events, nearly in order of time */
	/* names threads that only totals know, and outlives the account; NULL: their time is not emitted */
	struct processes *ps;
};

/* Sums over all threads: from the last totals, and of emitted time by its stack. */
struct reconcile_figures {
	uint64_t running_ns, blocked_ns, runnable_ns;
	uint64_t waits;                  /* ended waits */
	uint64_t short_ns, short_count;  /* below --min-block: in none of the above */
	uint64_t own_ns;                 /* emitted time of waits: on stacks of their own ... */
	uint64_t none_ns;                /* ... and on none */
	uint64_t lost;                   /* events that found no room */
	uint32_t keys;                   /* keys now */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int reconcile_new(const struct reconcile_config *c, struct reconcile **ret, struct err *e);
void reconcile_free(struct reconcile *a);            /* NULL is fine; emits nothing */

/* Holds a sample of TASK; EV.weight is its own weight. False when there is no room: EV is lost. */
bool reconcile_sample(struct reconcile *a, const struct reconcile_task *task, const struct event *ev);
/*
 * Holds a wait of TASK that has ended. EV has its end, thread, stack and what else belongs to it.
 * This sets kind, weight, count and length, and makes one event (EVENT_BLOCKED) or two (also
 * EVENT_RUNNABLE, with EVENT_F_PIECE and no count). NOTE_NO_STACK counts as no stack. False as
 * above.
 */
bool reconcile_wait(struct reconcile *a, const struct reconcile_task *task, const struct event *ev,
		    const struct reconcile_wait *w);
/*
 * Holds W.count summed waits of TASK (engine/wait_sums.h), which share the stack and the rest of
 * EV. No total includes them, so they are added to the totals. False when there was no room: they
 * will have no stack then.
 */
bool reconcile_sum(struct reconcile *a, const struct reconcile_task *task, const struct event *ev,
		   const struct reconcile_wait *w);
/*
 * Tells that these parts of a wait in CALL were emitted, but its end never came: they are
 * subtracted from what is missing.
 */
void reconcile_missed(struct reconcile *a, const struct reconcile_task *task, uint32_t call, uint64_t blocked_ns,
		    uint64_t runnable_ns);

/* Takes the totals T of one thread. */
void reconcile_total(struct reconcile *a, const struct source_total *t);
/*
 * Emits what is held up to TIME_NS: the moment of the last totals, up to which every event has been
 * held. Call it regularly: the grace for late events is counted in calls.
 */
void reconcile_settle(struct reconcile *a, uint64_t time_ns);

/*
 * Emits to TO events for what is held or carried, as of TIME_NS. TO must not keep them: they are
 * provisional.
 */
void reconcile_rest(struct reconcile *a, uint64_t time_ns, struct event_sink *to);

/* When the oldest of the events happened that are still held, or wait for more time to be told; UINT64_MAX = none. */
uint64_t reconcile_held_ns(const struct reconcile *a);

/* Ends the account: emits everything held and carried, as of TIME_NS. */
void reconcile_finish(struct reconcile *a, uint64_t time_ns);

void reconcile_figures_of(const struct reconcile *a, struct reconcile_figures *ret);

/* The stack that means "no stack" (NOTE_NO_STACK). */
stack_id reconcile_no_stack(const struct reconcile *a);
/* The id of TASK, of which no event has come; ID_NONE when it has none (task_thread()). */
thread_id reconcile_thread(const struct reconcile *a, const struct reconcile_task *task);

/* calls of reconcile_settle() after which an event that no total includes keeps its own weight */
#define RECONCILE_GRACE 4u
#define RECONCILE_WINDOW 16u       /* ... after which missing long waits are given up */

DEFINE_AUTO(reconcile_free, struct reconcile);

#endif
