/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hit_sums.h - hits of probes that the kernel half has summed, because they are alike, become events:
 * one for all of a second, with the stack of the first one. For one thread, the engine.
 */
#ifndef SBERF_ENGINE_HIT_SUMS_H
#define SBERF_ENGINE_HIT_SUMS_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "engine/event_sink.h"
#include "engine/reconcile.h"
#include "process/process.h"

#include <stdint.h>

struct hit_sums;

/* What is borrowed must outlive the result, which is the caller's; NULL when out of memory. */
struct hit_sums *hit_sums_new(struct source *source, struct processes *ps, struct event_sink *sink);
void hit_sums_free(struct hit_sums *h);          /* NULL is fine */

/*
 * Adds EV, which is RAW with its stack. A hit that stands for others, too (plan.hits_every), becomes
 * two events: itself, with how long it took, and the others, as EVENT_F_EXTRAPOLATED.
 */
void hit_sums_tell(struct event_sink *sink, const struct raw_event *raw, const struct event *ev);

/* EV is the hit RAW, with its stack: perhaps the first one of a sum. */
void hit_sums_see(struct hit_sums *h, const struct raw_event *raw, const struct event *ev);

/*
 * Once a second has the kernel half begin new sums, and reads the old ones when all events up to then
 * have been handed on: SEEN_NS. Also counts the calls that have not ended (model/probes.h). 0, or a
 * negative errno with a sentence.
 */
int hit_sums_turn(struct hit_sums *h, uint64_t seen_ns, struct err *e);

/*
 * For who reads the sums: the hits of PART, which is part AT of one, are like EV. Of one whose first
 * hit is not known, EV has the probe in place of a system call. And the thread of TASK, or ID_NONE.
 */
void hit_sums_add(struct hit_sums *h, const struct event *ev, const struct source_sum_part *part, uint32_t at);
thread_id hit_sums_thread(struct hit_sums *h, const struct reconcile_task *task);

/* The time up to which all hits have been added; UINT64_MAX when none are summed. */
uint64_t hit_sums_settled_ns(const struct hit_sums *h);

/* The probes are about to be taken off: counts for the last time the calls that have not ended. */
void hit_sums_stop(struct hit_sums *h);

/* Reads all that is left, after the source has stopped. */
void hit_sums_finish(struct hit_sums *h);

DEFINE_AUTO(hit_sums_free, struct hit_sums);

#endif
