/* SPDX-License-Identifier: BSD-2-Clause */
/* test_budget.c - what probes cost, and for which part of the time they may be in place. */
#include "config.h"

#include "engine/budget.h"

#include "cmocka_all.h"

static void cost_is_a_share_of_one_cpu(void **state)
{
	assert_int_equal(budget_share(0, NSEC_PER_SEC), 0);
	assert_int_equal(budget_share(NSEC_PER_SEC / 20, NSEC_PER_SEC), 50000);
	/* Of several CPUs. */
	assert_int_equal(budget_share(3 * NSEC_PER_SEC, NSEC_PER_SEC), 3000000);
	assert_int_equal(budget_share(1, 0), 0);
	assert_int_equal(budget_share(UINT64_MAX, 1), UINT32_MAX - 1);
}

static void within_the_budget_they_stay(void **state)
{
	assert_int_equal(budget_scale(0, BUDGET_SHARE, 125), 1);
	assert_int_equal(budget_scale(BUDGET_SHARE, BUDGET_SHARE, 125), 1);
	assert_int_equal(budget_scale(UINT32_MAX - 1, BUDGET_NONE, 125), 1);
}

/* SHARE / SCALE is never more than the budget. */
static void above_they_are_in_place_for_a_part(void **state)
{
	assert_int_equal(budget_scale(BUDGET_SHARE + 1, BUDGET_SHARE, 125), 2);
	assert_int_equal(budget_scale(980000, BUDGET_SHARE, 125), 25);
	assert_int_equal(budget_scale(1000000, BUDGET_SHARE, 125), 25);
	assert_int_equal(budget_scale(UINT32_MAX - 1, 1, 125), BUDGET_SCALE_MAX);
	assert_int_equal(budget_scale(0, 0, 125), BUDGET_SCALE_MAX);
}

/* What is hit before and after a slice is paid for, too; one busy moment is not all there is to know. */
static void slices_cost_more_than_what_is_in_them(void **state)
{
	assert_int_equal(budget_spent(125, 1000, 1500), 137);
	assert_int_equal(budget_spent(137, 0, 0), 137);
	assert_int_equal(budget_spent(100, 1000, 900), 100);
	assert_int_equal(budget_spent(100, 1, UINT64_MAX), 550);
	assert_int_equal(budget_scale(1000000, BUDGET_SHARE, 200), 40);
}

static void one_sort_leaves_half_of_it_to_the_other(void **state)
{
	assert_int_equal(budget_rest(50000, 0), 50000);
	assert_int_equal(budget_rest(50000, 10000), 40000);
	assert_int_equal(budget_rest(50000, 900000), 25000);
	assert_int_equal(budget_rest(BUDGET_NONE, 900000), BUDGET_NONE);
}

/* Of a second, by hits that cost 0.3 us to count and 1 us more to tell. */
static void hits_that_cost_most_are_told_least(void **state)
{
	struct budget_hits v[] = {
		{ .rest_ns = 30000000, .told_ns = 100000000 },   /* 100,000 */
		{ .rest_ns = 3000, .told_ns = 10000 },           /* 10 */
		{ .rest_ns = 3000000, .told_ns = 10000000 },     /* 10,000 */
	};

	budget_thin(v, 3, NSEC_PER_SEC, 1000000);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(v[i].every, 1);
	budget_thin(v, 3, NSEC_PER_SEC, 50000);
	/* There is room for 17 ms: 10 us, and half of the rest each. */
	assert_int_equal(v[0].every, 12);
	assert_int_equal(v[1].every, 1);
	assert_int_equal(v[2].every, 2);
	budget_thin(v, 3, NSEC_PER_SEC, BUDGET_NONE);
	assert_int_equal(v[0].every, 1);
}

/* To tell still fewer saves nothing, and knows less. */
static void where_counting_is_too_much_a_tenth_of_that_is_told(void **state)
{
	struct budget_hits v[] = { { .rest_ns = 300000000, .told_ns = 1000000000 }, { .rest_ns = 0, .told_ns = 0 } };

	budget_thin(v, 2, NSEC_PER_SEC, 50000);
	assert_int_equal(v[0].every, 34);
	assert_int_equal(v[1].every, 1);
	budget_thin(v, 2, NSEC_PER_SEC, 0);
	assert_int_equal(v[0].every, 34);
	budget_thin(v, 0, NSEC_PER_SEC, 0);
}

static void small_differences_change_nothing(void **state)
{
	assert_false(budget_differs(10, 12));
	assert_true(budget_differs(10, 13));
	assert_false(budget_differs(12, 10));
	assert_true(budget_differs(13, 10));
	assert_true(budget_differs(2, 1));
	assert_false(budget_differs(1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_is_a_share_of_one_cpu),
		cmocka_unit_test(within_the_budget_they_stay),
		cmocka_unit_test(above_they_are_in_place_for_a_part),
		cmocka_unit_test(slices_cost_more_than_what_is_in_them),
		cmocka_unit_test(one_sort_leaves_half_of_it_to_the_other),
		cmocka_unit_test(hits_that_cost_most_are_told_least),
		cmocka_unit_test(where_counting_is_too_much_a_tenth_of_that_is_told),
		cmocka_unit_test(small_differences_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
