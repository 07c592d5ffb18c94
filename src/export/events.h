/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the single events that a view asks for, for formats that tell when each thing happened. Private to exporters.
 *
 * Each is judged as its fact in the snapshot is (query/filter.h), so what comes adds up to what a tree of the same query shows;
 * also where the snapshot has "(other)" to bound its memory.
 */
#ifndef SBERF_EXPORT_EVENTS_H
#define SBERF_EXPORT_EVENTS_H

#include "base/err.h"
#include "export/export_view.h"
#include "query/filter.h"

/* Gets an event that is asked for, and what it is: a mask of FACT_*, as filter_event() says. EV lives for the call. Anything but 0 ends the pass. */
typedef int asked_event_fn(void *ctx, const struct event *ev, unsigned int is);

/*
 * Hands the events that Q asks for to FN, in the order of time: any that come within 32768 of each
 * other. Q is mostly V's query with the kinds that the format counts
 * by default. What FN returned, 0 at the end, or a negative errno with a sentence: -ENOTSUP when V has sums only.
 */
int events_each(const struct export_view *v, const struct query *q, asked_event_fn *fn, void *ctx, struct err *e);

#endif
