/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * learn.h - what the kernel half could not walk by itself is walked here, and taught to it for the next time.
 *
 * A walk shows which mappings it came by and which places. Their rules and they themselves go into the rulebook of the source, and with them
 * all other mappings of the process: what no copy comes by, because it is always too short, is walked through in the kernel, and where that
 * stops is looked at too. Of memory that was never met before, all mappings go there at once.
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
/* From now on only what unwind tables say is taught (unwinder_use_tables_only()). */
void learn_tables_only(struct learn *l);
void learn_free(struct learn *l);                /* NULL is fine */

/* SPACE, watched: what is looked up in the result until the next call is remembered. */
struct unwind_space learn_watch(struct learn *l, const struct unwind_space *space);

/* The walk of EV in that space came to C: teaches what is missing. True when something was. */
bool learn_from(struct learn *l, const struct raw_event *ev, const struct chain *c);

/*
 * The kernel half knew nothing of the memory that EV is of, which has its turn later: teaches what is mapped there now of files that are
 * known. Returns up to when, by CLOCK_MONOTONIC, it will not look at anybody again, since that has taken enough time.
 */
uint64_t learn_early(struct learn *l, struct processes *ps, const struct raw_event *ev);

/* Events from which rules were learnt since this was asked last. */
uint32_t learn_lessons(struct learn *l);

#endif
