/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans.c - sorted by start; a search climbs from the last that starts before the address to those
 * around it.
 */
#include "config.h"

#include "symbol/spans.h"

#include "base/order.h"
#include "base/sorted.h"

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
	return compare_numbers(a->outer, b->outer);
}

/* Symbol tables come sorted: a look is cheaper than to sort them once more. */
static bool spans_in_order(const spans *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (cmp_span(&s->v[i - 1], &s->v[i]) > 0)
			return false;
	return true;
}

void spans_seal(spans *s)
{
	if (!spans_in_order(s))
		qsort(s->v, s->n, sizeof(*s->v), cmp_span);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t outer = i ? (uint32_t)i - 1 : SPAN_NONE;

		while (outer != SPAN_NONE && s->v[outer].end <= s->v[i].start)
			outer = s->v[outer].outer;
		s->v[i].outer = outer;
	}
}

/*
 * Climbs from AT to the next span that covers ADDR, or to SPAN_NONE. LEFT bounds the steps of all
 * climbs of a search.
 */
static uint32_t spans_covering(const spans *s, uint32_t at, uint64_t addr, int *left)
{
	while (at != SPAN_NONE && addr >= s->v[at].end)
		at = --*left > 0 ? s->v[at].outer : SPAN_NONE;
	return at;
}

static uint32_t spans_innermost(const spans *s, uint64_t addr, int *left)
{
	const size_t n = count_upto(s->v, s->n, start, addr);

	return spans_covering(s, n ? (uint32_t)(n - 1) : SPAN_NONE, addr, left);
}

const struct span *spans_find(const spans *s, uint64_t addr)
{
	int left = CLIMB_MAX;
	const uint32_t at = spans_innermost(s, addr, &left);

	return at != SPAN_NONE ? &s->v[at] : NULL;
}

const struct span *spans_find_last(const spans *s, uint64_t addr)
{
	const struct span *last = NULL;
	int left = CLIMB_MAX;

	for (uint32_t at = spans_innermost(s, addr, &left); at != SPAN_NONE && left-- > 0;
	     at = spans_covering(s, s->v[at].outer, addr, &left))
		if (!last || s->v[at].value > last->value)
			last = &s->v[at];
	return last;
}
