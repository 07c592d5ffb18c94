/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * learn.h - learns from stacks that the kernel half could not walk, and teaches it to walk the next
 * ones.
 *
 * A walk shows which mappings and code places it passed. Their rules go into the source's rulebook,
 * with all other mappings of the process: a copy is often too short to pass them all, but the
 * kernel half walks on and reports where it stops, which is learnt too. When memory is met for the
 * first time, all its mappings are taught at once.
 */
#ifndef SBERF_ENGINE_LEARN_H
#define SBERF_ENGINE_LEARN_H

#include "capture/rulebook.h"
#include "model/raw.h"
#include "process/process.h"
#include "unwind/unwind.h"

struct learn;

/* B is borrowed and must outlive the result. NULL when out of memory. */
struct learn *learn_new(struct rulebook *b);
/* Teaches only rules from unwind tables from now on (unwinder_use_tables_only()). */
void learn_tables_only(struct learn *l);
void learn_free(struct learn *l);                /* NULL is fine */

/* Returns SPACE wrapped: look-ups in the result are remembered until the next call. */
struct unwind_space learn_watch(struct learn *l, const struct unwind_space *space);

/*
 * Call after walking EV in that space with the result C: teaches what was missing. True when
 * something was taught.
 */
bool learn_from(struct learn *l, const struct raw_event *ev, const struct chain *c);

/*
 * Call when the kernel half knew nothing of the memory of EV, before EV's own turn: teaches the
 * present mappings of known files. Returns the time (CLOCK_MONOTONIC) until which it will do no
 * more of this, because it has taken enough time.
 */
uint64_t learn_early(struct learn *l, struct processes *ps, const struct raw_event *ev);

/* Number of events since the last call from which rules were learnt. */
uint32_t learn_lessons(struct learn *l);

#endif
