/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data_access.h - turns samples and page faults into memory accesses and first touches: finds the
 * address, and the NUMA node of its page.
 *
 * A sample yields an address through the instruction that it interrupted (numa/access.h); a fault
 * comes with one. Both then wait some milliseconds for the kernel to say where the page is
 * (numa/placement.h), and leave as events with a place. Their number is bounded. Every sample that
 * yields no address, or no page, is counted under the reason.
 *
 * An access weighs what its sample stands for. For one thread, the engine.
 */
#ifndef SBERF_ENGINE_DATA_ACCESS_H
#define SBERF_ENGINE_DATA_ACCESS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "engine/event_sink.h"
#include "model/event.h"
#include "model/raw.h"
#include "numa/code.h"
#include "numa/placement.h"
#include "numa/state.h"

#include <stdbool.h>

struct data_access;

struct data_access_config {
	struct dict *dict;               /* must outlive the result, like the next two */
	struct code *code;               /* NULL: no decoder for this architecture */
	struct placement *placement;
	struct event_sink *sink;         /* gets each event once its place is known */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int data_access_new(const struct data_access_config *c, struct data_access **ret, struct err *e);
void data_access_free(struct data_access *t);        /* NULL is fine; pending accesses are dropped */

/* Takes RAW, a RAW_SAMPLE or RAW_FAULT, and the event EV made from it (engine/ingest.h). */
void data_access_sample(struct data_access *t, const struct raw_event *raw, const struct event *ev);
void data_access_fault(struct data_access *t, const struct raw_event *raw, const struct event *ev);

/* Collects decoded instructions and answers. True while some are still pending. */
bool data_access_poll(struct data_access *t);

/*
 * Stops waiting: pending faults leave without a node; pending accesses are counted as too late
 * (MISS_BACKLOG).
 */
void data_access_give_up(struct data_access *t);

/* Fills in the figures of samples and faults. */
void data_access_figures(const struct data_access *t, struct numa_figures *ret);

DEFINE_AUTO(data_access_free, struct data_access);

#endif
