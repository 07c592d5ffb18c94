/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heatquery.c - adds up, for the heat map, when the time of a question was spent: slice by slice,
 * and for a wait that is longer than its slice the part before that slice as well.
 */
#include "config.h"

#include "query/heatquery.h"

#include "query/filter.h"

/*
 * How much of X, a fact of V, was before V: a thread cannot wait for longer than a slice lasts. Who
 * stands for many can.
 */
static uint64_t before_slice(const struct filter *f, const struct slice_view *v, const struct fact *x)
{
	const uint64_t length = v->to_ns - v->from_ns;

	if (!EVENT_IS_WAIT(x->kind) || x->weight <= length || !dict_get_thread(f->d, x->thread)->tid)
		return 0;
	return x->weight - length < v->from_ns ? x->weight - length : v->from_ns;
}

/* Adds what F asks for in V. */
static void heatquery_add_slice(struct heat *h, struct filter *f, const struct slice_view *v)
{
	double sum[TIME_NR] = { 0 };

	for (size_t i = 0; i < v->n; i++) {
		const struct fact *x = &v->fact[i];
		const enum time_kind kind = heat_kind(x->kind);
		struct fact plain;
		uint64_t before;

		if (kind == TIME_NR || !filter_fact(f, v, x, filter_plain(f, &x, &plain)))
			continue;
		before = before_slice(f, v, x);
		if (before)
			heat_add(h, kind, v->from_ns - before, v->from_ns, (double)before);
		sum[kind] += (double)(x->weight - before);
	}
	for (unsigned int k = 0; k < TIME_NR; k++) {
		if (sum[k] > 0)
			heat_add(h, (enum time_kind)k, v->from_ns, v->to_ns, sum[k]);
	}
}

bool heat_query(const struct snapshot *s, const struct names *names, const struct query *q, struct heat *ret)
{
	struct query all = *q;
	struct slice_view v = { 0 };
	struct filter f;
	bool ok;

	all.from_ns = all.to_ns = 0;
	ok = filter_init(&f, s, names, &all);
	while (ok && snapshot_next(s, &v))
		heatquery_add_slice(ret, &f, &v);
	filter_free(&f);
	return ok;
}
