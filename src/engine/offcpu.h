/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcpu.h - time off the CPU in the engine: asks the source for totals and waits under way at the right moments, has stacks
 * read that the source does not give, and lets the account (reconcile.h) and the waits under way (openwaits.h) tell what they
 * make of it.
 *
 * Totals are read four times a second, and settled as soon as all events up to that moment have come. Waits under way are
 * looked at once a second, and before what they say is shown. How many waits are told one by one is adapted to what is cheap:
 * about a thousand a second.
 */
#ifndef SBERF_ENGINE_OFFCPU_H
#define SBERF_ENGINE_OFFCPU_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "engine/event_sink.h"
#include "engine/ingest.h"
#include "model/event.h"
#include "process/process.h"
#include "profile/meta.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct offcpu;

struct offcpu_config {
	struct source *source;           /* all of these must outlive the result */
	struct processes *ps;
	struct profile *profile;
	uint32_t stack_bytes;            /* to read of a stack from outside at first ... */
	bool stack_fixed;                /* ... and at all */
	struct ingest *ingest;           /* walks stacks of waits under way: they come back by offcpu_stack(), at once or later */
	struct event_sink *sink;         /* gets what is settled; its numa, if any, hears of waits that are over, and of totals */
};

int offcpu_new(const struct offcpu_config *c, struct offcpu **ret, struct err *e);
void offcpu_free(struct offcpu *oc);     /* NULL is fine; after offcpu_finish(), if it was started */

/* Begins, with the source running, on the thread that makes all further calls (capture/peek.h). */
void offcpu_start(struct offcpu *oc);

/* RAW became EV (event_sink_walked()): a RAW_SAMPLE, a RAW_WAIT, a RAW_WAIT_STACK. */
void offcpu_sample(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);
void offcpu_wait(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);
void offcpu_stack(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);

/* The stack of RAW, a RAW_WAIT_STACK, goes on behind what was read of it. True: it comes again, with more (engine/remote_stacks.h). */
bool offcpu_further(struct offcpu *oc, const struct raw_event *raw);

/* Does what is due. SEEN_NS: every event up to then has been handed on. Fails when the source has not answered for seconds. */
int offcpu_turn(struct offcpu *oc, uint64_t seen_ns, struct err *e);

/* Stacks are about to come: not a time to wait for long. */
bool offcpu_pending(const struct offcpu *oc);

/* Up to here everything has been told: what the profile may close. */
uint64_t offcpu_settled_ns(const struct offcpu *oc);

/* Tells the profile what is provisional, before a snapshot. */
void offcpu_provisional(struct offcpu *oc);

/* What is under way counts from now on. */
void offcpu_reset(struct offcpu *oc);

/* The source was stopped at STOP_NS: asks it for the last time, for totals, waits under way and their stacks. */
void offcpu_last(struct offcpu *oc, uint64_t stop_ns);
/* Every event and stack has come: tells all the rest, and ends what offcpu_start() began. */
void offcpu_finish(struct offcpu *oc);

void offcpu_figures(const struct offcpu *oc, struct profile_meta *m);

DEFINE_AUTO(offcpu_free, struct offcpu);

#endif
