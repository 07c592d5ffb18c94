/* SPDX-License-Identifier: BSD-2-Clause */
/* spans.c - sorted by start; a search climbs from the last that starts before the address to those around it. */
#include "config.h"

#include "symbol/spans.h"

#include <stdlib.h>

#define CLIMB_MAX 4096               /* spans looked at in one search: deeper nesting is damage */

bool spans_add(spans *s, uint64_t start, uint64_t end, uint32_t value)
{
	struct span *slot;

	if (start >= end)
		return true;
	if (s->n >= SPAN_NONE)
		return false;
	slot = vec_push(s);
	if (!slot)
		return false;
	/* Until sealed, `outer` is the order of adding. */
	*slot = (struct span){ .start = start, .end = end, .value = value, .outer = (uint32_t)(s->n - 1) };
	return true;
}

static int cmp_span(const void *va, const void *vb)
{
	const struct span *a = va, *b = vb;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	if (a->end != b->end)
		return a->end < b->end ? 1 : -1;
	return (a->outer > b->outer) - (a->outer < b->outer);
}

void spans_seal(spans *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), cmp_span);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t outer = i ? (uint32_t)i - 1 : SPAN_NONE;

		while (outer != SPAN_NONE && s->v[outer].end <= s->v[i].start)
			outer = s->v[outer].outer;
		s->v[i].outer = outer;
	}
}

uint32_t spans_find(const spans *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n;
	uint32_t at;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	at = lo ? (uint32_t)(lo - 1) : SPAN_NONE;
	for (int climbed = 0; at != SPAN_NONE && climbed < CLIMB_MAX; at = s->v[at].outer, climbed++)
		if (addr < s->v[at].end)
			return s->v[at].value;
	return SPAN_NONE;
}
