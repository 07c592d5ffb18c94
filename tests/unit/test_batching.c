/* SPDX-License-Identifier: BSD-2-Clause */
/* test_batching.c - turns are short while they bring lessons, and long when they do not. */
#include "config.h"

#include "engine/batching.h"

#include "cmocka_all.h"

#define MAX 100u

static void grow_without_lessons(void **state)
{
	struct batching t = { 0 };
	uint32_t last = 0, ms;

	assert_int_equal(batching_next(&t, 0, MAX), BATCHING_MIN_MS);
	for (int i = 0; i < 10; i++, last = ms) {
		ms = batching_next(&t, 0, MAX);
		assert_true(ms == 2 * last || ms == MAX || !last);
	}
	assert_int_equal(last, MAX);
}

static void shrink_by_lessons(void **state)
{
	struct batching t = { .ms = MAX };

	assert_int_equal(batching_next(&t, 1, MAX), MAX / 2);
	assert_int_equal(batching_next(&t, 0, MAX), MAX);
	assert_int_equal(batching_next(&t, 4, MAX), MAX / 5);
	assert_int_equal(batching_next(&t, 50, MAX), BATCHING_MIN_MS);
	assert_int_equal(batching_next(&t, UINT32_MAX, MAX), BATCHING_MIN_MS);
}

/* The longest may change while they go on. */
static void stay_within_bounds(void **state)
{
	struct batching t = { .ms = MAX };

	assert_int_equal(batching_next(&t, 0, 20), 20);
	assert_int_equal(batching_next(&t, 0, MAX), 40);
	assert_int_equal(batching_next(&t, 0, BATCHING_MIN_MS), BATCHING_MIN_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grow_without_lessons),
		cmocka_unit_test(shrink_by_lessons),
		cmocka_unit_test(stay_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
