/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_sink.h - the way of events through the engine, by direct calls: from a walked stack to those who settle what it weighs, and from
 * there into the profile and the recording.
 *
 *	raw event > ingest.c > event_sink_walked() > offcpu.c, numa_facts.c > reconcile.c, moves.c, data_access.c, ... > event_sink_add() > profile
 *
 * A sample that nobody has to settle goes from the first to the last at once. One thread (the engine) calls.
 */
#ifndef SBERF_ENGINE_EVENT_SINK_H
#define SBERF_ENGINE_EVENT_SINK_H

#include "model/event.h"
#include "model/raw.h"

#include <stdint.h>

struct numa_facts;
struct offcpu;
struct profile;
struct recorder;

/* Zeroed, it takes events and drops them. What it points to is its owner's, and must outlive the last event. */
struct event_sink {
	struct profile *profile;         /* NULL: events are only observed */
	struct recorder *recorder;       /* NULL = no recording */
	struct offcpu *offcpu;           /* settles samples and waits by what threads have spent; NULL = a sample weighs what it says */
	struct numa_facts *numa;               /* gives samples and faults a place, counts migrations; NULL = nobody does */

	/* Gets each event of event_sink_walked(), as RAW became it, and each of event_sink_add(), with RAW NULL; NULL = nobody looks on. */
	void (*observer)(void *ctx, const struct raw_event *raw, const struct event *ev);
	void *observer_ctx;

	/* Figures. */
	uint64_t sampled_ns;             /* what samples stand for by themselves */
	uint64_t no_memory;              /* events that the profile had no memory for */
	uint64_t not_recorded;           /* events that the recorder refused */
};

/*
 * RAW became EV, by walking its stack. EV of a RAW_SAMPLE, RAW_FAULT, RAW_MOVE or RAW_EVENT has kind, weight and count; that of a RAW_WAIT or
 * RAW_WAIT_STACK only what belongs to the wait, with ID_NONE as its stack when that is elsewhere. RAW may be a copy of what the source
 * gave. Both live until this returns.
 */
void event_sink_walked(struct event_sink *s, const struct raw_event *raw, const struct event *ev);

/* EV weighs what it weighs: into profile and recording. What finds no room is counted. */
void event_sink_add(struct event_sink *s, const struct event *ev);

#endif
