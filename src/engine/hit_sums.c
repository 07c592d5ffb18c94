/* SPDX-License-Identifier: BSD-2-Clause */
/* hit_sums.c - see hit_sums.h. What finds the first one of each sum is that of waits. */
#include "config.h"

#include "engine/hit_sums.h"

#include "base/clock.h"
#include "engine/task_thread.h"
#include "engine/wait_sums.h"
#include "model/probes.h"
#include "model/wait.h"
#include "profile/profile.h"

#include <stdlib.h>

#define TURN_NS NSEC_PER_SEC
#define LATE_NS (2 * NSEC_PER_MSEC)      /* a hit that began before the turn may be added a little after it */

struct hit_sums {
	struct source *source;
	struct processes *ps;
	struct event_sink *sink;
	struct wait_sums *sums;
	struct event last[PROBES_MAX];   /* of each probe: the last hit; count 0 = there was none */
	uint64_t turned_ns;      /* when the kernel half was told to begin new ones */
	uint64_t turning_ns;     /* those before that are to be read; 0 = they have been */
	uint64_t settled_ns;     /* up to when they have been read */
	bool stopped;            /* calls that have not ended are counted no more */
};

thread_id hit_sums_thread(struct hit_sums *h, const struct reconcile_task *task)
{
	return task_thread(h->ps, profile_dict(h->sink->profile), task);
}

/* EV, of which OTHERS hits, that weigh OTHERS_WEIGHT of its weight, were not told one by one. */
static void hit_sums_add_both(struct event_sink *sink, const struct event *ev, uint32_t others, uint64_t others_weight)
{
	struct event told = *ev, rest = *ev;

	told.count -= others;
	told.weight -= others_weight;
	rest.count = others;
	rest.weight = others_weight;
	rest.flags |= EVENT_F_EXTRAPOLATED;
	if (told.count)
		event_sink_add(sink, &told);
	if (rest.count)
		event_sink_add(sink, &rest);
}

static bool hit_sums_takes_time(uint64_t probe)
{
	const struct measure *m = probe < PROBES_MAX ? probes_measure((uint32_t)probe) : NULL;

	return m && m->unit == UNIT_TIME;
}

/* What RAW, of which EV is made, weighs itself. */
static uint64_t hit_sums_own(const struct raw_event *raw, const struct event *ev)
{
	const uint64_t own = hit_sums_takes_time(ev->argument) && raw->hit.begun_ns ?
		raw->time_ns - raw->hit.begun_ns : ev->weight / ev->count;

	return own < ev->weight ? own : ev->weight;
}

void hit_sums_tell(struct event_sink *sink, const struct raw_event *raw, const struct event *ev)
{
	if (ev->kind != EVENT_HIT || ev->count < 2)
		event_sink_add(sink, ev);
	else
		hit_sums_add_both(sink, ev, ev->count - 1, ev->weight - hit_sums_own(raw, ev));
}

/*
 * What those weigh that were told, TOLD of the COUNT hits in part AT, which weigh WEIGHT together: as much
 * as the others, but no less and no more than hits of that part do.
 */
static uint64_t hit_sums_told_weight(uint64_t weight, uint32_t told, uint32_t count, uint32_t at)
{
	const double share = (double)weight * told / count, least = (double)wait_bucket_from_ns(at) * told;
	const double most = (double)(wait_bucket_from_ns(at + 1) - 1) * told;
	const double own = share < least ? least : share > most ? most : share;

	return own < (double)weight ? (uint64_t)own : weight;
}

void hit_sums_add(struct hit_sums *h, const struct event *ev, const struct source_sum_part *part, uint32_t at)
{
	const uint32_t others = part->runnable_ns < part->count ? (uint32_t)part->runnable_ns : part->count;
	const uint32_t told = part->count - others;
	uint64_t own = part->blocked_ns;
	struct event out = *ev;

	if (out.kind != EVENT_HIT)
		out = (struct event){
			.kind = EVENT_HIT, .thread = ev->thread, .stack = ev->stack, .cut_module = ID_NONE,
			.argument = ev->wait.call - CALL_SYSCALL, .time_ns = ev->time_ns, .cpu = ev->cpu,
			.node = ev->node,
		};
	out.weight = part->blocked_ns;
	out.count = part->count;
	if (others && hit_sums_takes_time(out.argument))
		own = hit_sums_told_weight(out.weight, told, out.count, at);
	else if (others)
		own = (uint64_t)((double)out.weight * told / out.count);
	hit_sums_add_both(h->sink, &out, others, out.weight - own);
}

struct hit_sums *hit_sums_new(struct source *source, struct processes *ps, struct event_sink *sink)
{
	AUTO(hit_sums_free) struct hit_sums *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->source = source;
	h->ps = ps;
	h->sink = sink;
	h->settled_ns = clock_mono_ns();
	h->sums = wait_sums_of_hits(h);
	return h->sums ? take_ptr(h) : NULL;
}

void hit_sums_free(struct hit_sums *h)
{
	if (!h)
		return;
	wait_sums_free(h->sums);
	free(h);
}

void hit_sums_see(struct hit_sums *h, const struct raw_event *raw, const struct event *ev)
{
	const struct reconcile_task task = { .pid = raw->pid, .tid = raw->tid, .start_ns = raw->sample.start_ns };

	if (ev->kind == EVENT_HIT && ev->argument < PROBES_MAX)
		h->last[ev->argument] = *ev;
	if (raw->hit.sum)
		wait_sums_first(h->sums, &task, raw->hit.sum, ev);
}

struct counting_open {
	uint64_t now_ns;
	struct probe_open of[PROBES_MAX];
};

static void hit_sums_see_open(void *ctx, uint32_t probe, uint64_t begun_ns)
{
	struct counting_open *c = ctx;
	const uint64_t lasted = begun_ns < c->now_ns ? c->now_ns - begun_ns : 0;

	if (probe >= PROBES_MAX)
		return;
	c->of[probe].calls++;
	if (c->of[probe].oldest_ns < lasted)
		c->of[probe].oldest_ns = lasted;
}

/* Counts the calls that have not ended; what cannot be listed now stays as it was. */
static void hit_sums_count_open(struct hit_sums *h)
{
	struct counting_open c = { .now_ns = clock_mono_ns() };

	if (h->stopped || source_open_calls(h->source, hit_sums_see_open, &c, NULL) < 0)
		return;
	for (uint32_t probe = 0; probe < probes_count(); probe++)
		probes_set_open(probe, c.of[probe]);
}

void hit_sums_stop(struct hit_sums *h)
{
	hit_sums_count_open(h);
	h->stopped = true;
}

int hit_sums_turn(struct hit_sums *h, uint64_t seen_ns, struct err *e)
{
	const uint64_t now = clock_mono_ns();
	int r = 0;

	if (h->turning_ns && seen_ns >= h->turning_ns + LATE_NS) {
		r = source_hits(h->source, wait_sums_take, h->sums, e);
		wait_sums_turned(h->sums);
		h->settled_ns = h->turning_ns;
		h->turning_ns = 0;
	}
	if (!h->turning_ns && now - h->turned_ns >= TURN_NS) {
		h->turned_ns = now;
		hit_sums_count_open(h);
		if (!source_turn_hits(h->source, &h->turning_ns))
			h->settled_ns = UINT64_MAX;
	}
	return r < 0 ? r : 0;
}

/* Hits that would have been told with the next one of PROBE: nobody knows better than that they are like the last. */
static void hit_sums_tell_rest(void *ctx, uint32_t probe, uint64_t count, uint64_t weight)
{
	struct hit_sums *h = ctx;
	struct event ev;

	if (probe >= PROBES_MAX || !h->last[probe].count)
		return;
	ev = h->last[probe];
	ev.count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	ev.weight = weight;
	ev.flags |= EVENT_F_EXTRAPOLATED;
	event_sink_add(h->sink, &ev);
}

void hit_sums_finish(struct hit_sums *h)
{
	uint64_t ignored;

	/* Both: they may have been turned without having been read. */
	for (int i = 0; i < 2 && source_turn_hits(h->source, &ignored); i++)
		(void)source_hits(h->source, wait_sums_take, h->sums, NULL);
	wait_sums_finish(h->sums);
	source_untold(h->source, hit_sums_tell_rest, h);
	h->settled_ns = UINT64_MAX;
}

uint64_t hit_sums_settled_ns(const struct hit_sums *h)
{
	return h->settled_ns;
}
