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
	assert_int_equal(budget_scale(0, BUDGET_SHARE), 1);
	assert_int_equal(budget_scale(BUDGET_SHARE, BUDGET_SHARE), 1);
	assert_int_equal(budget_scale(UINT32_MAX - 1, BUDGET_NONE), 1);
}

/* SHARE / SCALE is never more than the budget. */
static void above_they_are_in_place_for_a_part(void **state)
{
	assert_int_equal(budget_scale(BUDGET_SHARE + 1, BUDGET_SHARE), 2);
	assert_int_equal(budget_scale(980000, BUDGET_SHARE), 25);
	assert_int_equal(budget_scale(1000000, BUDGET_SHARE), 25);
	assert_int_equal(budget_scale(UINT32_MAX - 1, 1), BUDGET_SCALE_MAX);
	assert_int_equal(budget_scale(0, 0), BUDGET_SCALE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_is_a_share_of_one_cpu),
		cmocka_unit_test(within_the_budget_they_stay),
		cmocka_unit_test(above_they_are_in_place_for_a_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
