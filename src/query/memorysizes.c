/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memorysizes.c - in two passes: the processes and the moments of their readings first, as nobody knows
 * before which reading is the last; then what each moment has.
 */
#include "config.h"

#include "query/memorysizes.h"

#include "base/order.h"
#include "model/kind.h"
#include "profile/slice.h"
#include "query/filter.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX

struct history_builder {
	struct memory_history *h;
	struct filter filter;
	uint32_t *process;       /* by thread: its place in H, or NOBODY */
	bool failed;
};

void memory_history_free(struct memory_history *h)
{
	if (!h)
		return;
	vec_free(&h->moment);
	vec_free(&h->process);
	free(h);
}

static void sizes_put(struct memory_sizes *to, unsigned int size, uint64_t bytes)
{
	to->bytes[size] = bytes;
	to->known |= 1u << size;
}

/* The moment of slice V, which is the last one or comes behind it; NULL when out of memory. */
static struct sizes_moment *history_moment(struct memory_history *h, const struct slice_view *v)
{
	struct sizes_moment *m = h->moment.n ? &h->moment.v[h->moment.n - 1] : NULL;

	if (m && m->from_ns == v->from_ns)
		return m;
	m = vec_push(&h->moment);
	if (m)
		*m = (struct sizes_moment){ .from_ns = v->from_ns, .to_ns = v->to_ns };
	return m;
}

static struct sizes_process *history_process(struct history_builder *b, thread_id thread)
{
	uint32_t *at = &b->process[thread];
	struct sizes_process *p;

	if (*at != NOBODY)
		return &b->h->process.v[*at];
	p = vec_push(&b->h->process);
	if (!p)
		return NULL;
	*at = (uint32_t)(b->h->process.n - 1);
	*p = (struct sizes_process){ .thread = thread, .first = (uint32_t)b->h->moment.n - 1 };
	return p;
}

/* The size that fact F is about; SIZE_NR = of one that is not known here. */
static unsigned int history_size(const struct history_builder *b, const struct fact *f)
{
	const uint64_t size = dict_get_argument(b->filter.d, f->argument);

	return size < SIZE_NR ? (unsigned int)size : SIZE_NR;
}

/* What F says of SIZE, which it is about. */
static uint64_t history_bytes(const struct fact *f, unsigned int size)
{
	if (size == SIZE_PEAK)
		return (uint64_t)f->largest;
	return f->count ? f->weight / f->count : 0;
}

static void history_note(struct history_builder *b, const struct asked *a)
{
	const unsigned int size = history_size(b, a->fact);
	struct sizes_moment *m = history_moment(b->h, &a->v);
	struct sizes_process *p = m ? history_process(b, b->filter.same[a->fact->thread]) : NULL;
	const uint64_t bytes = history_bytes(a->fact, size);

	b->failed |= !p;
	if (!p || size == SIZE_NR)
		return;
	p->last = (uint32_t)b->h->moment.n - 1;
	if (!(p->begin.known >> size & 1))
		sizes_put(&p->begin, size, bytes);
	sizes_put(&p->end, size, bytes);
}

/*
 * What was resident at most in a slice with the LARGEST readings of each size: not more than the most that the kernel
 * knows of, as they may be of several readings.
 */
static uint64_t history_most(const struct memory_sizes *largest)
{
	const uint64_t resident = memory_resident(largest), peak = largest->bytes[SIZE_PEAK];

	return largest->known >> SIZE_PEAK & 1 && peak < resident ? peak : resident;
}

/* Adds to moment AT what each process has there. */
static void history_sum(struct memory_history *h, uint32_t at)
{
	struct memory_sizes *to = &h->moment.v[at].sizes;

	for (size_t i = 0; i < h->process.n; i++) {
		struct sizes_process *p = &h->process.v[i];
		const uint64_t most = history_most(&p->largest);

		if (at < p->first || at > p->last)
			continue;
		p->most = most > p->most ? most : p->most;
		h->moment.v[at].most = add_capped(h->moment.v[at].most, most);
		p->largest = p->end;
		to->known |= p->end.known;
		for (unsigned int k = 0; k < SIZE_NR; k++)
			to->bytes[k] = add_capped(to->bytes[k], p->end.bytes[k]);
	}
}

static void history_fill(struct history_builder *b)
{
	struct asked a = { 0 };
	uint32_t at = 0;

	while (!b->failed && filter_next(&b->filter, &a))
		history_note(b, &a);
	for (size_t i = 0; i < b->h->process.n; i++)
		b->h->process.v[i].end = (struct memory_sizes){ 0 };
	a = (struct asked){ 0 };
	while (!b->failed && filter_next(&b->filter, &a)) {
		const unsigned int size = history_size(b, a.fact);
		struct sizes_process *p = &b->h->process.v[b->process[b->filter.same[a.fact->thread]]];

		for (; b->h->moment.v[at].from_ns != a.v.from_ns; at++)
			history_sum(b->h, at);
		if (size != SIZE_NR) {
			sizes_put(&p->end, size, history_bytes(a.fact, size));
			sizes_put(&p->largest, size, (uint64_t)a.fact->largest);
		}
	}
	if (b->h->moment.n)
		history_sum(b->h, at);
}

static int cmp_history(const void *va, const void *vb)
{
	const struct sizes_process *a = va, *b = vb;
	const int r = compare_numbers(memory_resident(&b->end), memory_resident(&a->end));

	return r ? r : compare_numbers(a->thread, b->thread);
}

int memory_history_build(const struct snapshot *s, const struct names *names, const struct query *q,
			 struct memory_history **ret, struct err *e)
{
	AUTO(memory_history_free) struct memory_history *h = calloc(1, sizeof(*h));
	const struct query asked = filter_whatever_counts(q);
	struct history_builder b = { .h = h };
	bool ok;

	if (!h)
		return err_nomem(e, "sizes of memory");
	ok = filter_init(&b.filter, s, names, &asked);
	b.process = ok ? malloc((b.filter.threads + 1) * sizeof(*b.process)) : NULL;
	ok = b.process != NULL;
	for (uint32_t i = 0; ok && i < b.filter.threads; i++)
		b.process[i] = NOBODY;
	b.filter.kinds = 1u << EVENT_SIZE;
	b.filter.choosy = 0;
	if (ok)
		history_fill(&b);
	ok = ok && !b.failed;
	filter_free(&b.filter);
	free(b.process);
	if (!ok)
		return err_nomem(e, "sizes of memory");
	if (h->process.n > 1)
		qsort(h->process.v, h->process.n, sizeof(h->process.v[0]), cmp_history);
	*ret = take_ptr(h);
	return 0;
}
