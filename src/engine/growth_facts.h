/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growth_facts.h - memory that becomes resident or is mapped, as the kernel half tells of it, becomes events
 * with what each stands for.
 */
#ifndef SBERF_ENGINE_GROWTH_FACTS_H
#define SBERF_ENGINE_GROWTH_FACTS_H

#include "capture/source.h"
#include "engine/event_sink.h"

/* By how many bytes changes are sampled where nobody says so, of what PLAN looks at. */
uint32_t growth_interval_of(const struct capture_plan *plan);

/* EV, which is RAW with its stack, is of a kind for which EVENT_IS_GROWTH(): tells S of it. */
void growth_facts_hit(struct event_sink *s, const struct raw_event *raw, const struct event *ev);

#endif
