/* SPDX-License-Identifier: BSD-2-Clause */
/* history.c - see history.h. */
#include "config.h"

#include "ui/history.h"

#include "base/clock.h"

static void sum_kinds(const struct slice_view *v, double sum[TIME_NR])
{
	for (size_t i = 0; i < v->n; i++) {
		const double ns = (double)v->fact[i].weight_ns;

		if (v->fact[i].kind == EVENT_SAMPLE)
			sum[TIME_RUNNING] += ns;
		else if (v->fact[i].kind == EVENT_RUNNABLE)
			sum[TIME_RUNNABLE] += ns;
		else if (v->fact[i].kind == EVENT_BLOCKED)
			sum[TIME_BLOCKED] += ns;
	}
}

static void spread(const struct slice_view *v, uint64_t end_ns, struct history *h)
{
	double sum[TIME_NR] = { 0 };

	sum_kinds(v, sum);
	for (unsigned int i = 0; i < h->n; i++) {
		const uint64_t to = end_ns - i * NSEC_PER_SEC, from = to - NSEC_PER_SEC;
		const uint64_t a = v->from_ns > from ? v->from_ns : from, b = v->to_ns < to ? v->to_ns : to;
		const double share = a < b ? (double)(b - a) / (double)(v->to_ns - v->from_ns) : 0;

		for (int k = 0; k < TIME_NR; k++)
			h->level[k][i] += sum[k] * share / (double)NSEC_PER_SEC;
	}
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
			spread(&v, end, ret);
	}
}

double history_now(const struct history *h, enum time_kind kind)
{
	const unsigned int n = h->n < HISTORY_NOW ? h->n : HISTORY_NOW;
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += h->level[kind][i];
	return n ? sum / n : -1;
}
