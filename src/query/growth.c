/* SPDX-License-Identifier: BSD-2-Clause */
/* growth.c - growth of what is in use, its error, and the verdict. */
#include "config.h"

#include "query/growth.h"

#include "base/clock.h"
#include "base/octave.h"

#include <math.h>

#define WINDOW_BEGIN (GROWTH_BINS / 3)           /* the window goes to the end, in two halves: */
#define WINDOW_MIDDLE (GROWTH_BINS / 3 * 2)

#define SURE 2.6                 /* standard errors by which the window's growth differs from none */
#define SURE_HALF 1.5            /* and that of its second half */
#define OLD_FREED_MOST 0.25      /* of old blocks, where a site is said to grow */
#define OLD_ALIVE_MOST 0.05      /* that reach a third of the time, where it is said not to */
#define STEADY_MOST 0.1          /* of what is in use, by which it may still grow where it is said not to */
#define NEARLY_NONE 1e-9          /* sums of parts are not exact */
#define LOOK_LEAST_NS (5 * NSEC_PER_SEC)
#define MORE_LEAST_NS (5 * NSEC_PER_SEC)
#define MORE_MOST_NS (3600 * NSEC_PER_SEC)

/* Spreads VALUE, of FROM_NS to TO_NS, evenly over the bins of H that this touches. */
static void growth_spread(const struct growth_history *h, double *bin, uint64_t from_ns, uint64_t to_ns, double value)
{
	const double width = (double)(h->to_ns - h->from_ns) / GROWTH_BINS;
	double from, to;

	if (h->to_ns <= h->from_ns)
		return;
	from_ns = from_ns < h->from_ns ? h->from_ns : from_ns > h->to_ns ? h->to_ns : from_ns;
	to_ns = to_ns < from_ns ? from_ns : to_ns > h->to_ns ? h->to_ns : to_ns;
	from = (double)(from_ns - h->from_ns) / width;
	to = (double)(to_ns - h->from_ns) / width;
	if (to <= from) {
		bin[from < GROWTH_BINS ? (unsigned int)from : GROWTH_BINS - 1] += value;
		return;
	}
	for (unsigned int b = (unsigned int)from; b < GROWTH_BINS && b < to; b++) {
		const double lo = b > from ? b : from, hi = b + 1 < to ? b + 1 : to;

		bin[b] += value * (hi - lo) / (to - from);
	}
}

static unsigned int growth_age(unsigned int age)
{
	return age < GROWTH_AGES ? age : GROWTH_AGES - 1;
}

void growth_allocated(struct growth_history *h, uint64_t from_ns, uint64_t to_ns, double bytes, double told)
{
	growth_spread(h, h->allocated, from_ns, to_ns, bytes);
	h->allocated_told += told;
}

void growth_freed(struct growth_history *h, uint64_t from_ns, uint64_t to_ns, double bytes, unsigned int age)
{
	growth_spread(h, h->freed, from_ns, to_ns, bytes);
	h->died[growth_age(age)] += bytes;
}

void growth_in_use(struct growth_history *h, double bytes, unsigned int age)
{
	h->alive[growth_age(age)] += bytes;
}

void growth_add(struct growth_history *to, const struct growth_history *b)
{
	for (unsigned int i = 0; i < GROWTH_BINS; i++) {
		to->allocated[i] += b->allocated[i];
		to->freed[i] += b->freed[i];
	}
	for (unsigned int i = 0; i < GROWTH_AGES; i++) {
		to->died[i] += b->died[i];
		to->alive[i] += b->alive[i];
	}
	to->allocated_told += b->allocated_told;
}

/* Which part of class AGE is below MS. */
static double age_below(unsigned int age, double ms)
{
	const double lo = (double)octave_low(age), hi = (double)octave_high(age) + 1;

	return ms <= lo ? 0 : ms >= hi ? 1 : (ms - lo) / (hi - lo);
}

/* The sum of BYTES, by age, of what is younger than MS. */
static double younger(const double *bytes, double ms)
{
	double sum = 0;

	for (unsigned int i = 0; i < GROWTH_AGES && (double)octave_low(i) < ms; i++)
		sum += bytes[i] * age_below(i, ms);
	return sum;
}

static double growth_sum(const double *v, unsigned int from, unsigned int to)
{
	double sum = 0;

	for (unsigned int i = from; i < to; i++)
		sum += v[i];
	return sum;
}

/* How the site grew in the bins from BIN on, in told blocks that stand for EACH bytes. */
struct window_growth {
	double blocks;
	double error;            /* the standard error of that; 0 = nothing happened */
	double sigmas;           /* by how many it differs from none */
};

static struct window_growth growth_since(const struct growth_history *h, unsigned int bin, double each)
{
	const double ms = (double)(h->to_ns - h->from_ns) / GROWTH_BINS * (GROWTH_BINS - bin) / NSEC_PER_MSEC;
	const double grown = growth_sum(h->allocated, bin, GROWTH_BINS) - growth_sum(h->freed, bin, GROWTH_BINS);
	double born = younger(h->alive, ms), died;
	struct window_growth w = { .blocks = grown / each };

	/* Borders of slices and of ages are coarse, but no less was born than the growth. */
	born = born > grown ? born : grown;
	died = born - grown;
	w.error = sqrt((born + died) / each);
	w.sigmas = w.error > 0 ? w.blocks / w.error : 0;
	return w;
}

/* Of the blocks that were followed to more than MS, which part was freed after that. */
static double old_freed(const struct growth_history *h, double ms)
{
	const double died = growth_sum(h->died, 0, GROWTH_AGES) - younger(h->died, ms);
	const double alive = growth_sum(h->alive, 0, GROWTH_AGES) - younger(h->alive, ms);

	return died + alive > 0 ? died / (died + alive) : 0;
}

/*
 * The share of blocks that live longer than AGE_MS. Where none was FOLLOWED so long, that of the greatest age to which
 * some were: no more than that can be.
 */
static double growth_survive(const struct growth_history *h, uint64_t age_ms, bool *followed)
{
	const double all = growth_sum(h->died, 0, GROWTH_AGES) + growth_sum(h->alive, 0, GROWTH_AGES);
	double left = all, survival = 1;

	for (unsigned int i = 0; i < GROWTH_AGES && octave_low(i) < age_ms && left > all * NEARLY_NONE; i++) {
		const double part = age_below(i, (double)age_ms);
		const double died = h->died[i] * part, alive = h->alive[i] * part;
		/* Those alive of this very age have been followed through half of it. */
		const double risked = left - alive / 2 > died ? left - alive / 2 : died;

		survival *= died > 0 ? 1 - died / risked : 1;
		left -= died + alive;
	}
	*followed = left > all * NEARLY_NONE || survival < NEARLY_NONE;
	return survival;
}

double growth_survival(const struct growth_history *h, uint64_t age_ms)
{
	bool followed;
	const double survival = growth_survive(h, age_ms, &followed);

	return followed ? survival : -1;
}

/* Nothing could be told from ALL and the window's second HALF: how much longer it may take. */
static uint64_t growth_more(const struct growth_history *h, const struct window_growth *all,
			    const struct window_growth *half)
{
	const double looked = (double)(h->to_ns - h->from_ns);
	double times = SURE / (all->sigmas > 0.5 ? all->sigmas : 0.5), ns;

	/* Sigmas grow with the root of the time. What is sure in the window and not in its half is close. */
	if (all->sigmas > SURE)
		times = SURE_HALF / (half->sigmas > 0.5 ? half->sigmas : 0.5);
	ns = looked * (times * times - 1);
	if (ns < looked / 2)
		ns = looked / 2;
	return ns < MORE_LEAST_NS ? MORE_LEAST_NS : ns > MORE_MOST_NS ? MORE_MOST_NS : (uint64_t)ns;
}

void growth_judge(const struct growth_history *h, struct growth *ret)
{
	const double looked = (double)(h->to_ns - h->from_ns), s = looked / NSEC_PER_SEC;
	const double third_ms = looked / NSEC_PER_MSEC / 3;
	const double allocated = growth_sum(h->allocated, 0, GROWTH_BINS);
	const double each = h->allocated_told > 0 ? allocated / h->allocated_told : 0;
	struct window_growth all, half;
	double survive;
	bool followed;

	*ret = (struct growth){ .in_use = growth_sum(h->alive, 0, GROWTH_AGES) };
	if (each <= 0 || h->to_ns <= h->from_ns) {
		ret->few = true;
		return;
	}
	all = growth_since(h, WINDOW_BEGIN, each);
	half = growth_since(h, WINDOW_MIDDLE, each);
	ret->per_s = all.blocks * each / (s * 2 / 3);
	ret->error = all.error * each / (s * 2 / 3);
	ret->sure = all.error > 0 ? (1 + erf(all.sigmas / sqrt(2))) / 2 : 0;
	ret->few = h->allocated_told < GROWTH_TOLD_LEAST;
	if (ret->in_use < 1 && growth_sum(h->died, 0, GROWTH_AGES) > 0) {
		ret->verdict = GROWTH_FREED;
		return;
	}
	if (ret->few) {
		ret->more_ns = (uint64_t)(looked * (GROWTH_TOLD_LEAST / h->allocated_told - 1)) + MORE_LEAST_NS;
		if (ret->more_ns > MORE_MOST_NS)
			ret->more_ns = 0;
		return;
	}
	survive = growth_survive(h, (uint64_t)third_ms, &followed);
	if (looked < LOOK_LEAST_NS)
		ret->verdict = GROWTH_UNKNOWN;
	else if (all.sigmas >= SURE && half.sigmas >= SURE_HALF && old_freed(h, third_ms) <= OLD_FREED_MOST)
		ret->verdict = GROWTH_GROWS;
	else if (all.sigmas < SURE && survive <= OLD_ALIVE_MOST)
		ret->verdict = GROWTH_PLATEAU;
	else if (half.sigmas < SURE_HALF && (half.blocks + 2 * half.error) * each <= STEADY_MOST * ret->in_use)
		ret->verdict = GROWTH_PLATEAU;
	if (ret->verdict == GROWTH_UNKNOWN)
		ret->more_ns = growth_more(h, &all, &half);
}
