/* SPDX-License-Identifier: BSD-2-Clause */
/* measure.c - the table of measures, and what can be said of any of them. */
#include "config.h"

#include "model/measure.h"

#include "model/allocation.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static bool is_far(const struct measured *x)
{
	return x->place_node != NODE_UNKNOWN && x->place_node != x->node;
}

static bool is_process(const struct measured *x)
{
	return x->argument;
}

static bool is_thread(const struct measured *x)
{
	return !x->argument;
}

static bool is_temporary_block(const struct measured *x)
{
	return allocation_of(x->argument).temporary;
}

static bool is_leaked_block(const struct measured *x)
{
	return allocation_of(x->argument).leaked;
}

static bool grew_anonymous(const struct measured *x)
{
	return allocation_of(x->argument).growth == GROWTH_ANON;
}

static bool grew_of_file(const struct measured *x)
{
	return allocation_of(x->argument).growth == GROWTH_FILE;
}

static bool grew_shared(const struct measured *x)
{
	return allocation_of(x->argument).growth == GROWTH_SHARED;
}

static bool is_lazy(const struct measured *x)
{
	return allocation_of(x->argument).growth == GROWTH_LAZY;
}

/*
 * In this order they are asked for: the first of a set leads. Append, and name in enum measure_id
 * what code must know by name.
 */
static const struct measure measure_table[] = {
	[MEASURE_RUNNING] = {
		.name = "on-cpu", .title = "on-CPU", .head = "running", .brief = "run", .json = "running",
		.about = "the time that threads ran",
		.style = MEASURE_STYLE_RUNNING, .kinds = KINDS_ON_CPU, .wall = true, .pprof = "cpu",
		.counted = "samples",
	},
	[MEASURE_RUNNABLE] = {
		.name = "runnable", .title = "runnable", .head = "runnable", .brief = "queue", .json = "runnable",
		.about = "the time that they waited for a CPU",
		.style = MEASURE_STYLE_RUNNABLE, .kinds = 1u << EVENT_RUNNABLE, .wall = true, .pprof = "runnable",
		.counted = "waits",
	},
	[MEASURE_BLOCKED] = {
		.name = "blocked", .title = "blocked", .head = "blocked", .brief = "block", .json = "blocked",
		.about = "the time until somebody woke them",
		.style = MEASURE_STYLE_BLOCKED, .kinds = 1u << EVENT_BLOCKED, .wall = true, .pprof = "blocked",
		.counted = "waits",
	},
	[MEASURE_FAR] = {
		.name = "far", .title = "far accesses", .head = "far", .brief = "far", .json = "far",
		.about = "accesses to memory of other nodes, each for the time of its sample",
		.style = MEASURE_STYLE_FAR, .kinds = 1u << EVENT_ACCESS, .counts = is_far,
		.estimate = true, .pprof = "far", .counted = "accesses",
	},
	[MEASURE_IMPORTED] = {
		.name = "imported", .title = "", .head = "", .brief = "", .json = "", .unit = UNIT_OWN,
		.style = MEASURE_STYLE_RUNNING, .kinds = 1u << EVENT_COUNTED, .pprof = "",
	},
	[MEASURE_ALLOCATED] = {
		.name = "allocated", .title = "memory allocated", .head = "alloc", .brief = "alloc",
		.json = "allocated", .about = "bytes of memory that were allocated, with --memory",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_ALLOC,
		.pprof = "alloc_space", .counted = "alloc_objects",
	},
	[MEASURE_IN_USE] = {
		.name = "in-use", .title = "memory in use", .head = "in use", .brief = "use", .json = "in_use",
		.about = "of these bytes, those that were not freed until the end",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_IN_USE,
		.pprof = "inuse_space", .counted = "inuse_objects",
	}, {
		.name = "peak", .title = "memory at the peak", .head = "at peak", .brief = "peak", .json = "peak",
		.about = "the bytes that were in use when most were",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_PEAK,
		.pprof = "peak_space", .counted = "peak_objects",
	}, {
		.name = "temporary", .title = "temporary memory", .head = "temp", .brief = "temp",
		.json = "temporary",
		.about = "bytes that were freed by the thread that allocated them, before it allocated more",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_FREE,
		.counts = is_temporary_block, .pprof = "temporary_space", .counted = "temporary_objects",
	}, {
		.name = "leaked", .title = "memory leaked", .head = "leaked", .brief = "leak", .json = "leaked",
		.about = "bytes that were in use when their process ended",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_IN_USE,
		.counts = is_leaked_block, .pprof = "leaked_space", .counted = "leaked_objects",
	},
	{
		.name = "faults", .title = "page faults", .head = "faults", .brief = "fault", .json = "faults",
		.about = "page faults that were sampled where there are several NUMA nodes",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_FAULT, .estimate = true,
		.pprof = "faults",
	}, {
		.name = "migrations", .title = "migrations", .head = "moves", .brief = "moves", .json = "migrations",
		.about = "threads that came back on another NUMA node",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_MIGRATION, .pprof = "migrations",
	}, {
		.name = "forks", .title = "processes started", .head = "forks", .brief = "forks", .json = "forks",
		.about = "processes that were started, where that was asked for when it was captured",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_FORK, .counts = is_process,
		.pprof = "forks",
	}, {
		.name = "new-threads", .title = "threads started", .head = "threads", .brief = "thrds",
			.json = "new_threads",
		.about = "threads that were started, where that was asked for when it was captured",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_FORK, .counts = is_thread,
		.pprof = "new_threads",
	},
	{
		.name = "allocated-blocks", .title = "blocks allocated", .head = "allocs", .brief = "#all",
		.json = "allocated_blocks", .about = "blocks of memory that were allocated, with --memory",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_ALLOC, .events = true,
		.pprof = "alloc_objects",
	}, {
		.name = "in-use-blocks", .title = "blocks in use", .head = "blocks", .brief = "#use",
		.json = "in_use_blocks", .about = "of these, those that were not freed until the end",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_IN_USE, .events = true,
		.pprof = "inuse_objects",
	}, {
		.name = "peak-blocks", .title = "blocks at the peak", .head = "# peak", .brief = "#peak",
		.json = "peak_blocks", .about = "the blocks that were in use when most bytes were",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_PEAK, .events = true,
		.pprof = "peak_objects",
	}, {
		.name = "temporary-blocks", .title = "temporary blocks", .head = "# temp", .brief = "#temp",
		.json = "temporary_blocks",
		.about = "blocks that were freed by the thread that allocated them, before it allocated more",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_FREE, .events = true,
		.counts = is_temporary_block, .pprof = "temporary_objects",
	}, {
		.name = "leaked-blocks", .title = "blocks leaked", .head = "# leak", .brief = "#leak",
		.json = "leaked_blocks", .about = "blocks that were in use when their process ended",
		.unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_IN_USE, .events = true,
		.counts = is_leaked_block, .pprof = "leaked_objects",
	},
	{
		.name = "grown", .title = "memory grown", .head = "grown", .brief = "grown", .json = "grown",
		.about = "bytes of memory that became resident, with --memory=growth",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_GROWN,
		.pprof = "grown_space", .counted = "grown_changes",
	}, {
		.name = "returned", .title = "memory returned", .head = "return", .brief = "retrn",
		.json = "returned", .about = "bytes that ceased to be, as the program gave them back",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_RETURNED,
		.pprof = "returned_space", .counted = "returned_changes",
	}, {
		.name = "mapped", .title = "memory mapped", .head = "mapped", .brief = "map", .json = "mapped",
		.about = "bytes of addresses that were mapped: mmap(2), brk(2), mremap(2)",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_MAPPED,
		.pprof = "mapped_space", .counted = "mapped_calls",
	}, {
		.name = "unmapped", .title = "memory unmapped", .head = "unmap", .brief = "unmap",
		.json = "unmapped", .about = "bytes of addresses that were unmapped",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_UNMAPPED,
		.pprof = "unmapped_space", .counted = "unmapped_calls",
	}, {
		.name = "grown-anon", .title = "anonymous memory grown", .head = "anon", .brief = "anon",
		.json = "grown_anon", .about = "of what has grown, memory without a file, or copied from one",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_GROWN,
		.counts = grew_anonymous, .pprof = "grown_anon_space", .counted = "grown_changes",
	}, {
		.name = "grown-files", .title = "memory of files grown", .head = "files", .brief = "files",
		.json = "grown_files", .about = "of what has grown, memory that shows a file",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_GROWN,
		.counts = grew_of_file, .pprof = "grown_files_space", .counted = "grown_changes",
	}, {
		.name = "grown-shared", .title = "shared memory grown", .head = "shared", .brief = "share",
		.json = "grown_shared", .about = "of what has grown, shared memory",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_GROWN,
		.counts = grew_shared, .pprof = "grown_shared_space", .counted = "grown_changes",
	},
	{
		.name = "advised", .title = "memory given back by advice", .head = "advised", .brief = "advis",
		.json = "advised", .about = "bytes of addresses that madvise(2) gave back, resident or not",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_ADVISED,
		.pprof = "advised_space", .counted = "advised_calls",
	}, {
		.name = "advised-lazily", .title = "memory given back lazily", .head = "lazy", .brief = "lazy",
		.json = "advised_lazily",
		.about = "of these, by MADV_FREE: they stay resident until the kernel is short of memory",
		.unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_ADVISED,
		.counts = is_lazy, .pprof = "advised_lazily_space", .counted = "advised_calls",
	},
	{
		.name = "spinning", .title = "spinning in the kernel", .head = "spinning", .brief = "spin",
		.json = "spinning",
		.about = "time running in which locks of the kernel were spun for, with --kernel-locks",
		.unit = UNIT_TIME, .style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_SPIN,
		.pprof = "spinning", .counted = "spins",
	},
	{
		/* the name of these facts in recordings: their sum says nothing, so nobody asks for it */
		.name = "sizes", .title = "", .head = "", .brief = "", .json = "", .unit = UNIT_BYTES,
		.style = MEASURE_STYLE_OTHER, .kinds = 1u << EVENT_SIZE, .pprof = "",
	},
#ifdef MEASURES_OF_TEST
	MEASURES_OF_TEST         /* tests/unit/test_measure.c takes this file in, with rows of its own */
#endif
};

_Static_assert(sizeof(measure_table) / sizeof(measure_table[0]) <= MEASURES_MAX, "a set of measures is a mask");
_Static_assert((unsigned int)TIME_NR <= MEASURES_ASKED, "wall time is one question");

static const struct {
	const char *name, *pprof;
	unsigned int one;        /* so many of a value are one unit */
} unit_table[UNIT_NR] = {
	[UNIT_TIME] = { "ns", "nanoseconds", 1 },
	[UNIT_BYTES] = { "bytes", "bytes", 1 },
	[UNIT_COUNT] = { "count", "count", 1 },
	[UNIT_OWN] = { "", "count", 1000 },
};

#define MEASURES_IN_TABLE (unsigned int)(sizeof(measure_table) / sizeof(measure_table[0]))

/* Those of probes, whose ids come behind those of the table. */
static const struct measure *added_measure[MEASURES_MAX - sizeof(measure_table) / sizeof(measure_table[0])];
static _Atomic unsigned int nr_added;

unsigned int measures_count(void)
{
	return MEASURES_IN_TABLE + atomic_load_explicit(&nr_added, memory_order_acquire);
}

const struct measure *measure_get(unsigned int id)
{
	if (id < MEASURES_IN_TABLE)
		return &measure_table[id];
	return id < measures_count() ? added_measure[id - MEASURES_IN_TABLE] : NULL;
}

unsigned int measure_add(const struct measure *m)
{
	const unsigned int n = atomic_load_explicit(&nr_added, memory_order_relaxed);

	if (MEASURES_IN_TABLE + n >= MEASURES_MAX)
		return MEASURE_NONE;
	added_measure[n] = m;
	atomic_store_explicit(&nr_added, n + 1, memory_order_release);
	return MEASURES_IN_TABLE + n;
}

unsigned int measure_named(const char *name, size_t len)
{
	for (unsigned int id = 0; id < measures_count(); id++)
		if (id != MEASURE_IMPORTED && strlen(measure_get(id)->name) == len &&
		    !memcmp(measure_get(id)->name, name, len))
			return id;
	return MEASURE_NONE;
}

measure_mask measures_of_kind(unsigned int kind)
{
	measure_mask r = 0;

	for (unsigned int id = 0; id < measures_count(); id++)
		r |= measure_get(id)->kinds >> kind & 1 ? MEASURE_BIT(id) : 0;
	return r;
}

/* Puts the measure ID in the first place that is free, and says which that is; MEASURES_ASKED = there was none. */
static unsigned int measure_put_in(struct measure_set *s, unsigned int id)
{
	unsigned int place = id < TIME_NR ? id : 0;

	while (place < MEASURES_ASKED && s->at[place] != MEASURE_NONE)
		place++;
	if (place < MEASURES_ASKED)
		s->at[place] = (uint8_t)id;
	return place;
}

struct measure_set measure_set(measure_mask mask, unsigned int lead)
{
	const unsigned int asked = lead && lead <= measures_count() && mask >> (lead - 1) & 1 ? lead - 1 : MEASURE_NONE;
	struct measure_set s = { 0 };
	unsigned int first = MEASURES_ASKED;

	memset(s.at, MEASURE_NONE, sizeof(s.at));
	for (unsigned int id = 0; id < TIME_NR; id++)
		if (mask >> id & 1)
			measure_put_in(&s, id);
	if (asked != MEASURE_NONE && asked >= TIME_NR)
		first = measure_put_in(&s, asked);
	for (unsigned int id = TIME_NR; id < measures_count(); id++)
		if (mask >> id & 1 && id != asked)
			measure_put_in(&s, id);
	for (unsigned int place = MEASURES_ASKED; place-- && (asked == MEASURE_NONE || asked < TIME_NR);)
		if (s.at[place] != MEASURE_NONE && (!(mask & MEASURES_WALL) || measure_get(s.at[place])->wall))
			first = place;
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		s.events |= (uint8_t)((measure_in(&s, place) && measure_in(&s, place)->events) << place);
	if (first == MEASURES_ASKED)
		return s;
	s.first = (uint8_t)first;
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		if (place == first || (measure_get(s.at[first])->wall && measure_in(&s, place) &&
				       measure_in(&s, place)->wall))
			s.lead |= (uint8_t)(1u << place);
	return s;
}

bool measures_fit(measure_mask mask)
{
	return __builtin_popcountll((uint64_t)mask) + __builtin_popcountll((uint64_t)(mask >> 64)) <=
		(int)MEASURES_ASKED;
}

unsigned int measures_first(measure_mask mask)
{
	if ((uint64_t)mask)
		return (unsigned int)__builtin_ctzll((uint64_t)mask);
	return mask ? 64 + (unsigned int)__builtin_ctzll((uint64_t)(mask >> 64)) : MEASURE_NONE;
}

const struct measure *measure_lead(const struct measure_set *s)
{
	const struct measure *m = s->lead ? measure_in(s, s->first) : NULL;

	return m ? m : &measure_table[MEASURE_RUNNING];
}

const struct measure *measure_column(const struct measure_set *s, unsigned int place)
{
	bool all_wall = true;

	for (unsigned int i = 0; i < MEASURES_ASKED; i++)
		all_wall &= !measure_in(s, i) || measure_in(s, i)->wall;
	return all_wall && place < TIME_NR ? &measure_table[place] : measure_in(s, place);
}

bool measure_set_is_wall(const struct measure_set *s)
{
	return measure_lead(s)->wall;
}

const char *measure_wall_title(unsigned int parts)
{
	static const char *const texts[1u << TIME_NR] = {
		[0] = "on-CPU",
		[1u << TIME_RUNNING] = "on-CPU",
		[1u << TIME_RUNNABLE] = "runnable",
		[1u << TIME_BLOCKED] = "blocked",
		[1u << TIME_RUNNING | 1u << TIME_RUNNABLE] = "on-CPU and runnable",
		[1u << TIME_RUNNING | 1u << TIME_BLOCKED] = "on-CPU and blocked",
		[1u << TIME_RUNNABLE | 1u << TIME_BLOCKED] = "off-CPU",
		[1u << TIME_RUNNING | 1u << TIME_RUNNABLE | 1u << TIME_BLOCKED] = "all time",
	};

	return texts[parts & ((1u << TIME_NR) - 1)];
}

char *measure_set_title(const struct measure_set *s, const char *own, char *dst, size_t size)
{
	const bool wall = measure_set_is_wall(s);
	size_t n = (size_t)snprintf(dst, size, "%s", wall ? measure_wall_title(s->lead) : "");

	for (unsigned int place = 0; place < MEASURES_ASKED && n < size; place++) {
		const struct measure *m = measure_in(s, place);

		if (!m || (wall && m->wall))
			continue;
		n += (size_t)snprintf(dst + n, size - n, "%s%s", n ? ", " : "",
				      m->unit == UNIT_OWN && own && own[0] ? own : m->title);
	}
	return dst;
}

uint64_t measure_whole(const struct measure *m, uint64_t value)
{
	const unsigned int one = unit_table[m->unit].one;

	return value / one + (value % one >= (one + 1) / 2 && one > 1);
}

char *measure_text(const struct measure *m, uint64_t value, char dst[UNITS_MAX])
{
	switch (m->unit) {
	case UNIT_TIME:
		return units_time(dst, value);
	case UNIT_BYTES:
		return units_bytes(dst, value);
	default:
		return units_thousands(dst, measure_whole(m, value));
	}
}

unsigned int measure_one(const struct measure *m)
{
	return unit_table[m->unit].one;
}

const char *measure_unit_name(enum measure_unit unit)
{
	return unit_table[unit].name;
}

const char *measure_unit_pprof(enum measure_unit unit)
{
	return unit_table[unit].pprof;
}
