/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leaks.c - from facts of blocks to a row for each site, in two passes: sums first, and histories and
 * histograms of those that have a row, as these are large.
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
#include "query/label.h"
#include "query/stack_signature.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREAD_LABEL_MAX 64
#define KINDS_OF_BLOCKS (1u << EVENT_ALLOC | 1u << EVENT_FREE | 1u << EVENT_IN_USE)
#define KINDS_OF_GROWTH (1u << EVENT_GROWN | 1u << EVENT_RETURNED)
#define KINDS_BEGUN (1u << EVENT_ALLOC | 1u << EVENT_GROWN)
#define KINDS_ENDED (1u << EVENT_FREE | 1u << EVENT_RETURNED)

/* The sums of a site. */
struct site_sum {
	uint64_t key;
	uint64_t in_use, blocks, leaked, allocated, allocated_blocks, freed, freed_blocks, temporary;
	double variance, allocated_variance;     /* of what is in use; of what was allocated */
	stack_id stack;
	uint64_t heaviest;       /* what that has in use, or allocated where nothing is */
	uint32_t row;            /* UINT32_MAX = it has none of its own */
};

/* What a thread has at the site of a row. */
struct site_thread {
	uint32_t row;
	thread_id thread;
	uint64_t allocated, in_use;
};

struct leaks_builder {
	struct leaks *l;
	const struct leaks_wish *wish;
	struct filter filter;
	struct stack_signature reading;
	KEYED(struct site_sum) site;
	KEYED(struct site_thread) thread;
	uint64_t from_ns, to_ns; /* of the slices that are asked for */
	bool grown;              /* of memory that grows, not of blocks */
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
	} else if (KINDS_BEGUN >> f->kind & 1) {
		s->allocated_variance += alloc_scaled_variance(&a, f->weight, b->grown ? 1 : b->wish->scale);
		s->allocated = add_capped(s->allocated, f->weight);
		s->allocated_blocks += f->count;
	} else if (KINDS_ENDED >> f->kind & 1) {
		s->freed = add_capped(s->freed, f->weight);
		s->freed_blocks += f->count;
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
	r->unfollowed = b->wish->unfollowed_ns || b->grown;
	r->grown = b->grown;
}

static void leaks_add_sum(struct leak_site *r, const struct site_sum *s)
{
	r->in_use = add_capped(r->in_use, s->in_use);
	r->blocks += s->blocks;
	r->leaked += s->leaked;
	r->allocated = add_capped(r->allocated, s->allocated);
	r->allocated_blocks += s->allocated_blocks;
	r->freed_blocks += s->freed_blocks;
	r->freed = add_capped(r->freed, s->freed);
	r->temporary += s->temporary;
	r->error = sqrt(r->error * r->error + s->variance);
	r->allocated_error = sqrt(r->allocated_error * r->allocated_error + s->allocated_variance);
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

static void leaks_count(struct leak_amount *to, uint64_t bytes, uint64_t blocks)
{
	to->bytes = add_capped(to->bytes, bytes);
	to->blocks += blocks;
}

/* That of HIST for CLASS, which a recording may have made up. */
static struct leak_amount *leaks_power(struct leak_amount hist[OCTAVE_POWERS], unsigned int class)
{
	return &hist[octave_power(class < OCTAVE_CLASSES ? class : OCTAVE_CLASSES - 1)];
}

static void leaks_note(struct leak_site *r, const struct fact *f, const struct slice_view *v,
		       const struct allocation *a)
{
	const double bytes = (double)f->weight;

	if (KINDS_BEGUN >> f->kind & 1) {
		growth_allocated(&r->history, v->from_ns, v->to_ns, bytes, alloc_told(a, f->weight));
		leaks_count(leaks_power(r->sizes, a->size), f->weight, f->count);
	} else if (KINDS_ENDED >> f->kind & 1) {
		growth_freed(&r->history, v->from_ns, v->to_ns, bytes, a->age);
		leaks_count(leaks_power(r->lives, a->age), f->weight, f->count);
	} else {
		growth_in_use(&r->history, bytes, a->age);
		leaks_count(leaks_power(r->ages, a->age), f->weight, f->count);
	}
}

static bool leaks_note_thread(struct leaks_builder *b, uint32_t row, const struct fact *f)
{
	const struct site_thread want = { .row = row, .thread = b->filter.same[f->thread] };
	const bool ended = KINDS_ENDED >> f->kind & 1;
	const uint32_t id = ended ? HIDX_NONE : keyed_get(&b->thread, &want, allocated);
	uint64_t *to;

	if (id == HIDX_NONE)
		return ended;
	to = KINDS_BEGUN >> f->kind & 1 ? &b->thread.v[id].allocated : &b->thread.v[id].in_use;
	*to = add_capped(*to, f->weight);
	return true;
}

static bool is_more(const struct leak_thread *a, const struct leak_thread *b)
{
	return a->allocated != b->allocated ? a->allocated > b->allocated : a->thread < b->thread;
}

/* Gives each row the threads that allocated most there. */
static void leaks_choose_threads(struct leaks_builder *b)
{
	for (size_t i = 0; i < b->thread.n; i++) {
		const struct site_thread *t = &b->thread.v[i];
		struct leak_thread in = { .thread = t->thread, .allocated = t->allocated, .in_use = t->in_use };
		struct leak_site *r = &b->l->row[t->row];

		for (uint32_t k = 0; k < LEAK_THREADS; k++) {
			const struct leak_thread out = r->thread[k];

			if (k < r->threads && !is_more(&in, &out))
				continue;
			r->thread[k] = in;
			if (k >= r->threads)
				break;
			in = out;
		}
		r->threads++;
	}
}

/* Adds the histograms of R to ALL. */
static void leaks_add_histograms(struct leak_site *all, const struct leak_site *r)
{
	for (unsigned int p = 0; p < OCTAVE_POWERS; p++) {
		leaks_count(&all->sizes[p], r->sizes[p].bytes, r->sizes[p].blocks);
		leaks_count(&all->lives[p], r->lives[p].bytes, r->lives[p].blocks);
		leaks_count(&all->ages[p], r->ages[p].bytes, r->ages[p].blocks);
	}
}

/* The histories, histograms and threads of the rows. */
static bool leaks_tell(struct leaks_builder *b)
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a)) {
		const struct site_sum *s = leaks_site(b, a.fact->stack);
		const struct allocation of = allocation_of(dict_get_argument(b->l->dict, a.fact->argument));

		if (!s || !leaks_note_thread(b, s->row, a.fact))
			return false;
		leaks_note(&b->l->row[s->row], a.fact, &a.v, &of);
	}
	for (size_t i = 0; i < b->l->n; i++) {
		growth_judge(&b->l->row[i].history, &b->l->row[i].growth);
		growth_add(&b->l->all.history, &b->l->row[i].history);
		leaks_add_histograms(&b->l->all, &b->l->row[i]);
	}
	leaks_choose_threads(b);
	growth_judge(&b->l->all.history, &b->l->all.growth);
	return true;
}

/* Slices are whole seconds: the first and the last are longer than what was seen. */
static void leaks_bound(struct leaks_builder *b)
{
	const struct leaks_wish *w = b->wish;
	const struct query *q = b->filter.q;

	/* What does not grow any more has no facts; blocks in use do, up to the end. */
	if (b->grown && w->to_ns > w->from_ns && b->from_ns < b->to_ns) {
		b->from_ns = q->from_ns > w->from_ns ? q->from_ns : w->from_ns;
		b->to_ns = q->to_ns && q->to_ns < w->to_ns ? q->to_ns : w->to_ns;
	}
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

/* What Q asks for, of whatever counts: with its sizes, which blocks have. */
static struct query leaks_asked(const struct query *q)
{
	struct query asked = filter_whatever_counts(q);

	for (uint32_t i = 0; i < q->terms.n; i++)
		if (q->terms.v[i].what == TERM_SIZE)
			terms_add(&asked.terms, &q->terms.v[i]);
	return asked;
}

int leaks_build(const struct snapshot *s, const struct names *names, const struct query *q,
		const struct leaks_wish *wish, struct leaks **ret, struct err *e)
{
	AUTO(leaks_free) struct leaks *l = calloc(1, sizeof(*l));
	const struct query asked = leaks_asked(q);
	struct leaks_builder b = { .l = l, .wish = wish,
				   .grown = !snapshot_has(s, EVENT_ALLOC) && snapshot_has(s, EVENT_GROWN) };
	bool ok;

	if (!l)
		return err_nomem(e, "the list of sites that allocate");
	*l = (struct leaks){ .dict = snapshot_dict(s), .names = names, .query = *q,
			     .unfollowed_ns = wish->unfollowed_ns };
	ok = filter_init(&b.filter, s, names, &asked);
	ok = stack_signature_init(&b.reading, l->dict, names, q->no_inlines, true) && ok;
	b.filter.kinds = b.grown ? KINDS_OF_GROWTH : KINDS_OF_BLOCKS;
	b.filter.choosy = 0;
	ok = ok && leaks_fill(&b);
	filter_free(&b.filter);
	stack_signature_free(&b.reading);
	keyed_free(&b.site);
	keyed_free(&b.thread);
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

static struct stack_signature leaks_reading(const struct leaks *l)
{
	return (struct stack_signature){ .d = l->dict, .names = l->names, .no_inlines = l->query.no_inlines,
					 .touches = true };
}

struct leak_first leak_first(const struct leaks *l, const struct leak_site *site)
{
	const struct stack_signature r = leaks_reading(l);
	struct leak_first first = { 0 };

	first.stack = site->key ? stack_signature_first(&r, site->stack, &first.name) : STACK_ROOT;
	return first;
}

char *leak_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size)
{
	const struct stack_signature r = leaks_reading(l);

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
	else if (g->verdict == GROWTH_FREED && g->few)
		snprintf(dst, LEAK_VERDICT_MAX, "all freed: %.0f sampled", fmax(told, 1));
	else if (g->verdict == GROWTH_FREED)
		snprintf(dst, LEAK_VERDICT_MAX, "all freed");
	else if (g->few)
		snprintf(dst, LEAK_VERDICT_MAX, "cannot tell: %.0f sampled", told);
	else
		snprintf(dst, LEAK_VERDICT_MAX, "cannot tell, %s more", units_time(more, g->more_ns));
	return dst;
}

const char *leak_verdict_word(const struct leak_site *site)
{
	switch (site->growth.verdict) {
	case GROWTH_GROWS:
		return "grows";
	case GROWTH_PLATEAU:
		return "plateau";
	case GROWTH_FREED:
		return "freed";
	default:
		return site->growth.few ? "few" : "not yet";
	}
}

char *leak_figure(double bytes, double error, bool ascii, char dst[LEAK_FIGURE_MAX])
{
	char of[UNITS_MAX], off[UNITS_MAX];

	units_bytes(of, (uint64_t)fabs(bytes));
	units_bytes(off, (uint64_t)error);
	snprintf(dst, LEAK_FIGURE_MAX, error >= 1 ? "%s%s %s%s" : "%s%s", bytes <= -1 ? "-" : "", of,
		 ascii ? "+-" : "\xc2\xb1", off);
	return dst;
}

uint64_t leak_churn(const struct leak_site *site)
{
	const uint64_t looked = site->history.to_ns - site->history.from_ns;

	return looked ? (uint64_t)((double)site->freed * (double)NSEC_PER_SEC / (double)looked) : 0;
}

bool leak_powers(const struct leak_amount hist[OCTAVE_POWERS], unsigned int *ret_first, unsigned int *ret_last)
{
	unsigned int first = 0, last = OCTAVE_POWERS;

	while (first < OCTAVE_POWERS && !hist[first].blocks)
		first++;
	while (last > first && !hist[last - 1].blocks)
		last--;
	if (first == last)
		return false;
	*ret_first = first;
	*ret_last = last - 1;
	return true;
}

/* The bound of powers of two that is BITS bits long, as words; "..." = there is none. */
static char *leaks_bound_text(unsigned int bits, bool times, char dst[UNITS_MAX])
{
	const uint64_t at = (uint64_t)1 << (bits < 63 ? bits : 63);

	if (bits > 63 || (times && at > UINT64_MAX / NSEC_PER_MSEC))
		snprintf(dst, UNITS_MAX, "...");
	else if (times)
		units_time(dst, at * NSEC_PER_MSEC);
	else
		units_bytes(dst, at);
	return dst;
}

char *leak_powers_label(unsigned int first, unsigned int last, bool times, char dst[LEAK_POWER_MAX])
{
	char low[UNITS_MAX], high[UNITS_MAX];

	if (last)
		snprintf(dst, LEAK_POWER_MAX, "%s to %s", first ? leaks_bound_text(first - 1, times, low) : "0",
			 leaks_bound_text(last, times, high));
	else
		snprintf(dst, LEAK_POWER_MAX, times ? "below 1 ms" : "0 B");
	return dst;
}

char *leak_threads_label(const struct leaks *l, const struct leak_site *site, char *dst, size_t size)
{
	const uint32_t told = site->threads < LEAK_THREADS ? site->threads : LEAK_THREADS;
	size_t n = 0;

	dst[0] = '\0';
	for (uint32_t i = 0; i < told && n < size; i++) {
		const struct thread *t = dict_get_thread(l->dict, site->thread[i].thread);
		char label[THREAD_LABEL_MAX], bytes[UNITS_MAX];

		label_thread(l->dict, t, label, sizeof(label));
		n += (size_t)snprintf(dst + n, size - n, "%s%s %s", i ? ", " : "", label,
				      units_bytes(bytes, site->thread[i].allocated));
	}
	if (site->threads > told && n < size)
		snprintf(dst + n, size - n, ", %" PRIu32 " others", site->threads - told);
	return dst;
}
