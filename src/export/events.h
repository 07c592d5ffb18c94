/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the single events that an export asks for, for formats that say when each thing
 * happened. Private to exporters.
 *
 * Each event is judged as its fact in the snapshot is (query/filter.h), so the events add up to
 * what a tree of the same query shows, even where the snapshot has "(other)" to bound its memory.
 */
#ifndef SBERF_EXPORT_EVENTS_H
#define SBERF_EXPORT_EVENTS_H

#include "base/err.h"
#include "export/export_view.h"
#include "query/filter.h"

/*
 * Gets an event that is asked for, and its flags (FACT_*), as from filter_event(). EV is valid
 * during the call. A non-zero result ends the pass.
 */
typedef int asked_event_fn(void *ctx, const struct event *ev, unsigned int is);

/*
 * Calls FN for the events that Q asks for, in order of time among any 32768 in a row. Q is mostly
 * V's query with the format's default kinds. Returns FN's result, 0 at the end, or a negative errno
 * with a sentence; -ENOTSUP: V has sums only.
 */
int events_each(const struct export_view *v, const struct query *q, asked_event_fn *fn, void *ctx, struct err *e);

#endif
