/* SPDX-License-Identifier: BSD-2-Clause */
/* hold_tables.c - see hold_tables.h. */
#include "config.h"

#include "capture/hold_tables.h"

#include "base/fdmessage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE_MORE (SB_COOKIE(0, 0xffff) | SB_COOKIE_BRANCH | SB_COOKIE_RETURNED | SB_COOKIE_ROOT | SB_COOKIE_LEFT | \
		     SB_COOKIE_INLINED)

/* One table: its elements, how many are told, and how many there is room for. */
struct hold_table {
	void *v;
	size_t size;
	uint32_t n, room;
};

#define HOLD_TABLES 5u

static void tables_list(const struct hold_plan *p, const struct hold_tables *t, struct hold_table ret[HOLD_TABLES])
{
	const struct hold_table all[HOLD_TABLES] = {
		{ t->calls, sizeof(*t->calls), p->nr_calls, p->nr_calls },
		{ t->traces, sizeof(*t->traces), p->nr_traces, p->nr_traces },
		{ t->filters, sizeof(*t->filters), p->nr_filters, p->nr_filters },
		{ t->loads, sizeof(*t->loads), p->nr_loads, p->loaded ? SB_LOAD_SETS : 0 },
		{ t->wishes, SB_CALLS_MAX * sizeof(*t->wishes), p->wishes, p->wishes },
	};

	memcpy(ret, all, sizeof(all));
}

int hold_tables_send(int socket, const struct hold_plan *p, const struct capture_plan *plan)
{
	const struct hold_tables t = {
		.calls = (struct capture_call *)(uintptr_t)plan->calls,
		.traces = (struct capture_trace *)(uintptr_t)plan->traces,
		.filters = (struct capture_filter *)(uintptr_t)plan->filters,
		.loads = (struct sb_loads *)(uintptr_t)plan->loads,
		.wishes = (struct sb_call_wish *)(uintptr_t)plan->call_wishes,
	};
	struct hold_table all[HOLD_TABLES];
	int r = 0;

	tables_list(p, &t, all);
	for (unsigned int k = 0; k < HOLD_TABLES; k++)
		for (uint32_t i = 0; i < all[k].n && !r; i++)
			r = fdmessage_send(socket, (const char *)all[k].v + i * all[k].size, all[k].size, -1);
	return r;
}

int hold_tables_take(int socket, const struct hold_plan *p, struct hold_tables *ret)
{
	void **const to[HOLD_TABLES] = {
		(void **)&ret->calls, (void **)&ret->traces, (void **)&ret->filters, (void **)&ret->loads,
		(void **)&ret->wishes,
	};
	struct hold_table all[HOLD_TABLES];

	*ret = (struct hold_tables){ 0 };
	tables_list(p, ret, all);
	for (unsigned int k = 0; k < HOLD_TABLES; k++) {
		const size_t size = all[k].size;

		*to[k] = all[k].room ? calloc(all[k].room, size) : NULL;
		if (all[k].room && !*to[k])
			return -ENOMEM;
		for (uint32_t i = 0; i < all[k].n; i++)
			if (fdmessage_take(socket, (char *)*to[k] + i * size, size, NULL) != (ssize_t)size)
				return -EPIPE;
	}
	return 0;
}

void hold_tables_clear(struct hold_tables *t)
{
	free(t->calls);
	free(t->traces);
	free(t->filters);
	free(t->loads);
	free(t->wishes);
	*t = (struct hold_tables){ 0 };
}

static bool tables_are_calls(const struct hold_tables *t, const struct hold_plan *p)
{
	for (uint32_t i = 0; i < p->nr_calls; i++) {
		const struct capture_call *c = &t->calls[i];

		if (c->nr >= SB_CALLS_MAX || c->probe >= PROBES_MAX || (c->loads && c->loads >= p->nr_loads))
			return false;
	}
	return true;
}

static bool tables_is_trace(const struct capture_trace *t, const struct hold_plan *p)
{
	return memchr(t->name, 0, sizeof(t->name)) && (unsigned int)t->how < CAPTURE_TRACE_HOWS &&
		t->probe < PROBES_MAX && t->span <= SB_SPAN_END && (!t->loads || t->loads < p->nr_loads) &&
		!(t->more & ~(uint64_t)COOKIE_MORE);
}

static bool tables_are_filters(const struct hold_tables *t, const struct hold_plan *p)
{
	for (uint32_t i = 0; i < p->nr_filters; i++)
		if (t->filters[i].probe >= (p->spans ? 2 : 1) * SB_PROBES)
			return false;
	return true;
}

static bool tables_are_loads(const struct hold_tables *t, const struct hold_plan *p)
{
	for (uint32_t i = 0; i < p->nr_loads; i++)
		if (t->loads[i].args >= p->nr_loads || t->loads[i].print >= p->nr_loads)
			return false;
	return true;
}

int hold_tables_check(const struct hold_tables *t, const struct hold_plan *p, struct err *e)
{
	bool good = tables_are_calls(t, p) && tables_are_filters(t, p) && tables_are_loads(t, p);

	for (uint32_t i = 0; i < p->nr_traces && good; i++)
		good = tables_is_trace(&t->traces[i], p);
	return good ? 0 : err_set(e, EINVAL, "sberf-collector was told of probes that cannot be");
}

void hold_tables_plan(struct hold_tables *t, const struct hold_plan *p, struct capture_plan *ret)
{
	ret->calls = t->calls;
	ret->traces = t->traces;
	ret->filters = t->filters;
	ret->loads = p->loaded ? t->loads : NULL;
	ret->call_wishes = t->wishes;
}

/* Is all that L reads memory of a program? SHOWN: what is at its address is read, too. */
static bool loads_is_of_user(const struct sb_load *l, bool shown)
{
	const uint32_t all = (1u << l->hops) - 1;

	if (!l->size)
		return true;
	/* Where the string is says the record of a tracepoint. */
	if (l->hops > SB_HOPS || (l->size >= SB_LOAD_TEXT && l->scale))
		return false;
	return (l->user & all) == all && (l->hops || !(shown || l->size >= SB_LOAD_TEXT));
}

static bool loads_are_of_user(const struct sb_loads *set, bool shown)
{
	for (unsigned int i = 0; i < SB_LOADS; i++)
		if (!loads_is_of_user(&set->load[i], shown))
			return false;
	return true;
}

bool hold_loads_of_user(const struct sb_loads *sets, uint32_t at)
{
	const struct sb_loads *set = at < SB_LOAD_SETS ? &sets[at] : NULL;

	return set && set->args < SB_LOAD_SETS && set->print < SB_LOAD_SETS && loads_are_of_user(set, false) &&
		loads_are_of_user(&sets[set->args], false) && loads_are_of_user(&sets[set->print], true);
}
