/* SPDX-License-Identifier: BSD-2-Clause */
/* test_runtime.c - how long programs ran, where that is measured a part of the time. */
#include "config.h"

#include "capture/runtime.h"

#include "cmocka_all.h"

#define MS 1000000ull

static void all_of_it_is_measured(void **state)
{
	struct runtime r = { 0 };

	/* What ran before this began is of programs that were attached before it. */
	runtime_begin(&r, false, 5 * MS, 1000 * MS);
	assert_false(runtime_due(&r, 5000 * MS));
	assert_int_equal(runtime_ns(&r, 7 * MS, 2000 * MS), 7 * MS);
	runtime_end(&r, 8 * MS, 3000 * MS);
	assert_int_equal(runtime_ns(&r, 9 * MS, 4000 * MS), 9 * MS);
}

static void what_is_between_is_taken_to_be_the_same(void **state)
{
	struct runtime r = { 0 };

	runtime_begin(&r, true, 5 * MS, 1000 * MS);
	assert_false(runtime_due(&r, 1049 * MS));
	assert_int_equal(runtime_ns(&r, 6 * MS, 1040 * MS), 1 * MS);
	assert_true(runtime_due(&r, 1100 * MS));
	/* 10 ms of 100. */
	runtime_turn(&r, 15 * MS, 1100 * MS);
	assert_false(r.on);
	assert_int_equal(runtime_ns(&r, 15 * MS, 1100 * MS), 10 * MS);
	assert_int_equal(runtime_ns(&r, 15 * MS, 1500 * MS), 50 * MS);
	assert_false(runtime_due(&r, 1999 * MS));
	assert_true(runtime_due(&r, 2000 * MS));
	/* Somebody else had it measured meanwhile: that is not counted twice. */
	runtime_turn(&r, 40 * MS, 2000 * MS);
	assert_true(r.on);
	assert_int_equal(runtime_ns(&r, 41 * MS, 2010 * MS), 101 * MS);
	runtime_turn(&r, 90 * MS, 2100 * MS);
	assert_int_equal(runtime_ns(&r, 90 * MS, 2200 * MS), 200 * MS);
	runtime_end(&r, 90 * MS, 2300 * MS);
	assert_int_equal(runtime_ns(&r, 99 * MS, 9000 * MS), 250 * MS);
	assert_false(runtime_due(&r, 9000 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_measured),
		cmocka_unit_test(what_is_between_is_taken_to_be_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
