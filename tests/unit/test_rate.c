/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rate.c - which rate a sample was taken at. */
#include "config.h"

#include "tests/unit/cmocka_all.h"

#include "capture/rate.h"

#define SECOND NSEC_PER_SEC

static void a_rate_that_stays(void **state)
{
	const struct rate r = { .hz = 100 };

	assert_int_equal(rate_period_ns(&r, 0), SECOND / 100);
	assert_int_equal(rate_period_ns(&r, 5 * SECOND), SECOND / 100);
}

/* Samples are read later than they are taken; one right after the change may reach back to before it. */
static void a_higher_one(void **state)
{
	struct rate r = { .hz = 10 };

	rate_change(&r, 1000, 50 * SECOND);
	assert_int_equal(r.hz, 1000);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND - 1), SECOND / 10);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND), SECOND / 10);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND + SECOND / 5 - 1), SECOND / 10);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND + SECOND / 5), SECOND / 1000);
}

static void a_lower_one(void **state)
{
	struct rate r = { .hz = 1000 };

	rate_change(&r, 10, 50 * SECOND);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND - 1), SECOND / 1000);
	assert_int_equal(rate_period_ns(&r, 50 * SECOND), SECOND / 10);
	rate_change(&r, 100, 60 * SECOND);
	assert_int_equal(rate_period_ns(&r, 60 * SECOND - 1), SECOND / 10);
	assert_int_equal(rate_period_ns(&r, 61 * SECOND), SECOND / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_that_stays),
		cmocka_unit_test(a_higher_one),
		cmocka_unit_test(a_lower_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
