/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slice.c - making, merging and folding the immutable slices of the store.
 *
 * Large slices have mappings of their own. They come and go in any order, some held for long by a
 * snapshot, and among them small things that stay: in the heap, which gives back only its end, that
 * left three times as much memory in holes as was in use.
 */
#include "config.h"

#include "profile/slice.h"

#include "profile/carried.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int slice_compare(const void *a, const void *b)
{
	return fact_compare(a, b);
}

static bool slice_in_order(const struct fact *f, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (fact_compare(&f[i - 1], &f[i]) > 0)
			return false;
	return true;
}

/* Sorts the N facts at F by fact_compare(), and adds equal ones together. Returns how many are left. */
static size_t facts_sort(struct fact *f, size_t n)
{
	size_t out = 0;

	/* As they often are: those of sorted text are. */
	if (!slice_in_order(f, n))
		qsort(f, n, sizeof(*f), slice_compare);
	for (size_t i = 0; i < n; i++) {
		if (out && !fact_compare(&f[out - 1], &f[i]))
			fact_add(&f[out - 1], &f[i]);
		else
			f[out++] = f[i];
	}
	return out;
}

#define MAPPED_MIN ((size_t)256 << 10)   /* bytes from which on a slice is mapped */

static size_t whole_pages(size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static struct slice *slice_map(size_t bytes)
{
	struct slice *s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	s->mapped = bytes;
	return s;
}

static struct slice *slice_alloc(uint64_t from_ns, uint64_t to_ns, size_t room)
{
	struct slice *s;
	size_t bytes;

	if (room > (SIZE_MAX / 2 - sizeof(*s)) / sizeof(s->fact[0]))
		return NULL;
	bytes = sizeof(*s) + room * sizeof(s->fact[0]);
	s = bytes < MAPPED_MIN ? malloc(bytes) : slice_map(whole_pages(bytes));
	if (!s)
		return NULL;
	if (bytes < MAPPED_MIN)
		s->mapped = 0;
	atomic_init(&s->refs, 1);
	s->from_ns = from_ns;
	s->to_ns = to_ns;
	s->n = 0;
	return s;
}

/* Gives back the room that S did not need; a failure to shrink leaves it as it is. */
static struct slice *slice_trim(struct slice *s)
{
	const size_t want = whole_pages(slice_bytes(s));
	struct slice *t;

	if (!s->mapped) {
		t = realloc(s, slice_bytes(s));
		return t ? t : s;
	}
	if (want < s->mapped && munmap((char *)s + want, s->mapped - want) == 0)
		s->mapped = want;
	return s;
}

static void slice_free(struct slice *s)
{
	if (s->mapped)
		munmap(s, s->mapped);
	else
		free(s);
}

struct slice *slice_new(uint64_t from_ns, uint64_t to_ns, const struct fact *f, size_t n)
{
	struct slice *s = slice_alloc(from_ns, to_ns, n);

	if (!s)
		return NULL;
	if (n)
		memcpy(s->fact, f, n * sizeof(*f));
	s->n = facts_sort(s->fact, n);
	return s->n < n ? slice_trim(s) : s;
}

/* Merges two sorted runs into S, which has room for both. */
static void merge_runs(struct slice *s, const struct fact *a, size_t na, const struct fact *b, size_t nb)
{
	struct fact *out = s->fact;

	while (na && nb) {
		const int order = fact_compare(a, b);

		*out = order <= 0 ? *a : *b;
		if (!order)
			fact_add(out, b);
		if (order <= 0)
			a++, na--;
		if (order >= 0)
			b++, nb--;
		out++;
	}
	memcpy(out, na ? a : b, (na + nb) * sizeof(*out));
	s->n = (size_t)(out - s->fact) + na + nb;
}

struct slice *slice_merge(const struct slice *a, const struct slice *b)
{
	struct slice *s = slice_alloc(a->from_ns, b->to_ns, a->n + b->n);

	if (!s)
		return NULL;
	merge_runs(s, a->fact, a->n, b->fact, b->n);
	return s->n < a->n + b->n ? slice_trim(s) : s;
}

struct slice *slice_ref(struct slice *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void slice_unref(struct slice *s)
{
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
		slice_free(s);
}

size_t slice_bytes(const struct slice *s)
{
	return sizeof(*s) + s->n * sizeof(s->fact[0]);
}

/* What keeping F is worth, in time. */
static uint64_t slice_worth(const struct fact *f)
{
	uint64_t ns;

	return __builtin_mul_overflow(f->weight, (uint64_t)event_kinds[f->kind % EVENT_KINDS_MAX].worth, &ns) ?
		UINT64_MAX : ns;
}

/*
 * One past the run of facts from AT that a fold takes or leaves as one: those of a stack, or one
 * fact of the other stack.
 */
static size_t slice_run_end(const struct slice *s, size_t at, const struct slice_fold *fold, uint64_t *ret_ns)
{
	const stack_id stack = s->fact[at].stack;
	uint64_t ns = 0;

	do
		ns = add_capped(ns, slice_worth(&s->fact[at++]));
	while (at < s->n && s->fact[at].stack == stack && fold->thread == ID_NONE);
	*ret_ns = ns;
	return at;
}

/* Whether FOLD can take F at all, whatever it weighs. */
static bool slice_can_fold(const struct slice_fold *fold, const struct fact *f)
{
	if (fold->thread == ID_NONE)
		return f->stack != fold->other;
	return f->stack == fold->other && (f->thread != fold->thread ||
					   (carried_of(f->kind)->lightest_is_none && f->carried));
}

void slice_weigh(const struct slice *s, const struct slice_fold *fold, size_t histogram[WEIGHT_CLASSES])
{
	uint64_t ns;

	for (size_t at = 0, end; at < s->n; at = end) {
		end = slice_run_end(s, at, fold, &ns);
		if (slice_can_fold(fold, &s->fact[at]))
			histogram[weight_class(ns)] += end - at;
	}
}

static struct fact folded_fact(const struct slice_fold *fold, const struct fact *f)
{
	const struct carried_ops *ops = carried_of(f->kind);
	struct fact r = *f;

	r.stack = fold->other;
	if (fold->thread != ID_NONE)
		r.thread = fold->thread;
	r.carried = fold->thread != ID_NONE ? ops->lightest(fold->dict, f->carried) :
		ops->lighter(fold->dict, f->carried);
	return r;
}

/* Puts the facts of S that stay at the front of OUT, those folded at its end. Returns how many stay. */
static size_t slice_split(const struct slice *s, const struct slice_fold *fold, struct fact *out)
{
	size_t kept = 0, folded = s->n;
	uint64_t ns;

	for (size_t at = 0, end; at < s->n; at = end) {
		const struct fact *f = &s->fact[at];

		end = slice_run_end(s, at, fold, &ns);
		if (!slice_can_fold(fold, f) || weight_class(ns) >= fold->below) {
			memcpy(out + kept, f, (end - at) * sizeof(*f));
			kept += end - at;
			continue;
		}
		for (; at < end; at++)
			out[--folded] = folded_fact(fold, &s->fact[at]);
	}
	return kept;
}

struct slice *slice_apply(struct slice *s, const struct slice_fold *fold)
{
	struct slice *parts = slice_alloc(s->from_ns, s->to_ns, s->n), *r;
	size_t kept, folded;

	if (!parts)
		return NULL;
	kept = slice_split(s, fold, parts->fact);
	if (kept == s->n) {
		slice_free(parts);
		return slice_ref(s);
	}
	folded = facts_sort(parts->fact + kept, s->n - kept);
	r = slice_alloc(s->from_ns, s->to_ns, kept + folded);
	if (r) {
		merge_runs(r, parts->fact, kept, parts->fact + kept, folded);
		if (r->n < kept + folded)
			r = slice_trim(r);
	}
	slice_free(parts);
	return r;
}
