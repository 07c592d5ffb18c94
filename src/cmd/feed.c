/* SPDX-License-Identifier: BSD-2-Clause */
/* feed.c - adapters, nothing else. */
#include "config.h"

#include "cmd/feed.h"

static struct snapshot *live_snapshot(void *ctx)
{
	return engine_snapshot(ctx);
}

static uint64_t live_published(void *ctx)
{
	return engine_published(ctx);
}

static void live_status(void *ctx, struct profile_meta *ret)
{
	engine_status(ctx, ret);
}

static void live_prefer(void *ctx, const frame_id *frames, size_t n)
{
	symbolizer_prefer(engine_symbolizer(ctx), frames, n);
}

static void live_reset(void *ctx)
{
	engine_reset(ctx);
}

static void live_wakers(void *ctx, bool on)
{
	engine_wakers(ctx, on);
}

static bool live_ended(void *ctx)
{
	return engine_wait(ctx, 1);
}

struct feed feed_from_engine(struct engine *en)
{
	return (struct feed){
		.ctx = en,
		.names = engine_names(en),
		.snapshot = live_snapshot,
		.published = live_published,
		.status = live_status,
		.prefer = live_prefer,
		.reset = live_reset,
		.wakers = live_wakers,
		.ended = live_ended,
	};
}

static struct snapshot *still_snapshot(void *ctx)
{
	return snapshot_ref(((struct still *)ctx)->snapshot);
}

static uint64_t still_published(void *ctx)
{
	return 1;
}

static void still_status(void *ctx, struct profile_meta *ret)
{
	*ret = ((struct still *)ctx)->meta;
}

static bool still_ended(void *ctx)
{
	return true;
}

struct feed feed_from_still(struct still *st)
{
	return (struct feed){
		.ctx = st,
		.names = st->names,
		.snapshot = still_snapshot,
		.published = still_published,
		.status = still_status,
		.ended = still_ended,
	};
}
