/* SPDX-License-Identifier: BSD-2-Clause */
/* growth_facts.c - weighs changes of memory, which are sampled by bytes as blocks are. */
#include "config.h"

#include "engine/growth_facts.h"

#include "base/hash.h"
#include "base/octave.h"
#include "bpf/wire.h"
#include "model/allocation.h"

#include <sys/mman.h>

uint32_t growth_interval_of(const struct capture_plan *plan)
{
	return plan->target == TARGET_PIDS || plan->target == TARGET_TIDS ? GROWTH_INTERVAL_DEFAULT :
		GROWTH_INTERVAL_MANY;
}

/* Of an event of KIND: WHAT is the counter of the kernel, or the advice. */
static enum growth_kind growth_facts_kind(unsigned int kind, uint64_t what)
{
	static const uint8_t kinds[SB_RSS_NR] = {
		[SB_RSS_FILE] = GROWTH_FILE, [SB_RSS_ANON] = GROWTH_ANON, [SB_RSS_SHARED] = GROWTH_SHARED,
	};

	if (kind == EVENT_ADVISED)
		return what == MADV_FREE ? GROWTH_LAZY : GROWTH_NOT;
	return (kind == EVENT_GROWN || kind == EVENT_RETURNED) && what < SB_RSS_NR ? (enum growth_kind)kinds[what] :
		GROWTH_NOT;
}

void growth_facts_hit(struct event_sink *s, const struct raw_event *raw, const struct event *ev)
{
	const uint64_t size = raw->hit.nr_args ? raw->hit.arg[0] : 0;
	const struct alloc_weight weight = alloc_weight(size, s->growth_interval,
							hash_u64(raw->time_ns ^ (uint64_t)raw->tid));
	const struct allocation a = {
		.size = (uint8_t)octave_class(size), .interval = s->growth_interval,
		.growth = raw->hit.nr_args > 1 ? growth_facts_kind(ev->kind, raw->hit.arg[1]) : GROWTH_NOT,
	};
	struct event told = *ev;

	if (!size)
		return;
	told.weight = weight.bytes;
	told.count = weight.blocks;
	told.argument = allocation_argument(&a);
	event_sink_add(s, &told);
}
