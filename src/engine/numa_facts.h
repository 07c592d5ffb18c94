/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numa_facts.h - NUMA in the engine: samples and faults get places (data_access.h), migrations are counted (moves.h), and every few seconds a new
 * state (numa/state.h) says what is known of nodes, threads and the memory of processes.
 *
 * Sampling addresses and surveying memory can be switched on and off while it runs; what the scheduler tells comes for free.
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
	struct source *source;           /* all four must outlive the result */
	struct processes *ps;
	struct profile *profile;
	struct event_sink *sink;         /* gets accesses, first touches and migrations */
	/* A new state, to be shown and recorded; it lives at least until this returns. */
	void (*state)(void *ctx, struct numa_state *s);
	void *ctx;
	struct placement_config placement;       /* where pages are; zeroed = ask the kernel */
};

int numa_facts_new(const struct numa_facts_config *c, struct numa_facts **ret, struct err *e);
void numa_facts_free(struct numa_facts *n);   /* NULL is fine; query/numareport.h has a numa_facts_view_free() */

/* The machine has more than one node, counting those without CPUs: worth sampling without being asked to. */
bool numa_facts_has_nodes(const struct numa_facts *n);

/* Begins or ends to sample addresses and faults; the source runs. */
int numa_facts_set(struct numa_facts *n, bool on, struct err *e);

/* RAW became EV (engine/ingest.h). Samples are ignored while nothing is sampled. */
void numa_facts_sample(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
void numa_facts_fault(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
/* The wait of RAW, a RAW_WAIT or RAW_MOVE, ended; EV has its stack, or ID_NONE. What ended on the same node is no migration. */
void numa_facts_wait(struct numa_facts *n, const struct raw_event *raw, const struct event *ev);
/* Totals, each of one reading, and the end of the reading at TIME_NS. */
void numa_facts_total(struct numa_facts *n, const struct source_total *t);
void numa_facts_totals_read(struct numa_facts *n, uint64_t time_ns);

/* Does what is due. Answers that come meanwhile are taken by the next turn: nobody is waiting for them. */
void numa_facts_turn(struct numa_facts *n, uint64_t now_ns);

/* The source was stopped, every event has come: waits a moment for answers, tells the rest, gives a last state. */
void numa_facts_finish(struct numa_facts *n);

DEFINE_AUTO(numa_facts_free, struct numa_facts);

#endif
