/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prios.h - which priority each thread had when it was last seen to leave its run queue, so that locks can say when
 * who waited had a higher one than who held it: priority inversion. For one thread, the engine.
 */
#ifndef SBERF_ENGINE_PRIOS_H
#define SBERF_ENGINE_PRIOS_H

#include "base/vec.h"
#include "model/dict.h"

#include <stdint.h>

struct prios {
	VEC(uint8_t) of;         /* by thread id, as raw_wait.prio; 0 = not known */
};

void prios_free(struct prios *p);        /* also of a zeroed one */
/* THREAD has PRIO, unless that is 0. */
void prios_put(struct prios *p, thread_id thread, uint8_t prio);
/* Sets the priorities of L, whose holder is set, for the waiting thread WAITER and the futex operation OP. */
void prios_compare(const struct prios *p, thread_id waiter, uint32_t op, struct held_lock *l);

#endif
