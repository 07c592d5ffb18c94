/* SPDX-License-Identifier: BSD-2-Clause */
/* residency.c - pieces, what to ask of each, and what follows from the answers. */
#include "config.h"

#include "numa/residency.h"

#include "base/hash.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PIECES 48u         /* into about so many the first survey cuts a process */
#define MERGE_ABOVE (OPEN_WAIT_MERGE_MAX / 2)
#define PARTS 4u                 /* of a piece that is cut */
#define PART_PAGES 16u           /* a part has so many pages at least */
#define PRIOR_WEIGHT 4.0         /* what was found before counts as so many pages of now */
#define DOUBT 0.3                /* how far what was found before is moved to what is usual */
#define EXPLORE 0.15             /* of the sample at least: spread by size, whatever was found */
#define EXPLORE_MOST 0.75        /* at most, when much of what is in memory has not been found yet */
#define FIT_ROUNDS 16u           /* each but the last makes a piece hit its bounds, or is the last */
/* what a page that is hard to find draws of the sample at most; one of a full piece draws 1 */
#define SPARSE_MOST 8.0

void residency_free(struct residency *r)
{
	vec_free(&r->pieces);
	vec_free(&r->sample);
	vec_free(&r->before);
}

/* Pages and their numbers. */

static bool residency_counts(const struct residency *r, const struct area *a)
{
	return !a->none && (a->kind == MAPPING_HUGE) == r->huge;
}

static bool number_pages(struct residency *r)
{
	uint64_t n = 0;

	r->before.n = 0;
	if (!vec_reserve(&r->before, r->areas->v.n + 1))
		return false;
	for (size_t i = 0; i < r->areas->v.n; i++) {
		const struct area *a = &r->areas->v.v[i];

		*vec_push(&r->before) = n;
		n += residency_counts(r, a) ? (a->end - a->start) / r->page_bytes : 0;
	}
	*vec_push(&r->before) = n;
	return true;
}

static uint64_t nr_pages(const struct residency *r)
{
	return r->before.v[r->before.n - 1];
}

/* The first place in BEFORE whose value is above N; all of those that are not are areas up to the page N. */
static size_t place_above(const struct residency *r, uint64_t n)
{
	size_t lo = 0, hi = r->before.n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (r->before.v[mid] <= n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Where page number N is, which must exist. */
static uint64_t page_addr(const struct residency *r, uint64_t n)
{
	const size_t i = place_above(r, n) - 1;

	return r->areas->v.v[i].start + (n - r->before.v[i]) * r->page_bytes;
}

/* How many pages lie below ADDR. */
static uint64_t pages_below(const struct residency *r, uint64_t addr)
{
	/* The first area that ends above. */
	const size_t i = count_upto(r->areas->v.v, r->areas->v.n, end, addr);

	if (i == r->areas->v.n || r->areas->v.v[i].start >= addr || !residency_counts(r, &r->areas->v.v[i]))
		return r->before.v[i];
	return r->before.v[i] + (addr - r->areas->v.v[i].start) / r->page_bytes;
}

/* So many of PAGES can be in memory. */
static double residency_at_most(const struct residency *r, uint64_t pages)
{
	return (double)(pages < r->there ? pages : r->there);
}

/* Pieces. */

static void number_pieces(struct residency *r)
{
	for (size_t i = 0; i < r->pieces.n; i++) {
		struct piece *p = &r->pieces.v[i];

		p->first = pages_below(r, p->start);
		p->pages = (i + 1 < r->pieces.n ? pages_below(r, p[1].start) : nr_pages(r)) - p->first;
	}
}

/* Cuts the piece that ADDR is in there, if there is room. */
static void residency_cut_at(struct residency *r, uint64_t addr)
{
	size_t i = r->pieces.n;

	while (i && r->pieces.v[i - 1].start > addr)
		i--;
	if (!i || r->pieces.v[i - 1].start == addr || r->pieces.n == OPEN_WAIT_MERGE_MAX || !vec_reserve(&r->pieces, 1))
		return;
	memmove(&r->pieces.v[i + 1], &r->pieces.v[i], (r->pieces.n - i) * sizeof(struct piece));
	r->pieces.v[i] = (struct piece){ .start = addr, .share = r->pieces.v[i - 1].share };
	r->pieces.n++;
}

/* Large mappings stand alone; at first also small neighbours are parted into handy runs. */
static void cut_areas(struct residency *r)
{
	const bool first = r->pieces.n == 1;
	double all = 0, run = 0;

	for (size_t i = 0; i < r->areas->v.n; i++)
		all += residency_at_most(r, r->before.v[i + 1] - r->before.v[i]);
	for (size_t i = 0; i < r->areas->v.n; i++) {
		const double most = residency_at_most(r, r->before.v[i + 1] - r->before.v[i]);

		if (most * FIRST_PIECES >= all && most >= PART_PAGES) {
			residency_cut_at(r, r->areas->v.v[i].start);
			residency_cut_at(r, r->areas->v.v[i].end);
			run = 0;
			continue;
		}
		run += most;
		if (first && run * FIRST_PIECES >= all) {
			residency_cut_at(r, r->areas->v.v[i].end);
			run = 0;
		}
	}
}

/* A and B, neighbours, are known to be alike: nothing is there, or all. */
static bool residency_alike(const struct piece *a, const struct piece *b)
{
	return (a->share >= 0 && a->share < 0.02 && b->share >= 0 && b->share < 0.02) ||
		(a->share > 0.95 && b->share > 0.95);
}

/* Drops pieces without pages, and when there are many joins those that are alike. Address 0 stays the first. */
static void tidy_pieces(struct residency *r)
{
	size_t out = 0, left = r->pieces.n;

	for (size_t i = 0; i < r->pieces.n; i++) {
		struct piece *p = &r->pieces.v[i], *last = out ? &r->pieces.v[out - 1] : NULL;

		if (last && (!p->pages || !last->pages || (left > MERGE_ABOVE && residency_alike(last, p)))) {
			if (!last->pages)
				last->share = p->share;
			last->pages += p->pages;
			left--;
			continue;
		}
		r->pieces.v[out++] = *p;
	}
	r->pieces.n = out;
}

/* The piece that page ADDR is in; there is always one, since the first begins at 0. */
static struct piece *piece_of(const struct residency *r, uint64_t addr)
{
	return &r->pieces.v[count_upto(r->pieces.v, r->pieces.n, start, addr) - 1];
}

static bool is_there(const struct sampled_page *s)
{
	return s->status >= 0 && (unsigned int)s->status < NODES_MAX;
}

static void residency_count_sample(struct residency *r)
{
	for (size_t i = 0; i < r->pieces.n; i++)
		r->pieces.v[i].asked = r->pieces.v[i].found = 0;
	for (size_t i = 0; i < r->sample.n; i++) {
		struct piece *p = piece_of(r, r->sample.v[i].addr);

		p->asked++;
		p->found += is_there(&r->sample.v[i]);
	}
}

/* What part of all pages is in memory. */
static double usual_share(const struct residency *r)
{
	return fmin(1, (double)r->there / (double)nr_pages(r));
}

/*
 * What part of P is in memory, by what was found and what is known from before; negative = nothing
 * is known. Of a new piece the share of the whole process counts as known, lest a single hit among
 * many alike draws all of the sample.
 */
static double residency_share_of(const struct residency *r, const struct piece *p)
{
	const double before = p->share < 0 ? usual_share(r) : p->share;

	if (p->share < 0 && !p->asked)
		return -1;
	return (p->found + PRIOR_WEIGHT * before) / (p->asked + PRIOR_WEIGHT);
}

/* Whether P deserves to be cut: some of it is there and some is not, and it holds one of a hundred pages of ALL. */
static bool is_mixed(const struct residency *r, const struct piece *p, double all)
{
	return p->asked >= 6 && p->found && p->found * 20 < p->asked * 19 && p->pages >= PARTS * PART_PAGES &&
	       residency_share_of(r, p) * (double)p->pages * 100 >= all;
}

/* Cuts what is mixed, as far as there is room. */
static void cut_mixed(struct residency *r)
{
	double all = 0;

	for (size_t i = 0; i < r->pieces.n; i++)
		all += fmax(residency_share_of(r, &r->pieces.v[i]), 0) * (double)r->pieces.v[i].pages;
	for (size_t i = r->pieces.n; i-- > 0;) {
		const struct piece p = r->pieces.v[i];

		if (!is_mixed(r, &p, all))
			continue;
		for (unsigned int part = 1; part < PARTS; part++)
			residency_cut_at(r, page_addr(r, p.first + p.pages / PARTS * part));
	}
	number_pieces(r);
	residency_count_sample(r);
}

/* Carries what the last survey found over to this one, with some doubt: memory moves, and a few pages prove little. */
static void residency_remember(struct residency *r)
{
	for (size_t i = 0; i < r->pieces.n; i++) {
		struct piece *p = &r->pieces.v[i];
		const double share = residency_share_of(r, p);

		p->share = share < 0 ? share : share + DOUBT * (usual_share(r) - share);
	}
	r->sample.n = 0;
	residency_count_sample(r);
}

bool residency_begin(struct residency *r, const struct areas *areas, uint64_t there, uint64_t page_bytes, uint64_t seed)
{
	r->areas = areas;
	r->there = there;
	r->page_bytes = page_bytes;
	r->seed = seed;
	r->drawn = 0;
	if (!number_pages(r))
		return false;
	if (!r->pieces.n) {
		if (!vec_reserve(&r->pieces, 1))
			return false;
		*vec_push(&r->pieces) = (struct piece){ .share = -1 };
	}
	number_pieces(r);
	if (r->sample.n)
		cut_mixed(r);
	residency_remember(r);
	cut_areas(r);
	number_pieces(r);
	tidy_pieces(r);
	number_pieces(r);
	return true;
}

/* Drawing. */

/* Uniform in [0, 1). */
static double residency_draw(struct residency *r)
{
	return (double)(hash_2u64(r->seed, r->drawn++) >> 11) * 0x1p-53;
}

/* How much of the sample P is worth: for exploring, and for what is known to be there. */
static void residency_weigh(const struct residency *r, const struct piece *p, double *ret_explore, double *ret_known)
{
	const double share = residency_share_of(r, p), pages = (double)p->pages;
	const double most = residency_at_most(r, p->pages), there = share < 0 ? most : fmin(share * pages, most);

	*ret_explore = most;
	/*
	 * The best for a given number of pages is by sqrt(pages * there), after Neyman; but what is hard to find is not
	 * worth all.
	 */
	*ret_known = fmin(sqrt(pages * there), SPARSE_MOST * there);
}

/*
 * Appends N pages of P, each at random in its own Nth of it: so neither holes nor interleaving can
 * be in step with them.
 */
static bool draw_pages(struct residency *r, const struct piece *p, size_t n)
{
	const double each = (double)p->pages / (double)n;

	if (!vec_reserve(&r->sample, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint64_t at = (uint64_t)(((double)i + residency_draw(r)) * each);

		*vec_push(&r->sample) = (struct sampled_page){
			.addr = page_addr(r, p->first + (at < p->pages ? at : p->pages - 1)),
		};
	}
	return true;
}

/* What all pieces together are worth. */
struct worth {
	double explore, known;
	double found;            /* pages that are in memory by what is known */
	size_t unasked;          /* pieces of which nothing was asked yet */
};

static struct worth worth_of(const struct residency *r)
{
	struct worth w = { 0 };

	for (size_t i = 0; i < r->pieces.n; i++) {
		const struct piece *p = &r->pieces.v[i];
		double e, k;

		residency_weigh(r, p, &e, &k);
		w.explore += e;
		w.known += k;
		w.found += fmax(residency_share_of(r, p), 0) * (double)p->pages;
		w.unasked += p->pages && !p->asked;
	}
	return w;
}

/*
 * Draws one page of each piece that has none yet, and BUDGET over all by their worth: in steps through the sum of all
 * weights.
 */
static bool draw_round(struct residency *r, double budget, const struct worth *w)
{
	const double missing = fmin(fmax(1 - w->found / (double)r->there, EXPLORE), EXPLORE_MOST);
	const double explore = w->known > 0 ? missing : 1;
	double sum = 0, next = residency_draw(r);

	for (size_t i = 0; i < r->pieces.n; i++) {
		const struct piece *p = &r->pieces.v[i];
		size_t n = p->asked ? 0 : 1;
		double e, k;

		if (!p->pages)
			continue;
		residency_weigh(r, p, &e, &k);
		sum += budget * (explore * e / w->explore + (w->known > 0 ? (1 - explore) * k / w->known : 0));
		for (; next < sum; next++)
			n++;
		/* A small process is not asked for more pages than it has. */
		if (n + p->asked > p->pages)
			n = p->pages > p->asked ? (size_t)(p->pages - p->asked) : 0;
		if (n && !draw_pages(r, p, n))
			return false;
	}
	return true;
}

size_t residency_round(struct residency *r, size_t budget, struct sampled_page **ret)
{
	const size_t before = r->sample.n;
	struct worth w;

	if (!nr_pages(r) || !r->there)
		return 0;
	residency_count_sample(r);
	if (before)
		cut_mixed(r);
	w = worth_of(r);
	if (!draw_round(r, budget > w.unasked ? (double)(budget - w.unasked) : 0, &w))
		r->sample.n = before;
	*ret = r->sample.n > before ? &r->sample.v[before] : NULL;
	return r->sample.n - before;
}

/* Estimating. */

/* Pages of a piece that are in memory, and how far that can be off. */
struct guess {
	double pages, variance;
};

static struct guess guess_of(const struct piece *p)
{
	const double v = (double)p->pages, n = p->asked;
	/* Not quite none and not quite all: so few pages prove neither. */
	const double f = (p->found + 0.5) / (n + 1);

	if (!p->found)
		return (struct guess){ 0, 0 };
	return (struct guess){ v * p->found / n, v * v * f * (1 - f) / n };
}

/*
 * Brings the N guesses at G, which belong to the pieces, to the sum THERE: each gives way by its variance, within its
 * bounds.
 */
static void residency_fit(const struct residency *r, struct guess *g, double there)
{
	for (unsigned int round = 0; round < FIT_ROUNDS; round++) {
		double off = there, variance = 0;

		for (size_t i = 0; i < r->pieces.n; i++) {
			off -= g[i].pages;
			variance += g[i].variance;
		}
		if (variance <= 0 || fabs(off) < 0.5)
			return;
		for (size_t i = 0; i < r->pieces.n; i++) {
			const struct piece *p = &r->pieces.v[i];
			const double want = g[i].pages + off * (g[i].variance / variance);

			g[i].pages = fmin(fmax(want, p->found), (double)p->pages);
			if (g[i].pages != want)
				g[i].variance = 0;
		}
	}
}

static struct numa_resident *residency_row_of(resident_vec *rows, size_t from, uint8_t mapping, uint16_t node)
{
	struct numa_resident *row;

	for (size_t i = from; i < rows->n; i++)
		if (rows->v[i].mapping == mapping && rows->v[i].node == node)
			return &rows->v[i];
	row = vec_push(rows);
	if (row)
		*row = (struct numa_resident){ .mapping = mapping, .node = node };
	return row;
}

/* Shares out what the pieces hold among what was found in them. */
static bool add_rows(struct residency *r, const struct guess *g, double scale, resident_vec *ret)
{
	const size_t from = ret->n;

	for (size_t i = 0; i < r->sample.n; i++) {
		const struct sampled_page *s = &r->sample.v[i];
		const struct piece *p = piece_of(r, s->addr);
		struct numa_resident *row;

		if (!is_there(s))
			continue;
		row = residency_row_of(ret, from, (uint8_t)area_kind(areas_find(r->areas, s->addr), s->addr),
				       (uint16_t)s->status);
		if (!row)
			return false;
		row->bytes += (uint64_t)(g[p - r->pieces.v].pages / p->found * scale + 0.5);
		row->pages++;
	}
	return true;
}

bool residency_end(struct residency *r, uint64_t bytes, resident_vec *ret, struct residency_sum *ret_sum)
{
	struct guess g[OPEN_WAIT_MERGE_MAX];
	double pages = 0, scale = (double)r->page_bytes;
	bool ok;

	*ret_sum = (struct residency_sum){ .asked = (uint32_t)r->sample.n };
	residency_count_sample(r);
	for (size_t i = 0; i < r->pieces.n; i++) {
		g[i] = guess_of(&r->pieces.v[i]);
		ret_sum->found += r->pieces.v[i].found;
	}
	if (bytes != RESIDENCY_UNKNOWN)
		residency_fit(r, g, (double)bytes / scale);
	for (size_t i = 0; i < r->pieces.n; i++)
		pages += g[i].pages;
	/* Never more than all of a piece: what was not found stays unsaid. */
	if (bytes != RESIDENCY_UNKNOWN && pages * scale > (double)bytes)
		scale = (double)bytes / pages;
	ok = add_rows(r, g, scale, ret);
	r->areas = NULL;
	vec_free(&r->before);
	return ok;
}
