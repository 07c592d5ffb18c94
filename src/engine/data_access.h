/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data_access.h - samples and page faults become accesses and first touches of memory: which address, on which node its page is.
 *
 * A sample gives an address by the instruction that it interrupted (numa/access.h); a fault came with one. Both then wait until the
 * kernel has said where the page is (numa/placement.h), a few milliseconds, and are told as events with a place. What waits is
 * bounded; every sample that gives no address, or no page, is counted under the reason why.
 *
 * Accesses weigh what their sample stands for by itself. One thread (the engine) calls.
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
	struct dict *dict;               /* must outlive the result, as must the next two */
	struct code *code;               /* NULL: nobody knows the instructions of this architecture */
	struct placement *placement;
	struct event_sink *sink;         /* gets each event when its place is known */
};

int data_access_new(const struct data_access_config *c, struct data_access **ret, struct err *e);
void data_access_free(struct data_access *t);        /* NULL is fine; what waits is dropped */

/* RAW became EV (engine/ingest.h): a RAW_SAMPLE, a RAW_FAULT. */
void data_access_sample(struct data_access *t, const struct raw_event *raw, const struct event *ev);
void data_access_fault(struct data_access *t, const struct raw_event *raw, const struct event *ev);

/* Takes in what has been decoded and answered. True: something is still waited for. */
bool data_access_poll(struct data_access *t);

/* Nothing is waited for any more: faults are told without node, and what has no answer is counted as too late (MISS_BACKLOG). */
void data_access_give_up(struct data_access *t);

/* The part of the figures that is about samples and faults. */
void data_access_figures(const struct data_access *t, struct numa_figures *ret);

DEFINE_AUTO(data_access_free, struct data_access);

#endif
