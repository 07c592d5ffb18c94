/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numa_facts.h - NUMA in the engine: finds the places of samples and faults (data_access.h), counts
 * migrations (moves.h), and every few seconds publishes a state (numa/state.h) of nodes, threads
 * and the memory of processes.
 *
 * Address sampling and memory surveys can be switched on and off while it runs; the scheduler's
 * figures cost nothing extra.
 */
#ifndef SBERF_ENGINE_NUMA_FACTS_H
#define SBERF_ENGINE_NUMA_FACTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "engine/reconcile.h"
#include "model/event.h"
#include "numa/placement.h"
#include "process/process.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct numa_facts;

struct numa_facts_config {
	struct source *source;           /* must outlive the result, like the next three */
	struct processes *ps;
	struct profile *profile;
	struct event_sink *sink;         /* gets accesses, first touches and migrations, and each new state */
	struct placement_config placement;       /* where pages are found; zeroed = ask the kernel */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int numa_facts_new(const struct numa_facts_config *c, struct numa_facts **ret, struct err *e);
void numa_facts_free(struct numa_facts *n);   /* NULL is fine; query/numareport.h has a numa_facts_view_free() */

/*
 * Whether the machine has more than one node, counting those without CPUs, so that sampling is
 * worthwhile by default.
 */
bool numa_facts_has_nodes(const struct numa_facts *n);

/*
 * Begins or ends sampling of addresses and faults while the source runs. 0 or a negative errno with
 * a sentence.
 */
int numa_facts_set(struct numa_facts *n, bool on, struct err *e);

/*
 * Take RAW and the event EV made from it (engine/ingest.h). Samples are ignored while sampling is
 * off.
 */
void numa_facts_sample(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
void numa_facts_fault(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
/*
 * Takes the end of a wait, RAW_WAIT or RAW_MOVE; EV has its stack, or ID_NONE. A wait that ended on
 * its own node is ignored.
 */
void numa_facts_wait(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
/* Takes the totals of a thread, and the end of a reading of totals at TIME_NS. */
void numa_facts_total(struct numa_facts *n, const struct source_total *t);
void numa_facts_totals_read(struct numa_facts *n, uint64_t time_ns);

/* Does what is due at NOW_NS. Answers that arrive meanwhile are left to the next turn. */
void numa_facts_turn(struct numa_facts *n, uint64_t now_ns);

/*
 * Call after the source was stopped and every event has come: waits a moment for answers, emits the
 * rest, publishes a last state.
 */
void numa_facts_finish(struct numa_facts *n);

DEFINE_AUTO(numa_facts_free, struct numa_facts);

#endif
