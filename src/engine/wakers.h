/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wakers.h - who woke a thread, remembered until the wait that it ended is told.
 *
 * A waking comes before the end of its wait, by the time that the thread then spends in the run queue. The table is small and
 * forgets: a wait whose waker found no place, or was never told, has none.
 */
#ifndef SBERF_ENGINE_WAKERS_H
#define SBERF_ENGINE_WAKERS_H

#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WAKERS 8192u                     /* remembered; a power of two */

struct waker {
	uint64_t wait_id;                /* of the wait that was ended; 0 = free */
	pid_t tid;                       /* whose */
	uint8_t context;                 /* enum waker_context */
	thread_id thread;                /* WAKER_TASK; ID_NONE else */
	stack_id stack;                  /* STACK_ROOT = none */
};

struct wakers {
	struct waker at[WAKERS];
};

void wakers_put(struct wakers *t, const struct waker *w);

/* Sets what is known of who ended WAIT (its id) of TID, and forgets it; WAKER_UNKNOWN when nothing is. */
void wakers_take(struct wakers *t, pid_t tid, uint64_t wait, struct event_wait *ret);

#endif
