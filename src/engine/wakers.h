/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wakers.h - remembers who woke a thread until the wait that it ended is reported.
 *
 * A waking precedes the end of its wait by the time that the thread spends in the run queue. The
 * table is small and forgets: a wait whose waker found no slot, or was never reported, has none.
 */
#ifndef SBERF_ENGINE_WAKERS_H
#define SBERF_ENGINE_WAKERS_H

#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WAKERS 8192u                     /* remembered; a power of two */

struct waker {
	uint64_t wait_id;                /* of the wait that it ended; 0 = free */
	pid_t tid;                       /* the woken thread */
	uint8_t context;                 /* enum waker_context */
	thread_id thread;                /* WAKER_TASK; ID_NONE else */
	stack_id stack;                  /* STACK_ROOT = none */
};

struct wakers {
	struct waker at[WAKERS];
};

/* Remembers *W; an older entry in its slot gives way. */
void wakers_put(struct wakers *t, const struct waker *w);

/*
 * Sets in RET who ended the wait WAIT of thread TID, and forgets it; WAKER_UNKNOWN when nothing is
 * known.
 */
void wakers_take(struct wakers *t, pid_t tid, uint64_t wait, struct event_wait *ret);

#endif
