/* SPDX-License-Identifier: BSD-2-Clause */
/* timeview.c - computes what the pane of time shows: how much ran and waited when (timeview.h). */
#include "config.h"

#include "query/timeview.h"

#include "base/cleanup.h"
#include "base/order.h"

#include <stdlib.h>

/* Waits that end when the slice does: one for each thread, as it cannot be in two of them at a time. */
struct open_wait {
	thread_id thread;
	uint64_t ns;             /* how long it lasts */
	double level;            /* threads in it */
};

static int by_thread(const void *va, const void *vb)
{
	const struct open_wait *a = va, *b = vb;

	return compare_numbers(a->thread, b->thread);
}

static int longest_first(const void *va, const void *vb)
{
	const struct open_wait *a = va, *b = vb;

	return compare_numbers(b->ns, a->ns);
}

/* Makes one wait of those of each thread among the N of W, of LONGEST_NS at most; how many there are then. */
static size_t one_each(struct open_wait *w, size_t n, uint64_t longest_ns)
{
	size_t out = 0;

	if (n)
		qsort(w, n, sizeof(*w), by_thread);
	for (size_t i = 0; i < n; i++) {
		if (out && w[out - 1].thread == w[i].thread)
			w[out - 1].ns += w[i].ns < UINT64_MAX - w[out - 1].ns ? w[i].ns : UINT64_MAX - w[out - 1].ns;
		else
			w[out++] = w[i];
	}
	for (size_t i = 0; i < out; i++) {
		const uint64_t sum = w[i].ns;

		w[i].ns = sum < longest_ns ? sum : longest_ns;
		w[i].level = (double)sum / (double)w[i].ns;
	}
	return out;
}

/*
 * Adds what of KIND V has. Waits lie over each other and all end with V: so their levels are added
 * up from the longest on, and no time is gone through more than once, however many of them there
 * are. Best effort, as heat_add().
 */
static void add_open(struct heat *h, const struct slice_view *v, enum time_kind kind)
{
	AUTO_FREE struct open_wait *w = calloc(v->n + 1ul, sizeof(*w));
	double level = 0;
	size_t n = 0;

	for (size_t i = 0; w && i < v->n; i++) {
		const struct fact *f = &v->fact[i];

		if (heat_kind(f->kind) == kind && f->weight)
			w[n++] = (struct open_wait){ .thread = f->thread, .ns = f->weight };
	}
	n = v->to_ns ? one_each(w, n, v->to_ns) : 0;
	if (n)
		qsort(w, n, sizeof(*w), longest_first);
	for (size_t i = 0; i < n; i++) {
		const uint64_t left = i + 1 < n ? w[i + 1].ns : 0;

		level += w[i].level;
		heat_add(h, kind, v->to_ns - w[i].ns, v->to_ns - left, level * (double)(w[i].ns - left));
	}
}

static void add_provisional(struct heat *h, const struct slice_view *v)
{
	double running_ns = 0;

	for (size_t i = 0; i < v->n; i++)
		running_ns += heat_kind(v->fact[i].kind) == TIME_RUNNING ? (double)v->fact[i].weight : 0;
	heat_add(h, TIME_RUNNING, v->from_ns, v->to_ns, running_ns);
	add_open(h, v, TIME_RUNNABLE);
	add_open(h, v, TIME_BLOCKED);
}

struct timeview *timeview_new(const struct snapshot *s, const struct names *names, const struct query *q)
{
	AUTO(timeview_free) struct timeview *tv = calloc(1, sizeof(*tv));
	struct slice_view last;

	if (!tv || !heat_share(&tv->heat, snapshot_heat(s)))
		return NULL;
	tv->filtered = q;
	if (tv->filtered && !heat_query(s, names, q, &tv->asked))
		return NULL;
	if (snapshot_last(s, &last) && last.provisional)
		add_provisional(&tv->heat, &last);
	return take_ptr(tv);
}

void timeview_free(struct timeview *tv)
{
	if (!tv)
		return;
	heat_free(&tv->heat);
	heat_free(&tv->asked);
	free(tv);
}

bool timeview_round_out(const struct snapshot *s, uint64_t *from_ns, uint64_t *to_ns)
{
	const uint64_t from = *from_ns, to = *to_ns;
	struct slice_view v = { 0 };
	bool any = false;

	while (snapshot_next(s, &v)) {
		if (!v.n || v.from_ns >= to || v.to_ns <= from)
			continue;
		any = true;
		/* What is provisional lies over the slices of the same time, and ends now. */
		if (v.provisional)
			continue;
		*from_ns = v.from_ns < *from_ns ? v.from_ns : *from_ns;
		*to_ns = v.to_ns > *to_ns ? v.to_ns : *to_ns;
	}
	return any;
}
