/* SPDX-License-Identifier: BSD-2-Clause */
/* sums.c - see sums.h. */
#include "config.h"

#include "branch/sums.h"

#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

/* Key and figures of struct branch_sum; its key has no padding. */
_Static_assert(offsetof(struct branch_sum, calls) == 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t), "no padding");

/* An instruction that branches. */
struct sums_source {
	uint64_t from, space;
	uint64_t reached[SIDES];
	uint64_t last_call;
	uint32_t rank;
};

struct branch_sums {
	KEYED(struct branch_sum) branch;
	KEYED(struct sums_source) source;
	uint64_t calls[SIDES];
	VEC(struct branch_sum) sorted;
};

struct branch_sums *branch_sums_new(void)
{
	return calloc(1, sizeof(struct branch_sums));
}

void branch_sums_free(struct branch_sums *s)
{
	if (!s)
		return;
	keyed_free(&s->branch);
	keyed_free(&s->source);
	vec_free(&s->sorted);
	free(s);
}

/* Call NUMBER, of SIDE, comes to where B is from, after *MET other instructions that branch. */
static bool sums_reach(struct branch_sums *s, const struct branch *b, enum branch_side side, uint64_t number,
		       uint32_t *met)
{
	const struct sums_source want = { .from = b->from, .space = b->space, .rank = UINT32_MAX };
	const uint32_t id = keyed_get(&s->source, &want, reached);
	struct sums_source *at;

	if (id == HIDX_NONE)
		return false;
	at = &s->source.v[id];
	if (at->last_call == number)
		return true;
	at->last_call = number;
	at->reached[side]++;
	at->rank = *met < at->rank ? *met : at->rank;
	(*met)++;
	return true;
}

static bool sums_take(struct branch_sums *s, const struct branch *b, enum branch_side side, uint64_t number)
{
	const struct branch_sum want = { .from = b->from, .to = b->to, .space = b->space, .how = b->how };
	const uint32_t id = s->branch.n < SUMS_BRANCHES_MAX ? keyed_get(&s->branch, &want, calls) :
		keyed_find(&s->branch, &want, calls);
	struct branch_sum *at;

	if (id == HIDX_NONE)
		return false;
	at = &s->branch.v[id];
	at->hits[side]++;
	at->calls[side] += at->last_call != number;
	at->last_call = number;
	return true;
}

bool branch_sums_add(struct branch_sums *s, const struct branch_call *call, enum branch_side side)
{
	/* From 1 on, as 0 = no call. */
	const uint64_t number = s->calls[SIDE_OTHER] + s->calls[SIDE_MEETS] + 1;
	uint32_t met = 0;
	bool all = true;

	s->calls[side]++;
	for (size_t i = 0; i < call->branch.n; i++) {
		const struct branch *b = &call->branch.v[i];

		if (b->how != BRANCH_GAP)
			all &= sums_take(s, b, side, number) && sums_reach(s, b, side, number, &met);
	}
	return all;
}

uint64_t branch_sums_calls(const struct branch_sums *s, enum branch_side side)
{
	return s->calls[side];
}

static int sums_compare(const void *a, const void *b)
{
	const struct branch_sum *x = a, *y = b;

	if (x->space != y->space)
		return x->space > y->space ? 1 : -1;
	if (x->from != y->from)
		return x->from > y->from ? 1 : -1;
	if (x->to != y->to)
		return x->to > y->to ? 1 : -1;
	return (x->how > y->how) - (x->how < y->how);
}

const struct branch_sum *branch_sums_all(struct branch_sums *s, size_t *ret_n)
{
	s->sorted.n = 0;
	*ret_n = 0;
	if (!s->branch.n || !vec_reserve(&s->sorted, s->branch.n))
		return NULL;
	memcpy(s->sorted.v, s->branch.v, s->branch.n * sizeof(s->branch.v[0]));
	s->sorted.n = *ret_n = s->branch.n;
	qsort(s->sorted.v, s->sorted.n, sizeof(s->sorted.v[0]), sums_compare);
	return s->sorted.v;
}

/* ---- parting ---- */

/* The side that alone took W; SIDES = both did. */
static unsigned int part_only_side(const struct branch_sum *w)
{
	return !w->calls[SIDE_OTHER] ? SIDE_MEETS : !w->calls[SIDE_MEETS] ? SIDE_OTHER : SIDES;
}

/* How much of its side took a way of P that is of that side alone, in millionths of the calls; of several the most. */
static uint64_t part_clear_share(const struct branch_sums *s, const struct branch_parting *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const unsigned int side = part_only_side(&p->way[i]);
		const uint64_t share = side == SIDES ? 0 : p->way[i].calls[side] * 1000000 / s->calls[side];

		most = share > most ? share : most;
	}
	return most;
}

/* By how much the shares of the sides that took a way of P differ, in millionths of those that came to it; the most. */
static uint64_t part_difference(const struct branch_parting *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const uint64_t a = p->way[i].calls[SIDE_OTHER] * 1000000 / p->reached[SIDE_OTHER];
		const uint64_t b = p->way[i].calls[SIDE_MEETS] * 1000000 / p->reached[SIDE_MEETS];

		most = (a > b ? a - b : b - a) > most ? (a > b ? a - b : b - a) : most;
	}
	return most;
}

static int part_compare_ways(const void *a, const void *b)
{
	const struct branch_sum *x = a, *y = b;
	const uint64_t nx = x->calls[SIDE_OTHER] + x->calls[SIDE_MEETS];
	const uint64_t ny = y->calls[SIDE_OTHER] + y->calls[SIDE_MEETS];

	return nx != ny ? (nx < ny ? 1 : -1) : sums_compare(a, b);
}

/* The ways of an instruction, which are the N at WAY. */
static void part_take_ways(struct branch_parting *p, const struct branch_sum *way, size_t n)
{
	p->n = n < PART_WAYS_MAX ? (uint32_t)n : PART_WAYS_MAX;
	p->untold = n - p->n;
	memcpy(p->way, way, p->n * sizeof(*way));
	qsort(p->way, p->n, sizeof(*way), part_compare_ways);
}

/* Does A part the sides before B does? */
static bool part_is_before(const struct branch_parting *a, const struct branch_parting *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->space != b->space ? a->space < b->space : a->from < b->from;
}

/* Puts P where it belongs among the *N of RET. */
static void part_put(struct branch_parting *ret, size_t *n, size_t max, const struct branch_parting *p)
{
	size_t at = *n;

	while (at && part_is_before(p, &ret[at - 1]))
		at--;
	if (at >= max)
		return;
	if (*n < max)
		(*n)++;
	memmove(ret + at + 1, ret + at, (*n - at - 1) * sizeof(*ret));
	ret[at] = *p;
}

/* Fills P with the instruction whose ways are the N at WAY. False when the sides do not both come to it. */
static bool part_fill(const struct branch_sums *s, const struct branch_sum *way, size_t n, struct branch_parting *p)
{
	const struct sums_source want = { .from = way->from, .space = way->space };
	const uint32_t id = keyed_find(&s->source, &want, reached);
	const struct sums_source *source;

	if (id == HIDX_NONE)
		return false;
	source = &s->source.v[id];
	*p = (struct branch_parting){ .from = way->from, .space = way->space, .rank = source->rank };
	memcpy(p->reached, source->reached, sizeof(p->reached));
	part_take_ways(p, way, n);
	p->clear = part_clear_share(s, p) > 0;
	return p->reached[SIDE_OTHER] && p->reached[SIDE_MEETS];
}

/* Which of the instructions are taken: with a clear share of at least SHARE, or that with the greatest difference. */
static size_t part_all(struct branch_sums *s, uint64_t share, struct branch_parting *ret, size_t max)
{
	size_t n, found = 0;
	const struct branch_sum *all = branch_sums_all(s, &n);

	for (size_t i = 0, to; i < n; i = to) {
		struct branch_parting p;

		for (to = i + 1; to < n && all[to].from == all[i].from && all[to].space == all[i].space; to++)
			;
		if (part_fill(s, all + i, to - i, &p) && p.clear && part_clear_share(s, &p) >= share)
			part_put(ret, &found, max, &p);
	}
	return found;
}

static size_t part_best(struct branch_sums *s, struct branch_parting *ret)
{
	size_t n;
	const struct branch_sum *all = branch_sums_all(s, &n);
	uint64_t most = 0;

	for (size_t i = 0, to; i < n; i = to) {
		struct branch_parting p;
		uint64_t difference;

		for (to = i + 1; to < n && all[to].from == all[i].from && all[to].space == all[i].space; to++)
			;
		difference = part_fill(s, all + i, to - i, &p) ? part_difference(&p) : 0;
		if (difference > most || (difference && difference == most && part_is_before(&p, ret))) {
			most = difference;
			*ret = p;
		}
	}
	return most > 0;
}

size_t branch_sums_part(struct branch_sums *s, struct branch_parting *ret, size_t max)
{
	size_t n;

	if (!max || !s->calls[SIDE_OTHER] || !s->calls[SIDE_MEETS])
		return 0;
	n = part_all(s, 1000000 / PART_SHARE_LEAST, ret, max);
	if (!n)
		n = part_all(s, 1, ret, max);
	return n ? n : part_best(s, ret);
}
