/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event_counts.h - counts the figures of a recording that follow from its events. They are not in
 * the file: a reader counts them from what it could read, so they are right even when a part is
 * damaged or left out. For waits that have not ended see open_wait_merge.h.
 */
#ifndef SBERF_RECORD_EVENT_COUNTS_H
#define SBERF_RECORD_EVENT_COUNTS_H

#include "model/event.h"
#include "profile/meta.h"

#include <stdbool.h>
#include <stdint.h>

/* How many samples or waits EV counts for. */
uint64_t event_counts_stands_for(const struct event *ev);

/* Counts EV in M. NO_STACK: its stack says that there was none (NOTE_NO_STACK). */
void event_counts_add(struct profile_meta *m, const struct event *ev, bool no_stack);

#endif
