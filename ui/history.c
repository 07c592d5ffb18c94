/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history.c - computes how much ran and waited in each of the last seconds, for the sparklines of
 * the header.
 */
#include "config.h"

#include "ui/history.h"

#include "base/clock.h"

#include <string.h>

#define PULSE_NS (NSEC_PER_SEC - NSEC_PER_SEC / 20)      /* looks come a little early at times */

/* NS of KIND, evenly from FROM_NS to TO_NS. The last second of H ends at END_NS. */
static void history_spread(struct history *h, uint64_t end_ns, enum time_kind kind, double ns,
			   uint64_t from_ns, uint64_t to_ns)
{
	const double level = ns / (double)(to_ns - from_ns);
	unsigned int i = to_ns < end_ns ? (unsigned int)((end_ns - to_ns) / NSEC_PER_SEC) : 0;

	for (; i < h->n && end_ns - i * NSEC_PER_SEC > from_ns; i++) {
		const uint64_t to = end_ns - i * NSEC_PER_SEC, from = to - NSEC_PER_SEC;
		const uint64_t a = from_ns > from ? from_ns : from, b = to_ns < to ? to_ns : to;

		if (a < b)
			h->level[kind][i] += level * (double)(b - a) / (double)NSEC_PER_SEC;
	}
}

/*
 * How much of F, a fact of V, lasted before V began: a thread cannot wait for longer than a slice
 * lasts, so a wait that was told whole, or in large pieces, was under way before. Who stands for
 * many threads can.
 */
static uint64_t began_before(const struct snapshot *s, const struct slice_view *v, const struct fact *f)
{
	const uint64_t length = v->to_ns - v->from_ns;

	if (!EVENT_IS_WAIT(f->kind) || f->weight <= length || !dict_get_thread(snapshot_dict(s), f->thread)->tid)
		return 0;
	return f->weight - length < v->from_ns ? f->weight - length : v->from_ns;
}

static void history_add_slice(const struct snapshot *s, const struct slice_view *v, uint64_t end_ns, struct history *h)
{
	double sum[TIME_NR] = { 0 };

	for (size_t i = 0; i < v->n; i++) {
		const struct fact *f = &v->fact[i];
		const enum time_kind kind = f->kind == EVENT_SAMPLE ? TIME_RUNNING :
					    f->kind == EVENT_RUNNABLE ? TIME_RUNNABLE :
					    f->kind == EVENT_BLOCKED ? TIME_BLOCKED : TIME_NR;
		uint64_t before;

		if (kind == TIME_NR)
			continue;
		before = began_before(s, v, f);
		if (before)
			history_spread(h, end_ns, kind, (double)before, v->from_ns - before, v->from_ns);
		sum[kind] += (double)(f->weight - before);
	}
	for (int k = 0; k < TIME_NR; k++)
		history_spread(h, end_ns, (enum time_kind)k, sum[k], v->from_ns, v->to_ns);
}

void history_of(const struct snapshot *s, uint64_t start_ns, uint64_t end_ns, struct history *ret)
{
	const uint64_t end = end_ns - end_ns % NSEC_PER_SEC;
	const uint64_t seconds = end > start_ns ? (end - start_ns) / NSEC_PER_SEC : 0;
	struct slice_view v;

	*ret = (struct history){ .n = seconds < HISTORY_MAX ? (unsigned int)seconds : HISTORY_MAX };
	for (size_t i = snapshot_slices(s); ret->n && i-- > 0;) {
		snapshot_slice(s, i, &v);
		if (v.to_ns <= end - ret->n * NSEC_PER_SEC)
			break;
		if (v.to_ns > v.from_ns)
			history_add_slice(s, &v, end, ret);
	}
}

/* Puts SECONDS of the same levels before what is known. */
static void history_push(struct history *h, unsigned int seconds, const double level[TIME_NR])
{
	const unsigned int n = seconds < HISTORY_MAX ? seconds : HISTORY_MAX;
	const unsigned int kept = h->n + n < HISTORY_MAX ? h->n : HISTORY_MAX - n;

	for (int k = 0; k < TIME_NR; k++) {
		memmove(&h->level[k][n], &h->level[k][0], kept * sizeof(h->level[k][0]));
		for (unsigned int i = 0; i < n; i++)
			h->level[k][i] = level[k];
	}
	h->n = kept + n;
}

/* What totals grew by since the last look, spread over the whole seconds that passed. */
static void push_growth(struct pulse *p, uint64_t passed_ns, const uint64_t total_ns[TIME_NR])
{
	double level[TIME_NR];

	for (int k = 0; k < TIME_NR; k++)
		level[k] = (double)(total_ns[k] - p->total_ns[k]) / (double)passed_ns;
	history_push(&p->history, (unsigned int)((passed_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC), level);
}

void pulse_beat(struct pulse *p, uint64_t at_ns, const uint64_t total_ns[TIME_NR])
{
	bool goes_on = p->begun && at_ns >= p->at_ns;

	for (int k = 0; k < TIME_NR; k++)
		goes_on = goes_on && total_ns[k] >= p->total_ns[k];
	if (goes_on && at_ns - p->at_ns < PULSE_NS)
		return;
	if (goes_on)
		push_growth(p, at_ns - p->at_ns, total_ns);
	else
		p->history.n = 0;
	p->begun = true;
	p->at_ns = at_ns;
	memcpy(p->total_ns, total_ns, sizeof(p->total_ns));
}

void history_overlay(const struct history *base, const struct history *over, struct history *ret)
{
	*ret = *base;
	for (int k = 0; k < TIME_NR; k++)
		memcpy(ret->level[k], over->level[k], over->n * sizeof(ret->level[k][0]));
	if (over->n > ret->n)
		ret->n = over->n;
}

double history_now(const struct history *h, enum time_kind kind)
{
	const unsigned int n = h->n < HISTORY_NOW ? h->n : HISTORY_NOW;
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += h->level[kind][i];
	return n ? sum / n : -1;
}
