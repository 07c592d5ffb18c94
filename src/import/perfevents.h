/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfevents.h - decides which events of a text of `perf script` are read. Private to imports.
 *
 * One profile has one unit. When the first sample's period is time (model/perfname.h), time is
 * read: of the first clock, and off the CPU. Otherwise the first event alone is read: in its
 * periods, or, when it has none, in samples. A name that was asked for is read alone, whatever
 * comes first. What is left out is counted by its name.
 */
#ifndef SBERF_IMPORT_PERFEVENTS_H
#define SBERF_IMPORT_PERFEVENTS_H

#include "profile/meta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import_state;

#define PERF_EVENT_NAME 32u      /* with the NUL: as much as profile_meta.event holds; what is longer is cut */
#define PERF_EVENTS_LEFT 8u      /* events that are told by name when they are left out */

struct perf_events {
	char wanted[PERF_EVENT_NAME];    /* "" = nothing was asked for */
	char event[PERF_EVENT_NAME];     /* that samples are read of; "" = none yet */
	bool begun, time;        /* a sample was seen; weights are ns */
	struct {
		char name[PERF_EVENT_NAME];
		uint64_t samples;
	} left[PERF_EVENTS_LEFT];
	unsigned int nr_left;
	uint64_t more;           /* samples of further events */
};

/* WANTED is the event that was asked for; NULL = none. */
void perf_events_init(struct perf_events *p, const char *wanted);

/*
 * What a sample of the event that the LEN bytes at NAME are is read as: enum event_kind. 0: it is
 * left out, and has been counted. The first event that is read is noted in M.
 */
unsigned int perf_events_kind(struct perf_events *p, const char *name, size_t len, bool has_period,
			      struct profile_meta *m);

/* Says in the note of R's report what was left out. */
void perf_events_note(const struct perf_events *p, struct import_state *r);

#endif
