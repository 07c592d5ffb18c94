/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_turns.h - who held a lock when, as far as those who waited for it saw it, and the division of waits by that.
 *
 * The holder that a wait names is the one that had the lock when the wait began. While the wait lasts, the lock may
 * go from hand to hand. Each time a thread wakes another one that waits for the lock (RAW_HANDOVER) it is known who
 * had it until then; each time a thread begins to wait it is known who has it then. A *turn* is one of these moments.
 * Between two of them the lock was held by the one that the later moment names; where both are readings and differ,
 * nobody knows when it changed, and each has half of the time.
 *
 * Waits are told some time after they ended, so that the moment behind their end is often known, too. Only locks
 * whose memory names a holder have turns: mutexes, rwlocks and locks of interpreters. The parts of a wait add up to it.
 *
 * For one thread, the engine.
 */
#ifndef SBERF_ENGINE_LOCK_TURNS_H
#define SBERF_ENGINE_LOCK_TURNS_H

#include "base/cleanup.h"
#include "model/dict.h"
#include "model/event.h"

#include <stdint.h>
#include <sys/types.h>

struct lock_turns;

struct lock_turn {
	uint64_t ns;             /* CLOCK_MONOTONIC */
	thread_id holder;        /* of the lock at that moment; ID_NONE = readers */
	thread_id next;          /* to whom HOLDER let it go; ID_NONE = it did not */
	uint32_t readers;
};

struct lock_turns *lock_turns_new(struct dict *d);       /* borrows D; NULL when out of memory */
void lock_turns_free(struct lock_turns *t);              /* NULL is fine */

/* A thread of process PID that began to wait at NS for L found it as L says. */
void lock_turns_held(struct lock_turns *t, pid_t pid, const struct held_lock *l, uint64_t ns);
/* TURN of the lock that a thread of process PID waited for, which was L when it began to. */
void lock_turns_over(struct lock_turns *t, pid_t pid, const struct held_lock *l, const struct lock_turn *turn);

/*
 * Tells EACH the event EV, an EVENT_BLOCKED with a lock, in parts: one after the other in time, each with the lock as
 * it was held then, the first one with the count, their weights adding up to that of EV; EV itself where nothing
 * is known of further holders. What stands for other waits has the holder of one moment of EV.
 */
void lock_turns_divide(struct lock_turns *t, const struct event *ev, void (*each)(void *ctx, const struct event *ev),
		       void *ctx);

DEFINE_AUTO(lock_turns_free, struct lock_turns);

#endif
