/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numa.h - NUMA in the engine: samples and faults get places (touch.h), migrations are counted (moves.h), and every few seconds a new
 * state (numa/state.h) says what is known of nodes, threads and the memory of processes.
 *
 * Sampling addresses and surveying memory can be switched on and off while it runs; what the scheduler tells comes for free.
 */
#ifndef SBERF_ENGINE_NUMA_H
#define SBERF_ENGINE_NUMA_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "engine/account.h"
#include "model/event.h"
#include "numa/placement.h"
#include "process/process.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct numa;

struct numa_config {
	struct source *source;           /* all four must outlive the result */
	struct processes *ps;
	struct profile *profile;
	struct event_sink *sink;         /* gets accesses, first touches and migrations */
	/* A new state, to be shown and recorded; it lives at least until this returns. */
	void (*state)(void *ctx, struct numa_state *s);
	void *ctx;
	struct placement_config placement;       /* where pages are; zeroed = ask the kernel */
};

int numa_new(const struct numa_config *c, struct numa **ret, struct err *e);
void engine_numa_free(struct numa *n);   /* NULL is fine; profile/numa.h has a numa_view_free() */

/* The machine has more than one node, counting those without CPUs: worth sampling without being asked to. */
bool numa_has_nodes(const struct numa *n);

/* Begins or ends to sample addresses and faults; the source runs. */
int numa_set(struct numa *n, bool on, struct err *e);

/* RAW became EV (engine/ingest.h). Samples are ignored while nothing is sampled. */
void numa_sample(struct numa *n, const struct raw_event *raw, const struct event *ev);
void numa_fault(struct numa *n, const struct raw_event *raw, const struct event *ev);
/* The wait of RAW, a RAW_WAIT or RAW_MOVE, ended; EV has its stack, or ID_NONE. What ended on the same node is no migration. */
void numa_wait(struct numa *n, const struct raw_event *raw, const struct event *ev);
/* Totals, each of one reading, and the end of the reading at TIME_NS. */
void numa_total(struct numa *n, const struct source_total *t);
void numa_totals_read(struct numa *n, uint64_t time_ns);

/* Does what is due. Answers that come meanwhile are taken by the next turn: nobody is waiting for them. */
void numa_turn(struct numa *n, uint64_t now_ns);

/* The source was stopped, every event has come: waits a moment for answers, tells the rest, gives a last state. */
void numa_finish(struct numa *n);

DEFINE_AUTO(engine_numa_free, struct numa);

#endif
