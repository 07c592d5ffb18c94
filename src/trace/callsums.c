/* SPDX-License-Identifier: BSD-2-Clause */
/* callsums.c - see callsums.h. */
#include "config.h"

#include "trace/callsums.h"

#include "base/keyed.h"

#include <stdlib.h>

struct callsums {
	KEYED(struct callsum) all;
};

struct callsums *callsums_new(void)
{
	return calloc(1, sizeof(struct callsums));
}

void callsums_free(struct callsums *s)
{
	if (!s)
		return;
	keyed_free(&s->all);
	free(s);
}

bool callsums_add(struct callsums *s, uint32_t probe, uint32_t call, bool failed, uint64_t latency_ns, uint32_t count)
{
	const struct callsum want = { .probe = probe, .call = call };
	const uint32_t id = keyed_get(&s->all, &want, hits);
	struct callsum *sum;

	if (id == HIDX_NONE)
		return false;
	sum = &s->all.v[id];
	sum->hits += count;
	sum->errors += failed ? count : 0;
	sum->total_ns += latency_ns;
	if (latency_ns / count > sum->max_ns)
		sum->max_ns = latency_ns / count;
	return true;
}

static int callsums_compare(const void *pa, const void *pb)
{
	const struct callsum *a = pa, *b = pb;

	if (a->total_ns != b->total_ns)
		return (a->total_ns < b->total_ns) - (a->total_ns > b->total_ns);
	if (a->hits != b->hits)
		return (a->hits < b->hits) - (a->hits > b->hits);
	return a->probe != b->probe ? (a->probe > b->probe) - (a->probe < b->probe) :
		(a->call > b->call) - (a->call < b->call);
}

const struct callsum *callsums_sorted(struct callsums *s, size_t *ret_n)
{
	/* The index is of the order before. */
	hidx_free(&s->all.index);
	*ret_n = s->all.n;
	if (s->all.n)
		qsort(s->all.v, s->all.n, sizeof(*s->all.v), callsums_compare);
	return s->all.v;
}
