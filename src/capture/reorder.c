/* SPDX-License-Identifier: BSD-2-Clause */
/* reorder.c - a binary heap by (time, order of arrival). */
#include "config.h"

#include "capture/reorder.h"

#include <stdlib.h>

static bool reorder_before(const struct reorder_item *a, const struct reorder_item *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->seq < b->seq;
}

bool reorder_put(struct reorder *r, const struct reorder_item *it)
{
	struct reorder_item *v = vec_push(&r->heap), item = *it;
	size_t at, up;

	if (!v)
		return false;
	item.seq = r->seq++;
	v = r->heap.v;
	for (at = r->heap.n - 1; at; at = up) {
		up = (at - 1) / 2;
		if (!reorder_before(&item, &v[up]))
			break;
		v[at] = v[up];
	}
	v[at] = item;
	return true;
}

/* Puts ITEM where the root was and lets it sink. */
static void reorder_sink(struct reorder_item *v, size_t n, const struct reorder_item *item)
{
	size_t at = 0, down;

	while ((down = 2 * at + 1) < n) {
		if (down + 1 < n && reorder_before(&v[down + 1], &v[down]))
			down++;
		if (!reorder_before(&v[down], item))
			break;
		v[at] = v[down];
		at = down;
	}
	v[at] = *item;
}

bool reorder_take(struct reorder *r, uint64_t watermark_ns, struct reorder_item *ret)
{
	struct reorder_item *v = r->heap.v, last;

	if (!r->heap.n || v[0].time_ns > watermark_ns)
		return false;
	*ret = v[0];
	last = v[--r->heap.n];
	if (r->heap.n)
		reorder_sink(v, r->heap.n, &last);
	if (ret->time_ns < r->passed_ns)
		r->late++;
	else
		r->passed_ns = ret->time_ns;
	return true;
}

void reorder_free(struct reorder *r)
{
	vec_free(&r->heap);
}
