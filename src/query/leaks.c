/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks.c - from facts of blocks to a row for each site, in two passes: sums first, and histories of
 * those that have a row, as these are large.
 */
#include "config.h"

#include "query/leaks.h"

#include "base/clock.h"
#include "base/keyed.h"
#include "base/octave.h"
#include "base/units.h"
#include "model/allocation.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/stack_signature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_OF_BLOCKS (1u << EVENT_ALLOC | 1u << EVENT_FREE | 1u << EVENT_IN_USE)

/* The sums of a site. */
struct site_sum {
	uint64_t key;
	uint64_t in_use, blocks, leaked, allocated, freed, temporary;
	double variance;
	stack_id stack;
	uint64_t heaviest;       /* what that has in use, or allocated where nothing is */
	uint32_t row;            /* UINT32_MAX = it has none of its own */
};

struct leaks_builder {
	struct leaks *l;
	const struct leaks_wish *wish;
	struct filter filter;
	struct stack_signature reading;
	KEYED(struct site_sum) site;
	uint64_t from_ns, to_ns; /* of the slices that are asked for */
	bool failed;
};

static bool is_old_enough(const struct leaks_builder *b, const struct allocation *a)
{
	return octave_middle(a->age) >= b->wish->older_ns / NSEC_PER_MSEC;
}

static struct site_sum *leaks_site(struct leaks_builder *b, stack_id stack)
{
	const uint64_t key = stack_signature_hash(&b->reading, stack);
	const struct site_sum want = { .key = key, .stack = stack, .row = UINT32_MAX };
	const uint32_t id = key ? keyed_get(&b->site, &want, in_use) : HIDX_NONE;

	b->failed |= id == HIDX_NONE;
	return id != HIDX_NONE ? &b->site.v[id] : NULL;
}

static void leaks_add(struct leaks_builder *b, const struct fact *f, const struct slice_view *v)
{
	const struct allocation a = allocation_of(dict_get_argument(b->l->dict, f->argument));
	struct site_sum *s = leaks_site(b, f->stack);
	const bool in_use = f->kind == EVENT_IN_USE && is_old_enough(b, &a);

	if (!s)
		return;
	b->from_ns = v->from_ns < b->from_ns ? v->from_ns : b->from_ns;
	b->to_ns = v->to_ns > b->to_ns ? v->to_ns : b->to_ns;
	if (in_use) {
		s->in_use = add_capped(s->in_use, f->weight);
		s->blocks += f->count;
		s->leaked += a.leaked ? f->weight : 0;
		s->variance += alloc_variance(&a, f->weight);
	} else if (f->kind == EVENT_ALLOC) {
		s->allocated = add_capped(s->allocated, f->weight);
	} else if (f->kind == EVENT_FREE) {
		s->freed = add_capped(s->freed, f->weight);
		s->temporary += a.temporary ? f->weight : 0;
	}
	if ((in_use || !s->in_use) && f->weight > s->heaviest) {
		s->heaviest = f->weight;
		s->stack = f->stack;
	}
}

static int cmp_site(const void *va, const void *vb)
{
	const struct site_sum *a = *(struct site_sum *const *)va, *b = *(struct site_sum *const *)vb;

	if (a->in_use != b->in_use)
		return a->in_use < b->in_use ? 1 : -1;
	if (a->allocated != b->allocated)
		return a->allocated < b->allocated ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void leaks_begin_row(struct leak_site *r, const struct leaks_builder *b)
{
	r->stack = STACK_ROOT;
	r->history.from_ns = b->from_ns;
	r->history.to_ns = b->to_ns;
}

static void leaks_add_sum(struct leak_site *r, const struct site_sum *s)
{
	r->in_use = add_capped(r->in_use, s->in_use);
	r->blocks += s->blocks;
	r->leaked += s->leaked;
	r->allocated = add_capped(r->allocated, s->allocated);
	r->freed = add_capped(r->freed, s->freed);
	r->temporary += s->temporary;
	r->error = sqrt(r->error * r->error + s->variance);
}

/* Chooses who has a row. */
static bool leaks_choose(struct leaks_builder *b)
{
	AUTO_FREE struct site_sum **order = calloc(b->site.n + 1, sizeof(struct site_sum *));
	struct leaks *l = b->l;
	double least;

	leaks_begin_row(&l->all, b);
	for (size_t i = 0; order && i < b->site.n; i++) {
		order[i] = &b->site.v[i];
		leaks_add_sum(&l->all, order[i]);
	}
	l->row = order ? calloc((b->site.n < LEAKS_MAX ? b->site.n : LEAKS_MAX) + 1, sizeof(*l->row)) : NULL;
	if (!l->row)
		return false;
	qsort(order, b->site.n, sizeof(struct site_sum *), cmp_site);
	least = fmax((double)b->wish->min_bytes, (double)l->all.in_use * b->wish->min_percent / 100);
	while (l->n < b->site.n && l->n < LEAKS_MAX && (double)order[l->n]->in_use >= least) {
		order[l->n]->row = (uint32_t)l->n;
		leaks_begin_row(&l->row[l->n], b);
		leaks_add_sum(&l->row[l->n], order[l->n]);
		l->row[l->n].key = order[l->n]->key;
		l->row[l->n].stack = order[l->n]->stack;
		l->n++;
	}
	l->left_out = b->site.n - l->n;
	if (!l->left_out)
		return true;
	leaks_begin_row(&l->row[l->n], b);
	for (size_t i = l->n; i < b->site.n; i++) {
		order[i]->row = (uint32_t)l->n;
		leaks_add_sum(&l->row[l->n], order[i]);
	}
	l->n++;
	return true;
}

static void leaks_note(struct leak_site *r, const struct fact *f, const struct slice_view *v,
		       const struct allocation *a)
{
	const double bytes = (double)f->weight;

	if (f->kind == EVENT_ALLOC)
		growth_allocated(&r->history, v->from_ns, v->to_ns, bytes, alloc_told(a, f->weight));
	else if (f->kind == EVENT_FREE)
		growth_freed(&r->history, v->from_ns, v->to_ns, bytes, a->age);
	else
		growth_in_use(&r->history, bytes, a->age);
}

/* The histories of the rows. */
static bool leaks_tell(struct leaks_builder *b)
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a)) {
		const struct site_sum *s = leaks_site(b, a.fact->stack);
		const struct allocation of = allocation_of(dict_get_argument(b->l->dict, a.fact->argument));

		if (!s)
			return false;
		leaks_note(&b->l->row[s->row], a.fact, &a.v, &of);
	}
	for (size_t i = 0; i < b->l->n; i++) {
		growth_judge(&b->l->row[i].history, &b->l->row[i].growth);
		growth_add(&b->l->all.history, &b->l->row[i].history);
	}
	growth_judge(&b->l->all.history, &b->l->all.growth);
	return true;
}

/* Slices are whole seconds: the first and the last are longer than what was seen. */
static void leaks_bound(struct leaks_builder *b)
{
	const struct leaks_wish *w = b->wish;

	if (w->from_ns > b->from_ns && w->from_ns < b->to_ns)
		b->from_ns = w->from_ns;
	if (w->to_ns > b->from_ns && w->to_ns < b->to_ns)
		b->to_ns = w->to_ns;
	b->from_ns = b->from_ns < b->to_ns ? b->from_ns : b->to_ns;
}

static bool leaks_fill(struct leaks_builder *b)
{
	struct asked a = { 0 };

	b->from_ns = UINT64_MAX;
	while (filter_next(&b->filter, &a))
		leaks_add(b, a.fact, &a.v);
	leaks_bound(b);
	return !b->failed && leaks_choose(b) && leaks_tell(b);
}

int leaks_build(const struct snapshot *s, const struct names *names, const struct query *q,
		const struct leaks_wish *wish, struct leaks **ret, struct err *e)
{
	AUTO(leaks_free) struct leaks *l = calloc(1, sizeof(*l));
	const struct query asked = filter_whatever_counts(q);
	struct leaks_builder b = { .l = l, .wish = wish };
	bool ok;

	if (!l)
		return err_nomem(e, "the list of sites that allocate");
	*l = (struct leaks){ .dict = snapshot_dict(s), .names = names, .query = *q };
	ok = filter_init(&b.filter, s, names, &asked);
	ok = stack_signature_init(&b.reading, l->dict, names, q->no_inlines, true) && ok;
	b.filter.kinds = KINDS_OF_BLOCKS;
	b.filter.choosy = 0;
	ok = ok && leaks_fill(&b);
	filter_free(&b.filter);
	stack_signature_free(&b.reading);
	keyed_free(&b.site);
	if (!ok)
		return err_nomem(e, "the list of sites that allocate");
	*ret = take_ptr(l);
	return 0;
}

void leaks_free(struct leaks *l)
{
	if (!l)
		return;
	free(l->row);
	free(l);
}

char *leak_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size)
{
	const struct stack_signature r = { .d = l->dict, .names = l->names, .no_inlines = l->query.no_inlines,
					   .touches = true };

	if (site->key)
		return stack_signature_text(&r, site->stack, dst, size);
	snprintf(dst, size, "(%zu others)", l->left_out);
	return dst;
}

char *leak_verdict(const struct leak_site *site, char dst[LEAK_VERDICT_MAX])
{
	const double told = site->history.allocated_told;
	const struct growth *g = &site->growth;
	char more[UNITS_MAX];

	if (g->verdict == GROWTH_GROWS)
		snprintf(dst, LEAK_VERDICT_MAX, "grows, %.1f %% sure", floor(g->sure * 1000) / 10);
	else if (g->verdict == GROWTH_PLATEAU)
		snprintf(dst, LEAK_VERDICT_MAX, "plateau");
	else if (g->few && told < 0.5)
		snprintf(dst, LEAK_VERDICT_MAX, "cannot tell: no block was sampled");
	else if (g->few)
		snprintf(dst, LEAK_VERDICT_MAX, "cannot tell: %.0f block%s sampled", told,
			 told < 1.5 ? "" : "s");
	else
		snprintf(dst, LEAK_VERDICT_MAX, "cannot tell yet, %s more", units_time(more, g->more_ns));
	return dst;
}
