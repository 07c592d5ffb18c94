/* SPDX-License-Identifier: BSD-2-Clause */
/* event_sink.c - passes each event on to the modules that need it. */
#include "config.h"

#include "engine/event_sink.h"

#include "engine/alloc_facts.h"
#include "engine/growth_facts.h"
#include "engine/hit_sums.h"
#include "engine/insides.h"
#include "engine/lock_turns.h"
#include "engine/numa_facts.h"
#include "engine/offcpu.h"
#include "engine/size_readings.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "record/recording.h"

/* What finds no memory is not shown this time. */
static void event_sink_show(struct event_sink *s, const struct event *ev)
{
	struct fact f, *place;

	if (profile_fact(s->profile, ev, &f) < 0)
		return;
	place = vec_push(s->provisional);
	if (place)
		*place = f;
}

static void event_sink_lose(uint64_t *count, const struct event *ev, enum probe_loss kind)
{
	++*count;
	if (ev->kind == EVENT_HIT)
		probes_lose((uint32_t)ev->argument, kind, ev->count);
}

static void event_sink_put(struct event_sink *s, const struct event *ev)
{
	if (s->observer)
		s->observer(s->observer_ctx, NULL, ev);
	if (!s->profile)
		return;
	if (s->provisional)
		event_sink_show(s, ev);
	else if (profile_add(s->profile, ev) < 0)
		event_sink_lose(&s->no_memory, ev, PROBE_LOST_HIT);
	else if (s->recorder && !recorder_event(s->recorder, ev))
		event_sink_lose(&s->not_recorded, ev, PROBE_LOST_RECORD);
}

/* EV as it is, or with a further part of its wait. */
static void event_sink_know(void *sink, const struct event *ev)
{
	struct event_sink *s = sink;
	struct event known;

	if (!s->insides || !ev->calls[0]) {
		event_sink_put(s, ev);
		return;
	}
	known = *ev;
	if (insides_know(s->insides, &known, s->provisional != NULL))
		event_sink_put(s, &known);
}

void event_sink_add(struct event_sink *s, const struct event *ev)
{
	if (s->turns && ev->kind == EVENT_BLOCKED && ev->wait.lock != LOCK_ID_NONE)
		lock_turns_divide(s->turns, ev, event_sink_know, s);
	else
		event_sink_know(s, ev);
}

static void take_sample(struct event_sink *s, const struct raw_event *raw, const struct event *ev)
{
	s->sampled_ns += ev->weight;
	if (s->numa)
		numa_facts_sample(s->numa, raw, ev);
	if (s->offcpu)
		offcpu_sample(s->offcpu, raw, ev);
	else
		event_sink_add(s, ev);
}

void event_sink_walked(struct event_sink *s, const struct raw_event *raw, const struct event *ev)
{
	if (s->observer)
		s->observer(s->observer_ctx, raw, ev);
	if (s->sizes)
		sizes_add(s->sizes, raw->pid);
	switch (raw->kind) {
	case RAW_SAMPLE:
		take_sample(s, raw, ev);
		break;
	case RAW_WAIT:
		if (s->offcpu)
			offcpu_wait(s->offcpu, raw, ev);
		break;
	case RAW_WAIT_STACK:
		if (s->offcpu)
			offcpu_stack(s->offcpu, raw, ev);
		break;
	case RAW_FAULT:
		if (s->numa)
			numa_facts_fault(s->numa, raw, ev);
		break;
	case RAW_MOVE:
		if (s->numa)
			numa_facts_wait(s->numa, raw, ev);
		break;
	case RAW_EVENT:
		if (ev->kind == EVENT_ALLOC || ev->kind == EVENT_FREE) {
			if (!s->allocs)
				s->allocs = alloc_facts_new(&(struct alloc_facts_config){
					.interval = s->alloc_interval, .frees = true, .sink = s });
			if (s->allocs)
				alloc_facts_hit(s->allocs, raw, ev);
			else
				s->no_memory++;
			break;
		}
		if (EVENT_IS_GROWTH(ev->kind)) {
			growth_facts_hit(s, raw, ev);
			break;
		}
		if (s->hits && ev->stack != ID_NONE)
			hit_sums_see(s->hits, raw, ev);
		hit_sums_tell(s, raw, ev);
		break;
	default:
		break;
	}
}

void event_sink_numa(struct event_sink *s, struct numa_state *state)
{
	numa_state_unref(s->numa_state);
	s->numa_state = numa_state_ref(state);
	if (s->profile)
		profile_numa(s->profile, state);
	if (s->recorder)
		recorder_numa(s->recorder, state);
}

void event_sink_probes(struct event_sink *s, struct probe_notes *state)
{
	probe_notes_unref(s->probe_notes);
	s->probe_notes = probe_notes_ref(state);
	if (s->profile)
		profile_probes(s->profile, state);
	if (s->recorder)
		recorder_probes(s->recorder, state);
}

void event_sink_clear(struct event_sink *s)
{
	probe_notes_unref(s->probe_notes);
	s->probe_notes = NULL;
	numa_state_unref(s->numa_state);
	s->numa_state = NULL;
}
