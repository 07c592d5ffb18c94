/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * offcpu.h - off-CPU time in the engine: queries the source for totals, open waits and their stacks
 * at the right moments, and passes all to the account (reconcile.h) and the open waits
 * (openwaits.h), which emit events.
 *
 * Totals are read four times a second, and settled once all events up to that moment have come.
 * Open waits are listed once a second, and before a snapshot shows them. The share of waits that is
 * reported one by one is adapted so that it stays cheap: about a thousand a second, or fewer
 * (offcpu_config.seldom).
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
	struct source *source;           /* must outlive the result, like all of these */
	struct processes *ps;
	struct profile *profile;
	/* walks stacks of open waits, which return by offcpu_stack(), at once or later */
	struct ingest *ingest;
	/* gets settled events; its numa, if any, gets ended waits and totals */
	struct event_sink *sink;
	bool every_wait;                 /* each wait is told by itself, whatever that costs */
	bool seldom;                     /* nobody looks on: about 4 * freq_hz waits a second are told, 64 to 1000 */
	uint32_t freq_hz;                /* with SELDOM: the sampling rate */
	uint64_t longest_period_ns;      /* waits of this length are all told one by one; 0 = it does not matter */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int offcpu_new(const struct offcpu_config *c, struct offcpu **ret, struct err *e);
void offcpu_free(struct offcpu *oc);     /* NULL is fine; call offcpu_finish() first, if it was started */

/* Begins, with the source running. */
void offcpu_start(struct offcpu *oc);

/*
 * Take RAW, a RAW_SAMPLE, RAW_WAIT or RAW_WAIT_STACK, and the event EV made from it
 * (event_sink_walked()).
 */
void offcpu_sample(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);
void offcpu_wait(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);
void offcpu_stack(struct offcpu *oc, const struct raw_event *raw, const struct event *ev);

/*
 * Call for each RAW_WAIT_STACK that comes as an event of the source, before ingest_raw(): there may
 * be room to ask for others, and it is soon known whether its wait went on.
 */
void offcpu_answered(struct offcpu *oc);

/*
 * Does what is due by the clock of the source, after it was read. A negative errno with a sentence
 * when the source has not answered for seconds.
 */
int offcpu_turn(struct offcpu *oc, struct err *e);

/* The time up to which all events have been emitted, so that the profile may close its slices. */
uint64_t offcpu_settled_ns(const struct offcpu *oc);

/*
 * Tells REST what cannot be told yet: waits under way, and time that no stack stands for. It must not keep
 * it: it is provisional. Returns since when.
 */
uint64_t offcpu_rest(struct offcpu *oc, struct event_sink *rest);

/* Forgets the past: open waits count from now on. */
void offcpu_reset(struct offcpu *oc);

/*
 * Call after the source was stopped, at STOP_NS: queries it a last time for totals, open waits and
 * their stacks.
 */
void offcpu_last(struct offcpu *oc, uint64_t stop_ns);
/* Call when every event and stack has come: emits the rest, and ends what offcpu_start() began. */
void offcpu_finish(struct offcpu *oc);

/* From now on as many waits are told one by one as a 2^LEVEL-th of what is usual; those that are weigh as much more. */
void offcpu_seldom(struct offcpu *oc, uint32_t level);

void offcpu_figures(const struct offcpu *oc, struct profile_meta *m);

DEFINE_AUTO(offcpu_free, struct offcpu);

#endif
