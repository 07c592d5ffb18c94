/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_sink.h - routes events through the engine by direct calls: from unwinding to the modules
 * that settle their weight, and from there into the profile and the recording.
 *
 *	raw event > ingest.c > event_sink_walked() > offcpu.c, numa_facts.c
 *	    > reconcile.c, moves.c, data_access.c, ... > event_sink_add() > profile
 *
 * A sample that needs no settling goes straight to event_sink_add(). For one thread, the engine.
 */
#ifndef SBERF_ENGINE_EVENT_SINK_H
#define SBERF_ENGINE_EVENT_SINK_H

#include "base/vec.h"
#include "model/event.h"
#include "model/raw.h"
#include "profile/profile.h"

#include <stdint.h>

struct alloc_facts;
struct sizes;
struct hit_sums;
struct insides;
struct lock_turns;
struct numa_facts;
struct offcpu;
struct probe_notes;
struct recorder;

typedef VEC(struct fact) fact_list;

/*
 * All zero, it drops every event. It borrows what it points to, which must outlive the last event.
 */
struct event_sink {
	struct profile *profile;         /* NULL: events are only observed */
	struct recorder *recorder;       /* NULL = no recording */
	/* fits samples and waits to what threads really spent; NULL = samples keep their own weight */
	struct offcpu *offcpu;
	/* finds the nodes of samples and faults, counts migrations; NULL = no NUMA */
	struct numa_facts *numa;
	uint32_t growth_interval;        /* with which changes of memory are sampled */
	struct sizes *sizes;     /* of the memory of processes; NULL = nobody reads them */
	uint32_t alloc_interval;         /* with which blocks of memory are sampled, when they are followed */
	struct alloc_facts *allocs;      /* follows these, from the first one on; NULL = there was none */
	/*
	 * Of an event_sink_add(): becomes facts here, and goes nowhere else, since it is
	 * provisional; NULL: it is for good.
	 */
	fact_list *provisional;
	struct numa_state *numa_state;   /* a reference to the last one of event_sink_numa(); NULL = none yet */
	struct probe_notes *probe_notes; /* the same of event_sink_probes() */
	/* keeps the first one of hits that are summed; NULL = they are not */
	struct hit_sums *hits;
	/* knows how long calls of probes took; NULL = there are none that take time */
	struct insides *insides;
	/* knows who held locks while others waited; NULL = who held one when a wait began stands for all of it */
	struct lock_turns *turns;

	/*
	 * Sees each event of event_sink_walked(), with its RAW, and each of event_sink_add(), with
	 * RAW NULL; NULL = no observer.
	 */
	void (*observer)(void *ctx, const struct raw_event *raw, const struct event *ev);
	void *observer_ctx;

	/* Figures. */
	uint64_t sampled_ns;             /* weight of samples, as taken */
	uint64_t no_memory;              /* events dropped because the profile had no memory */
	uint64_t not_recorded;           /* events that the recorder refused */
};

/*
 * Takes the event EV, made from RAW by walking its stack. For RAW_SAMPLE, RAW_FAULT, RAW_MOVE and
 * RAW_EVENT it has kind, weight and count; for RAW_WAIT and RAW_WAIT_STACK only what belongs to the
 * wait, with stack ID_NONE when the stack comes separately. RAW may be a copy of the source's. Both
 * must live until this returns.
 */
void event_sink_walked(struct event_sink *s, const struct raw_event *raw, const struct event *ev);

/*
 * Adds EV, whose weight is settled, to profile and recording. Events that find no room are counted.
 */
void event_sink_add(struct event_sink *s, const struct event *ev);

/* Passes STATE, of which the caller keeps its reference, to profile and recording. */
void event_sink_numa(struct event_sink *s, struct numa_state *state);
/* The same for what is known of probes. */
void event_sink_probes(struct event_sink *s, struct probe_notes *state);
/* Drops the last states; what S points to is not its own. */
void event_sink_clear(struct event_sink *s);

#endif
