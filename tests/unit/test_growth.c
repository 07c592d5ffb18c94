/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_growth.c - sites whose behaviour is known, sampled as a capture would: leaks, churn, caches that
 * fill and stay, and blocks that live long. The verdict is right in 99 of 100 runs, or says that it
 * cannot be told yet.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/octave.h"
#include "model/allocation.h"
#include "query/growth.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <string.h>

/* A site that allocates RATE bytes a second in blocks of SIZE from BEGIN_S to END_S. */
struct site {
	double rate;
	uint64_t size;
	double begin_s, end_s;
	/* how long its blocks live: this, or exponentially around it; 0 = for ever */
	double life_s;
	bool exact;
	double kept;             /* part of its blocks that lives for ever all the same */
};

static double draw(uint64_t *seed)
{
	return ((double)(hash_u64((*seed)++) >> 11) + 0.5) * 0x1p-53;
}

/* What sampling with INTERVAL tells of S within LOOK_S seconds, in slices of a second. */
static struct growth_history told(const struct site *s, double look_s, uint32_t interval, uint64_t *seed)
{
	const double p = alloc_probability(s->size, interval);
	const double per_s = s->rate / (double)s->size * p, each = (double)s->size / p;
	struct growth_history h = { .to_ns = (uint64_t)(look_s * NSEC_PER_SEC) };

	for (double t = s->begin_s - log(draw(seed)) / per_s; t < look_s && t < s->end_s;
	     t -= log(draw(seed)) / per_s) {
		const uint64_t slice = (uint64_t)t * NSEC_PER_SEC;
		double life = s->exact ? s->life_s : -log(draw(seed)) * s->life_s;

		if (!s->life_s || draw(seed) < s->kept)
			life = INFINITY;
		growth_allocated(&h, slice, slice + NSEC_PER_SEC, each, 1);
		if (t + life >= look_s)
			growth_in_use(&h, each, octave_class((uint64_t)((look_s - t) * 1000)));
		else
			growth_freed(&h, (uint64_t)(t + life) * NSEC_PER_SEC,
				     ((uint64_t)(t + life) + 1) * NSEC_PER_SEC, each,
				     octave_class((uint64_t)(life * 1000)));
	}
	return h;
}

/* How often, of 200 runs, the verdict on S is each. */
struct verdicts {
	unsigned int n[GROWTH_PLATEAU + 1];      /* all freed counts as a plateau, too */
};

static struct verdicts verdicts_on(const struct site *s, double look_s, uint32_t interval)
{
	struct verdicts v = { 0 };
	uint64_t seed = 1;

	for (unsigned int run = 0; run < 200; run++) {
		const struct growth_history h = told(s, look_s, interval, &seed);
		struct growth g;

		growth_judge(&h, &g);
		v.n[g.verdict == GROWTH_FREED ? GROWTH_PLATEAU : g.verdict]++;
		if (g.verdict == GROWTH_UNKNOWN)
			assert_true(g.more_ns || g.few);
	}
	print_message("    %u unknown, %u grows, %u plateau\n", v.n[0], v.n[1], v.n[2]);
	return v;
}

#define MB 1e6
#define FOREVER 1e9

static void leaks_grow(void **state)
{
	const struct site slow = { .rate = 1 * MB, .size = 300, .end_s = FOREVER };
	const struct site tiny = { .rate = 1000, .size = 64, .end_s = FOREVER };
	const struct site large = { .rate = 4 * MB, .size = 1 << 20, .end_s = FOREVER };
	/* of 10 MB that it allocates a second, one is never freed */
	const struct site hidden = { .rate = 10 * MB, .size = 1000, .end_s = FOREVER, .life_s = 0.05, .kept = 0.1 };

	(void)state;
	assert_true(verdicts_on(&slow, 30, 512 << 10).n[GROWTH_GROWS] >= 198);
	assert_true(verdicts_on(&tiny, 30, 1 << 10).n[GROWTH_GROWS] >= 198);
	assert_true(verdicts_on(&large, 30, 512 << 10).n[GROWTH_GROWS] >= 198);
	assert_true(verdicts_on(&hidden, 30, 512 << 10).n[GROWTH_GROWS] >= 190);
}

static void others_do_not(void **state)
{
	const struct site churn = { .rate = 50 * MB, .size = 200, .end_s = FOREVER, .life_s = 0.01 };
	const struct site slower = { .rate = 20 * MB, .size = 200, .end_s = FOREVER, .life_s = 1 };
	const struct site cache = { .rate = 10 * MB, .size = 4096, .end_s = FOREVER, .life_s = 2, .exact = true };
	const struct site start = { .rate = 20 * MB, .size = 4096, .end_s = 3 };
	const struct site fill = { .rate = 5 * MB, .size = 4096, .begin_s = 0, .end_s = 8 };

	(void)state;
	assert_true(verdicts_on(&churn, 30, 512 << 10).n[GROWTH_PLATEAU] >= 198);
	assert_true(verdicts_on(&slower, 30, 512 << 10).n[GROWTH_PLATEAU] >= 198);
	assert_true(verdicts_on(&cache, 30, 512 << 10).n[GROWTH_PLATEAU] >= 198);
	assert_true(verdicts_on(&start, 30, 512 << 10).n[GROWTH_PLATEAU] >= 198);
	assert_true(verdicts_on(&fill, 30, 512 << 10).n[GROWTH_PLATEAU] >= 198);
}

/* Blocks that live as long as was looked, and sites of which next to nothing was told. */
static void what_cannot_be_told(void **state)
{
	const struct site lasting = { .rate = 5 * MB, .size = 4096, .end_s = FOREVER, .life_s = 20 };
	const struct site rare = { .rate = 0.1 * MB, .size = 300, .end_s = FOREVER };
	struct verdicts v = verdicts_on(&lasting, 30, 512 << 10);
	struct growth g;

	(void)state;
	assert_true(v.n[GROWTH_GROWS] <= 2);
	/* After ten lives of them it is clear. */
	assert_true(verdicts_on(&lasting, 300, 512 << 10).n[GROWTH_PLATEAU] >= 198);
	v = verdicts_on(&rare, 30, 512 << 10);
	assert_true(v.n[GROWTH_UNKNOWN] >= 190);
	growth_judge(&(struct growth_history){ 0 }, &g);
	assert_int_equal(g.verdict, GROWTH_UNKNOWN);
	assert_true(g.few);
}

/* The rate is right within its error, and so is the part of blocks that reaches an age. */
static void figures_are_right(void **state)
{
	const struct site leak = { .rate = 2 * MB, .size = 300, .end_s = FOREVER };
	const struct site half = { .rate = 10 * MB, .size = 300, .end_s = FOREVER, .life_s = 4 / M_LN2 };
	unsigned int out = 0, off = 0;
	uint64_t seed = 7;

	(void)state;
	for (unsigned int run = 0; run < 200; run++) {
		struct growth_history h = told(&leak, 60, 512 << 10, &seed);
		struct growth g;

		growth_judge(&h, &g);
		assert_true(g.error > 0 && g.sure > 0.99);
		out += fabs(g.per_s - leak.rate) > 3 * g.error;
		assert_true(growth_survival(&h, 10000) == 1);
		assert_true(growth_survival(&h, 1000000) < 0);
		h = told(&half, 60, 512 << 10, &seed);
		off += fabs(growth_survival(&h, 4000) - 0.5) > 0.06;
	}
	assert_true(out <= 3);
	assert_true(off <= 3);
}

static void parts_add_up(void **state)
{
	const struct site s = { .rate = 5 * MB, .size = 4096, .end_s = FOREVER, .life_s = 3, .kept = 0.2 };
	uint64_t seed = 3;
	const struct growth_history a = told(&s, 30, 512 << 10, &seed), b = told(&s, 30, 512 << 10, &seed);
	struct growth_history both = a;
	struct growth ga, gb, g;

	(void)state;
	growth_add(&both, &b);
	growth_judge(&a, &ga);
	growth_judge(&b, &gb);
	growth_judge(&both, &g);
	assert_true(fabs(g.in_use - ga.in_use - gb.in_use) < 1);
	assert_true(fabs(g.per_s - ga.per_s - gb.per_s) < 1);
	assert_int_equal(g.verdict, GROWTH_GROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaks_grow),
		cmocka_unit_test(others_do_not),
		cmocka_unit_test(what_cannot_be_told),
		cmocka_unit_test(figures_are_right),
		cmocka_unit_test(parts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
