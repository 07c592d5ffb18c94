/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_sums.c - reads the sums of short waits, and of hits, from the maps that the kernel half filled
 * (bpf/sums.bpf.h, bpf/hitsums.bpf.h), and which calls are open (bpf/opencalls.bpf.h).
 */
#include "config.h"

#include "capture/live_private.h"

#include "base/clock.h"
#include "bpf/wire.h"
#include "capture/wire_decode.h"
#include "model/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SOURCE_SUM_PARTS == SB_SUM_BUCKETS, "one part for each");

static uint32_t live_sums_fits(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static struct source_sum live_sums_sum_of(const struct sb_sum_key *key, const struct sb_sum *s)
{
	struct source_sum ret = {
		.pid = (pid_t)s->pid, .tid = (pid_t)key->tid, .start_ns = key->start_ns, .id = key->id,
			.last_ns = s->last_ns,
		.longest_ns = s->longest_ns, .longest_blocked_ns = s->longest_blocked_ns,
		.longest_runnable_ns = s->longest_runnable_ns, .cpu = s->cpu, .node = s->node, .state = s->state,
		.call = wire_decode_call(s->call, s->state, s->flags & SB_WAIT_COMPAT),
	};

	for (uint32_t i = 0; i < SB_SUM_BUCKETS; i++) {
		if (!s->part[i].count)
			continue;
		ret.part[i] = (struct source_sum_part){ s->part[i].blocked_ns, s->part[i].runnable_ns,
							live_sums_fits(s->part[i].count) };
		ret.n = i + 1;
	}
	return ret;
}

bool live_turn_sums(struct source *base, uint64_t *ret_ns)
{
	struct live_source *s = live_of(base);
	uint32_t turn;
	struct mapway map[2];

	*ret_ns = 0;
	if (!bpf_side_sums(s->kernel, map, &turn))
		return false;
	bpf_side_turn_sums(s->kernel);
	*ret_ns = clock_mono_ns();
	return true;
}

struct taking_sums {
	source_sum_fn *each;
	void *ctx;
};

static int live_sums_take(void *ctx, const void *key, const void *value)
{
	const struct taking_sums *to = ctx;
	const struct source_sum one = live_sums_sum_of(key, value);

	if (one.n)
		to->each(to->ctx, &one);
	return 0;
}

/* Reads the map FROM, which the kernel half has turned away from, and empties it. */
static int read_sums_of(const struct mapway *from, source_sum_fn *each, void *ctx, struct err *e)
{
	struct taking_sums to = { each, ctx };
	const int r = mapway_read(from, sizeof(struct sb_sum_key), sizeof(struct sb_sum), true, live_sums_take, &to);

	return r < 0 ? err_set(e, -r, "cannot read the sums of the kernel: %s", strerror(-r)) : r;
}

int live_sums(struct source *base, source_sum_fn *each, void *ctx, struct err *e)
{
	struct live_source *s = live_of(base);
	uint32_t turn;
	struct mapway map[2];

	return bpf_side_sums(s->kernel, map, &turn) ? read_sums_of(&map[(turn + 1) % 2], each, ctx, e) : 0;
}

bool live_turn_hits(struct source *base, uint64_t *ret_ns)
{
	struct live_source *s = live_of(base);
	uint32_t turn;
	struct mapway map[2];

	*ret_ns = 0;
	if (!bpf_side_hits(s->kernel, map, &turn))
		return false;
	bpf_side_turn_hits(s->kernel);
	*ret_ns = clock_mono_ns();
	return true;
}

int live_hits(struct source *base, source_sum_fn *each, void *ctx, struct err *e)
{
	struct live_source *s = live_of(base);
	uint32_t turn;
	struct mapway map[2];

	return bpf_side_hits(s->kernel, map, &turn) ? read_sums_of(&map[(turn + 1) % 2], each, ctx, e) : 0;
}

uint64_t live_allocs_seen(const struct source *base)
{
	const struct live_source *s = live_of(base);
	uint64_t n = 0;

	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
		n += s->cpus[cpu].allocs;
	return n;
}

void live_hits_lost(const struct source *base, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR])
{
	bpf_side_hits_lost(live_of(base)->kernel, probe, ret);
}

void live_hits_cost(const struct source *base, uint32_t probe, struct source_hits_cost *ret)
{
	bpf_side_hits_cost(live_of(base)->kernel, probe, ret);
}

void live_thin_hits(struct source *base, uint32_t probe, uint32_t every)
{
	bpf_side_thin_hits(live_of(base)->kernel, probe, every);
}

void live_scale_hits(struct source *base, uint32_t scale)
{
	bpf_side_scale_hits(live_of(base)->kernel, scale);
}

void live_untold(struct source *base, source_untold_fn *each, void *ctx)
{
	struct live_source *s = live_of(base);

	for (uint32_t probe = 0; probe < probes_count(); probe++) {
		uint64_t count, weight;

		if (bpf_side_untold(s->kernel, probe, &count, &weight) && count)
			each(ctx, probe, count, weight);
	}
}

void live_spans(struct source *base, source_span_fn *each, void *ctx)
{
	struct live_source *s = live_of(base);

	for (uint32_t probe = 0; probe < probes_count(); probe++) {
		struct source_span span;

		if (bpf_side_span(s->kernel, probe, &span))
			each(ctx, probe, &span);
	}
}

struct listing_calls {
	source_open_call_fn *each;
	void *ctx;
};

static int live_sums_open_call(void *ctx, const void *item, struct err *e)
{
	const struct listing_calls *to = ctx;
	const struct sb_open_call *o = item;

	if (o->probe >= SB_PROBE_PLACED)
		to->each(to->ctx, o->probe - SB_PROBE_PLACED, o->begun_ns);
	return 0;
}

int live_open_calls(struct source *base, source_open_call_fn *each, void *ctx, struct err *e)
{
	struct live_source *s = live_of(base);
	struct listing_calls to = { each, ctx };
	int all = 0;

	for (int functions = 0; functions < 2; functions++) {
		AUTO_FD int fd = bpf_side_open_calls(s->kernel, functions, NULL);
		const int n = fd < 0 ? 0 : live_read_list(fd, sizeof(struct sb_open_call), NULL,
							  live_sums_open_call, &to, e);

		if (n < 0)
			return n;
		all += n;
	}
	return all;
}
