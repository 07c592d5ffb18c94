/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_allocation.c - blocks sampled by bytes add up to what there was, within the error that is
 * said; classes and arguments keep what they are given.
 */
#include "config.h"

#include "base/hash.h"
#include "base/octave.h"
#include "model/allocation.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>

static void classes_have_borders(void **state)
{
	(void)state;
	for (uint64_t v = 0; v < 5000; v++) {
		const unsigned int c = octave_class(v);

		assert_true(octave_low(c) <= v && v <= octave_high(c));
		assert_true(octave_low(c) <= octave_middle(c) && octave_middle(c) <= octave_high(c));
		assert_true(octave_high(c) - octave_low(c) < (v < 8 ? 1 : octave_low(c) / 4));
	}
	for (unsigned int c = 1; c < OCTAVE_CLASSES; c++)
		assert_int_equal(octave_low(c), octave_high(c - 1) + 1);
	assert_int_equal(octave_class(UINT64_MAX), OCTAVE_CLASSES - 1);
	assert_int_equal(octave_high(OCTAVE_CLASSES - 1), UINT64_MAX);
}

static void arguments_keep_all(void **state)
{
	static const struct allocation all[] = {
		{ .size = 251, .age = 77, .temporary = true, .interval = ALLOC_INTERVAL_MAX },
		{ .size = 3, .leaked = true }, { .size = 9, .growth = GROWTH_SHARED, .interval = 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct allocation *a = &all[i], r = allocation_of(allocation_argument(a));

		assert_true(r.size == a->size && r.age == a->age && r.temporary == a->temporary);
		assert_true(r.leaked == a->leaked && r.growth == a->growth && r.interval == a->interval);
	}
}

static void every_block_is_itself(void **state)
{
	const uint64_t sizes[] = { 0, 1, 24, 1u << 20, 1ull << 40 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct alloc_weight w = alloc_weight(sizes[i], 1, UINT64_MAX);
		const struct allocation a = { .size = (uint8_t)octave_class(sizes[i]), .interval = 1 };

		assert_int_equal(w.bytes, sizes[i]);
		assert_int_equal(w.blocks, 1);
		assert_true(alloc_variance(&a, w.bytes) == 0);
	}
	/* Where nobody said how they were sampled, nothing is claimed. */
	assert_true(alloc_variance(&(struct allocation){ .size = 40 }, 1000) == 0);
}

/* What is sampled of N blocks of SIZE bytes; draws are numbers from *SEED on. */
static struct alloc_weight sampled(uint64_t *seed, unsigned int n, uint64_t size, uint32_t interval, double *variance)
{
	const double p = alloc_probability(size, interval);
	const struct allocation a = { .size = (uint8_t)octave_class(size), .interval = interval };
	struct alloc_weight sum = { 0 };

	for (unsigned int i = 0; i < n; i++) {
		struct alloc_weight w;

		if ((double)(hash_u64((*seed)++) >> 11) * 0x1p-53 >= p)
			continue;
		w = alloc_weight(size, interval, hash_u64((*seed)++));
		sum.bytes += w.bytes;
		sum.blocks += w.blocks;
	}
	*variance = alloc_variance(&a, sum.bytes);
	return sum;
}

/*
 * Of 200 runs, nearly all sums are within three standard errors as said, and their average is right:
 * for small blocks, for those as large as the interval, and for larger ones.
 */
static void sums_are_right(void **state)
{
	const uint64_t sizes[] = { 16, 100, 4000, 1u << 16, 1u << 18 };
	const uint32_t interval = 1u << 16;
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const unsigned int n = (unsigned int)(40 * interval / sizes[i]) + 100;
		const double true_bytes = (double)n * (double)sizes[i];
		double bytes = 0, blocks = 0;
		unsigned int out = 0;

		for (unsigned int run = 0; run < 200; run++) {
			double variance;
			const struct alloc_weight w = sampled(&seed, n, sizes[i], interval, &variance);

			bytes += (double)w.bytes / 200;
			blocks += (double)w.blocks / 200;
			out += fabs((double)w.bytes - true_bytes) > 3 * sqrt(variance);
		}
		assert_true(out <= 6);
		assert_true(fabs(bytes / true_bytes - 1) < 0.04);
		assert_true(fabs(blocks / n - 1) < 0.04);
	}
}

/* How many were told can be said from what they stand for. */
static void numbers_told_are_known(void **state)
{
	const struct allocation a = { .size = (uint8_t)octave_class(96), .interval = 1u << 16 };

	(void)state;
	assert_true(fabs(alloc_told(&a, 30 * 65536ull) - 30) < 4);
	assert_true(alloc_told(&(struct allocation){ 0 }, 0) == 0);
}

/* With what somebody else has sampled follows from what he says that a block stands for. */
static void weights_of_others_are_taken(void **state)
{
	const uint64_t sizes[] = { 1, 100, 5000, 200000 };
	uint32_t interval;
	struct alloc_weight w;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint64_t bytes = alloc_weight(sizes[i], 1u << 19, 0).bytes;

		w = alloc_weight_told(sizes[i], bytes, 1u << 12, 0, &interval);
		assert_int_equal(interval, 1u << 19);
		assert_int_equal(w.bytes, bytes);
		w = alloc_weight_told(sizes[i], alloc_weight(sizes[i], 300000, 0).bytes, 300000, 0, &interval);
		assert_int_equal(interval, 300000);
	}
	/* Nobody samples who says that a block stands for itself, or nothing at all. */
	w = alloc_weight_told(100, 100, 4096, 0, &interval);
	assert_int_equal(interval, 1);
	assert_int_equal(w.bytes, 100);
	w = alloc_weight_told(100, 0, 4096, 0, &interval);
	assert_int_equal(w.bytes, 100);
	w = alloc_weight_told(0, 0, 4096, 0, &interval);
	assert_int_equal(w.bytes, 0);
	w = alloc_weight_told(1, UINT64_MAX, 4096, 0, &interval);
	assert_int_equal(interval, ALLOC_INTERVAL_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_have_borders),
		cmocka_unit_test(arguments_keep_all),
		cmocka_unit_test(every_block_is_itself),
		cmocka_unit_test(sums_are_right),
		cmocka_unit_test(numbers_told_are_known),
		cmocka_unit_test(weights_of_others_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
