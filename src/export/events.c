/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.c - passes the single events of a view to an exporter, in the order of time. Each is
 * judged together with the slice of its time. A heap restores the order, since waits are sometimes
 * known only a second after they ended.
 */
#include "config.h"

#include "export/events.h"

#include "base/sizes.h"

#include <errno.h>
#include <stdlib.h>

/* events that are put in order at a time: seconds of a busy capture, and 4 MB */
#define WINDOW BUFFER_SIZE(32768u, 16u)

struct held {
	struct event ev;
	uint64_t seq;            /* equal times keep their order */
	unsigned int is;
};

struct pass {
	const struct snapshot *snapshot;
	const struct dict *dict;
	struct filter filter;
	size_t slices;
	size_t at;               /* the slice that the last event was in: the next is most often there too */
	asked_event_fn *fn;
	void *ctx;
	struct held *heap;       /* the earliest at 0; of WINDOW */
	size_t held;
	uint64_t seq;
};

static bool events_earlier(const struct held *a, const struct held *b)
{
	return a->ev.time_ns != b->ev.time_ns ? a->ev.time_ns < b->ev.time_ns : a->seq < b->seq;
}

/* Puts H into the heap, from the bottom up. */
static void events_hold(struct pass *p, const struct held *h)
{
	size_t at = p->held++;

	while (at && events_earlier(h, &p->heap[(at - 1) / 2])) {
		p->heap[at] = p->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	p->heap[at] = *h;
}

/* Takes the earliest out and hands it on. */
static int events_let_go(struct pass *p)
{
	const struct held first = p->heap[0], last = p->heap[--p->held];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < p->held; at = child) {
		if (child + 1 < p->held && events_earlier(&p->heap[child + 1], &p->heap[child]))
			child++;
		if (!events_earlier(&p->heap[child], &last))
			break;
		p->heap[at] = p->heap[child];
	}
	p->heap[at] = last;
	return p->fn(p->ctx, &first.ev, first.is);
}

/* The slice of TIME_NS: the last that begins before it, or the first. */
static size_t find_slice(const struct pass *p, uint64_t time_ns, struct slice_view *ret)
{
	size_t low = 0, high = p->slices;

	snapshot_slice(p->snapshot, p->at, ret);
	if (ret->from_ns <= time_ns && time_ns < ret->to_ns)
		return p->at;
	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;

		snapshot_slice(p->snapshot, mid, ret);
		if (ret->from_ns <= time_ns)
			low = mid;
		else
			high = mid;
	}
	snapshot_slice(p->snapshot, low, ret);
	return low;
}

static int events_judge(void *ctx, const struct event *ev)
{
	struct pass *p = ctx;
	struct held h = { .ev = *ev, .seq = p->seq++ };
	struct slice_view v;
	int r = 0;

	/* A recording that is being written may have grown since. */
	if (ev->thread >= p->filter.threads || ev->stack >= dict_stacks(p->dict))
		return 0;
	p->at = find_slice(p, ev->time_ns, &v);
	h.is = filter_slice(&p->filter, &v) ? filter_event(&p->filter, ev) : 0;
	if (!h.is)
		return 0;
	h.ev.weight = measure_total(&p->filter.set, ev->weight, ev->count);
	if (p->held == WINDOW)
		r = events_let_go(p);
	if (!r)
		events_hold(p, &h);
	return r;
}

int events_each(const struct export_view *v, const struct query *q, asked_event_fn *fn, void *ctx, struct err *e)
{
	struct pass p = {
		.snapshot = v->snapshot, .dict = snapshot_dict(v->snapshot), .slices = snapshot_slices(v->snapshot),
		.fn = fn, .ctx = ctx,
	};
	int r = 0;

	if (!v->each_event)
		return err_set(e, ENOTSUP, "this format needs the single events of a recording, and what is read here "
			       "has only sums; "
			       "choose another one with --format, such as pprof or folded");
	if (!p.slices)
		return 0;
	p.heap = malloc(WINDOW * sizeof(*p.heap));
	if (filter_init(&p.filter, v->snapshot, v->names, q) && p.heap)
		r = v->each_event(v->source, events_judge, &p, e);
	else
		r = err_nomem(e, "the filter of events");
	while (!r && p.held)
		r = events_let_go(&p);
	filter_free(&p.filter);
	free(p.heap);
	return r;
}
