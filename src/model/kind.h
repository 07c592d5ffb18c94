/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kind.h - the table of kinds of events: the name of each, and what it carries beside its weight.
 *
 * What an event carries is one id in a fact (of a table of the dictionary) and some columns in a
 * recording. Each of these has a table of operations that says what to do with it
 * (profile/carried.h, record/encoder.c, record/decode_events.c). A kind is one row here.
 */
#ifndef SBERF_MODEL_KIND_H
#define SBERF_MODEL_KIND_H

#include "model/event.h"

/* What an event says beside thread, stack, node, weight and count. */
enum carries {
	CARRIES_NOTHING,
	CARRIES_WAIT,            /* event.wait */
	CARRIES_PLACE,           /* event.place */
	CARRIES_ARGUMENT,        /* event.argument */
	CARRIES_PROBE,           /* event.argument, which is the number of a probe, and how long it took */
	CARRIES_NR
};

struct event_kind_info {
	const char *name;        /* of its events, for people; NULL = there is no such kind */
	uint8_t carries;         /* enum carries */
	/* what keeping one of its weight is worth, in ns of time: when memory is short the cheapest go first */
	uint32_t worth;
};

/* By kind. */
extern const struct event_kind_info event_kinds[EVENT_KINDS_MAX];

/* Whether KIND is one that is known. */
static inline bool kind_is_known(uint64_t kind)
{
	return kind < EVENT_KINDS_MAX && event_kinds[kind].name;
}

/* What KIND, any number, carries. */
static inline enum carries kind_carries(unsigned int kind)
{
	return kind < EVENT_KINDS_MAX ? (enum carries)event_kinds[kind].carries : CARRIES_NOTHING;
}

#endif
