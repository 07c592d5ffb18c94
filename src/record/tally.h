/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tally.h - the figures of a recording that follow from its events. They are not written: whoever reads counts them from what
 * could be read, so that they fit it, also when a part is damaged or left out.
 */
#ifndef SBERF_RECORD_TALLY_H
#define SBERF_RECORD_TALLY_H

#include "base/vec.h"
#include "event/event.h"
#include "profile/meta.h"
#include "record/idmap.h"

#include <stdbool.h>
#include <stdint.h>

/* A wait that had not ended when it was last told of. */
struct tally_open {
	uint64_t ns;             /* told of it so far; 0 = it has ended since */
	uint64_t time_ns;        /* when that was */
};

/* A zeroed one is empty. */
struct tally {
	struct idmap open_of;            /* thread -> index in open; a thread waits for one thing at a time */
	VEC(struct tally_open) open;
};

/* How many samples or waits EV counts for. */
uint64_t tally_count(const struct event *ev);

/* Counts EV in M. NO_STACK: its stack says that there was none (NOTE_NO_STACK). False when out of memory. */
bool tally_event(struct tally *t, struct profile_meta *m, const struct event *ev, bool no_stack);

/* Counts in M the waits that have not ended. */
void tally_end(const struct tally *t, struct profile_meta *m);

void tally_free(struct tally *t);                /* a zeroed one is fine */

#endif
