/* SPDX-License-Identifier: BSD-2-Clause */
/* test_units.c - numbers as people read them, at the edges where rounding changes the unit. */
#include "config.h"

#include "base/units.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <string.h>

struct unit_case {
	uint64_t n;
	const char *want;
};

static void assert_cases(char *(*f)(char *, uint64_t), const struct unit_case *c, size_t n)
{
	char out[UNITS_MAX];

	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(f(out, c[i].n), out);
		assert_string_equal(out, c[i].want);
	}
}

#define ASSERT_CASES(f, c) assert_cases(f, c, sizeof(c) / sizeof((c)[0]))

static void times(void **state)
{
	static const struct unit_case cases[] = {
		{ 0, "0 ns" }, { 987, "987 ns" }, { 999, "999 ns" }, { 1000, "1.00 us" }, { 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 99949, "99.9 us" }, { 99950, "100 us" }, { 999499, "999 us" }, { 999500, "1.00 ms" },
		  { 20700000, "20.7 ms" },
		{ 999499999, "999 ms" }, { 999960000, "1.00 s" }, { 1000000000, "1.00 s" }, { 9995000000, "10.0 s" },
		{ 59949999999, "59.9 s" }, { 59950000000, "1m00" }, { 200000000000, "3m20" },
		  { 3599499999999, "59m59" },
		{ 3599500000000, "1h00" }, { 7860000000000, "2h11" }, { UINT64_MAX, "5124095h35" },
	};

	ASSERT_CASES(units_time, cases);
}

static void bytes(void **state)
{
	static const struct unit_case cases[] = {
		{ 0, "0 B" }, { 512, "512 B" }, { 1023, "1023 B" }, { 1024, "1.0 KB" }, { 10188, "9.9 KB" },
		  { 10189, "10 KB" },
		{ 1048063, "1023 KB" }, { 1048064, "1.0 MB" }, { 22020096, "21 MB" }, { 3435973837, "3.2 GB" },
		{ UINT64_MAX, "16 EB" },
	};

	ASSERT_CASES(units_bytes, cases);
}

static void counts(void **state)
{
	static const struct unit_case cases[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1.0k" }, { 12400, "12.4k" }, { 99949, "99.9k" }, { 99950, "100k" },
		{ 999499, "999k" }, { 999500, "1.0M" }, { 3100000, "3.1M" }, { UINT64_MAX, "18.4E" },
	};

	ASSERT_CASES(units_count, cases);
}

static void thousands(void **state)
{
	static const struct unit_case cases[] = {
		{ 0, "0" }, { 999, "999" }, { 1204, "1,204" }, { 999999, "999,999" }, { 1000000, "1,000,000" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};

	ASSERT_CASES(units_thousands, cases);
}

static void percents(void **state)
{
	static const struct {
		double fraction;
		const char *want;
	} cases[] = {
		{ 0, "0.0 %" }, { 0.418, "41.8 %" }, { 1, "100.0 %" }, { 1.31, "131.0 %" }, { 0.9999999, "99.9 %" },
		{ 0.9985, "99.9 %" }, { 1e-9, "<0.1 %" }, { 0.00099, "<0.1 %" }, { 0.001, "0.1 %" }, { 3, "300.0 %" },
		{ -0.1, "? %" }, { NAN, "? %" }, { INFINITY, "1000000000.0 %" },
	};
	char out[UNITS_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(units_percent(out, cases[i].fraction), cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(bytes),
		cmocka_unit_test(counts),
		cmocka_unit_test(thousands),
		cmocka_unit_test(percents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
