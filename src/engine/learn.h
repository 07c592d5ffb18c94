/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * learn.h - what the kernel half could not walk by itself is walked here, and taught to it for the next time.
 *
 * A walk shows which mappings it came by and which places. Their rules and they themselves go into the rulebook of the source.
 */
#ifndef SBERF_ENGINE_LEARN_H
#define SBERF_ENGINE_LEARN_H

#include "capture/rulebook.h"
#include "event/raw.h"
#include "process/process.h"
#include "unwind/unwind.h"

struct learn;

/* B is borrowed and must outlive the result. NULL when out of memory. */
struct learn *learn_new(struct rulebook *b);
void learn_free(struct learn *l);                /* NULL is fine */

/* SPACE, watched: what is looked up in the result until the next call is remembered. */
struct unwind_space learn_watch(struct learn *l, const struct unwind_space *space);

/* The walk of EV in that space came to C: teaches what is missing. True when something was. */
bool learn_from(struct learn *l, const struct raw_event *ev, const struct chain *c);

/*
 * The kernel half met memory SPACE_ID of PID, of which it knows nothing, a moment ago: teaches what is mapped there of files that are
 * known, before any event of it has its turn.
 */
void learn_early(struct learn *l, struct processes *ps, pid_t pid, uint64_t space_id);

/* Rules were taught a moment before NOW_NS: what else is missing will be seen soon, and had better be taught at once. */
bool learn_eager(const struct learn *l, uint64_t now_ns);

#endif
