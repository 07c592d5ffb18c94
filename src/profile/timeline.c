/* SPDX-License-Identifier: BSD-2-Clause */
/* timeline.c - merging of old slices, late facts, and folding of closed slices. */
#include "config.h"

#include "profile/timeline.h"

#include "base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COARSER_OLD_MAX 8u       /* up to here only old slices get coarser */

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; i < t->slices.n; i++)
		slice_unref(t->slices.v[i]);
	vec_free(&t->slices);
	t->bytes = 0;
	t->coarser = 0;
	t->folded = 0;
}

uint64_t timeline_end(const struct timeline *t)
{
	return t->slices.n ? t->slices.v[t->slices.n - 1]->to_ns : 0;
}

/* Puts S at AT, moving the rest up; the caller has reserved room. */
static void timeline_insert(struct timeline *t, size_t at, struct slice *s)
{
	memmove(&t->slices.v[at + 1], &t->slices.v[at], (t->slices.n - at) * sizeof(t->slices.v[0]));
	t->slices.v[at] = s;
	t->slices.n++;
	t->bytes += slice_bytes(s);
}

static void timeline_replace(struct timeline *t, size_t at, struct slice *s)
{
	t->bytes = t->bytes - slice_bytes(t->slices.v[at]) + slice_bytes(s);
	slice_unref(t->slices.v[at]);
	t->slices.v[at] = s;
}

int timeline_append(struct timeline *t, struct slice *s)
{
	if (!vec_reserve(&t->slices, 1))
		return -ENOMEM;
	timeline_insert(t, t->slices.n, s);
	return 0;
}

/* How many slices begin at or before TIME_NS: the last of them is the one that may hold it. */
static size_t slices_until(const struct timeline *t, uint64_t time_ns)
{
	size_t lo = 0, hi = t->slices.n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (t->slices.v[mid]->from_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The piece of the grid around TIME_NS that no slice covers; AT = slices_until(), END_NS = where
 * the open slice begins.
 */
static void gap_around(const struct timeline *t, size_t at, uint64_t time_ns, uint64_t end_ns, uint64_t *ret_from,
		       uint64_t *ret_to)
{
	const uint64_t before = at ? t->slices.v[at - 1]->to_ns : 0;
	const uint64_t after = at < t->slices.n ? t->slices.v[at]->from_ns : end_ns;
	const uint64_t from = time_ns - time_ns % t->slice_ns;

	*ret_from = from > before ? from : before;
	*ret_to = after - from < t->slice_ns ? after : from + t->slice_ns;
}

/* Places the late facts from LATE that share a slice with the first. Returns how many, 0 when out of memory. */
static size_t timeline_place_late(struct timeline *t, const struct late_fact *late, size_t n, struct fact *tmp,
				  uint64_t end_ns)
{
	const size_t at = slices_until(t, late->time_ns);
	const bool covered = at && late->time_ns < t->slices.v[at - 1]->to_ns;
	AUTO(slice_unref) struct slice *fresh = NULL;
	uint64_t from, to;
	size_t same = 0;

	if (covered)
		from = t->slices.v[at - 1]->from_ns, to = t->slices.v[at - 1]->to_ns;
	else
		gap_around(t, at, late->time_ns, end_ns, &from, &to);
	for (; same < n && late[same].time_ns < to; same++)
		tmp[same] = late[same].fact;
	fresh = slice_new(from, to, tmp, same);
	if (!fresh)
		return 0;
	if (covered) {
		struct slice *merged = slice_merge(t->slices.v[at - 1], fresh);

		if (!merged)
			return 0;
		timeline_replace(t, at - 1, merged);
	} else {
		if (!vec_reserve(&t->slices, 1))
			return 0;
		timeline_insert(t, at, take_ptr(fresh));
	}
	return same;
}

static int compare_late(const void *va, const void *vb)
{
	const struct late_fact *a = va, *b = vb;

	return compare_numbers(a->time_ns, b->time_ns);
}

size_t timeline_late(struct timeline *t, struct late_fact *late, size_t n, uint64_t end_ns)
{
	AUTO_FREE struct fact *tmp = n ? malloc(n * sizeof(*tmp)) : NULL;
	size_t done = 0, placed;

	if (!tmp)
		return 0;
	qsort(late, n, sizeof(*late), compare_late);
	while (done < n && (placed = timeline_place_late(t, late + done, n - done, tmp, end_ns)))
		done += placed;
	return done;
}

/* The bucket within which slices that ended AGE_NS ago are merged, 0 = not yet. */
static uint64_t bucket_ns(const struct timeline *t, uint64_t age_ns)
{
	uint64_t keep = t->keep_ns;
	unsigned int doublings;

	/* What is recent stays fine until all else has become as coarse as it can be. */
	if (t->coarser > COARSER_OLD_MAX)
		keep >>= t->coarser - COARSER_OLD_MAX;
	if (keep < t->slice_ns)
		keep = t->slice_ns;
	if (age_ns < keep)
		return 0;
	doublings = 64 - (unsigned int)__builtin_clzll(age_ns / keep) + t->coarser;
	if (doublings > (unsigned int)__builtin_clzll(t->slice_ns))
		return UINT64_MAX;
	return t->slice_ns << doublings;
}

/* Whether A and B after it become one. Unless FORCE, a large one waits for its like, or each second would copy it. */
static bool timeline_mergeable(const struct timeline *t, const struct slice *a, const struct slice *b, uint64_t now_ns,
			       bool force)
{
	const uint64_t bucket = now_ns > b->to_ns ? bucket_ns(t, now_ns - b->to_ns) : 0;

	if (!bucket || a->from_ns / bucket != (b->to_ns - 1) / bucket)
		return false;
	return a->n + b->n <= t->merge_max && (force || a->n / 2 <= b->n);
}

static void timeline_merge_old(struct timeline *t, uint64_t now_ns, bool force)
{
	size_t out = 0;

	for (size_t i = 1; i < t->slices.n; i++) {
		struct slice *merged = NULL;

		if (timeline_mergeable(t, t->slices.v[out], t->slices.v[i], now_ns, force))
			merged = slice_merge(t->slices.v[out], t->slices.v[i]);
		if (!merged) {
			t->slices.v[++out] = t->slices.v[i];
			continue;
		}
		timeline_replace(t, out, merged);
		t->bytes -= slice_bytes(t->slices.v[i]);
		slice_unref(t->slices.v[i]);
	}
	if (t->slices.n)
		t->slices.n = out + 1;
}

void timeline_age(struct timeline *t, uint64_t now_ns)
{
	timeline_merge_old(t, now_ns, false);
}

/*
 * The lowest class below which folding the first N slices frees NEED facts; WEIGHT_CLASSES when all
 * of them do not suffice.
 */
static unsigned int fold_class(const struct timeline *t, size_t n, const struct slice_fold *fold, size_t need)
{
	size_t histogram[WEIGHT_CLASSES] = { 0 }, sum = 0;
	unsigned int c = 0;

	for (size_t i = 0; i < n; i++)
		slice_weigh(t->slices.v[i], fold, histogram);
	while (c < WEIGHT_CLASSES && sum < need)
		sum += histogram[c++];
	return c;
}

/* Folds the lightest of the first N slices until they fit; a pass also makes facts, so it takes a few. */
static void fold_until(struct timeline *t, size_t n, struct slice_fold *fold, size_t max_bytes)
{
	while (t->bytes > max_bytes) {
		const size_t need = (t->bytes - max_bytes) / sizeof(struct fact) + 1, before = t->bytes;

		fold->below = fold_class(t, n, fold, need);
		for (size_t i = 0; i < n; i++) {
			struct slice *s = slice_apply(t->slices.v[i], fold);

			if (!s)
				return;
			t->folded += t->slices.v[i]->n - s->n;
			timeline_replace(t, i, s);
		}
		if (before - t->bytes <= before / 256)
			return;
	}
}

static size_t older_than(const struct timeline *t, uint64_t now_ns, uint64_t age_ns)
{
	size_t n = 0;

	while (n < t->slices.n && t->slices.v[n]->to_ns <= now_ns && now_ns - t->slices.v[n]->to_ns >= age_ns)
		n++;
	return n;
}

void timeline_shrink(struct timeline *t, uint64_t now_ns, size_t max_bytes, struct dict *d)
{
	struct slice_fold fold = { .dict = d, .other = dict_other_stack(d), .thread = ID_NONE };

	timeline_merge_old(t, now_ns, true);
	while (t->bytes > max_bytes && t->coarser < TIMELINE_COARSER_MAX) {
		t->coarser++;
		timeline_merge_old(t, now_ns, true);
	}
	fold_until(t, older_than(t, now_ns, t->keep_ns), &fold, max_bytes);
	fold_until(t, t->slices.n, &fold, max_bytes);
	if (t->bytes <= max_bytes)
		return;
	fold.thread = dict_other_thread(d);
	if (fold.thread != ID_NONE)
		fold_until(t, t->slices.n, &fold, max_bytes);
}
