/* SPDX-License-Identifier: BSD-2-Clause */
/* method.c - the names of methods, ways and walk reasons (method.h). */
#include "config.h"

#include "model/method.h"

static const struct reason_info walks[] = {
#define X(nr, id, name, text, remedy) [nr] = { name, text, remedy },
	WALK_REASONS(X)
#undef X
};

static const struct reason_info ways[] = {
#define X(id, name, text) [WAY_##id] = { name, text, "" },
	UNWIND_WAYS(X)
#undef X
};

static const struct reason_info causes[] = {
#define X(id, name, text) [VERIFY_##id] = { name, text, "" },
	VERIFY_CAUSES(X)
#undef X
};

static const struct reason_info other = { "other", "an unknown reason", "" };

const struct reason_info *walk_info(unsigned int reason)
{
	return reason < WALK_NR ? &walks[reason] : &other;
}

const struct reason_info *unwind_way_info(enum unwind_way way)
{
	return way < WAY_NR ? &ways[way] : &other;
}

const struct reason_info *verify_info(enum verify_cause cause)
{
	return cause < VERIFY_NR ? &causes[cause] : &other;
}

enum unwind_way unwound_way(const struct event *ev)
{
	switch (ev->method) {
	case METHOD_CFI:
	case METHOD_MIXED:
		return WAY_COPY;
	case METHOD_KERNEL:
		return WAY_FRAME_POINTERS;
	case METHOD_RECORDS:
		return WAY_CPU_RECORDS;
	case METHOD_RULES:
		return ev->cut == CUT_STALE ? WAY_NONE : WAY_KERNEL;
	case METHOD_NONE:
		return ev->cut == CUT_COMPLETE ? WAY_NR : WAY_NONE;
	default:
		return WAY_NR;
	}
}

void unwound_count(struct unwound *u, const struct event *ev, uint64_t n)
{
	const enum unwind_way way = unwound_way(ev);

	if (way < WAY_NR)
		u->way[way] += n;
	if (way != WAY_COPY)
		return;
	if (ev->walk < WALK_NR)
		u->walk[ev->walk] += n;
	if (ev->flags & EVENT_F_LEARNT)
		u->learned += n;
}

struct unwound unwound_without(const struct unwound *all, const struct unwound *part)
{
	struct unwound rest = *all;

	for (unsigned int i = 0; i < WAY_NR; i++)
		rest.way[i] -= part->way[i];
	for (unsigned int i = 0; i < WALK_NR; i++)
		rest.walk[i] -= part->walk[i];
	rest.learned -= part->learned;
	return rest;
}

uint64_t unwound_total(const struct unwound *u)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < WAY_NR; i++)
		sum += u->way[i];
	return sum;
}
