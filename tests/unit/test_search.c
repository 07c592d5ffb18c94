/* SPDX-License-Identifier: BSD-2-Clause */
/* test_search.c - the place of a number in an array, and the innermost of ranges that nest. */
#include "config.h"

#include "base/sorted.h"
#include "symbol/spans.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

static void counts(void **state)
{
	static const struct { char other; uint64_t at; } v[] = { { 'a', 3 }, { 'b', 7 }, { 'c', 7 },
								 { 'd', UINT64_MAX } };

	assert_int_equal(count_upto(v, 0, at, 5), 0);
	assert_int_equal(count_upto((struct span *)NULL, 0, end, 5), 0);
	assert_int_equal(count_upto(v, 4, at, 0), 0);
	assert_int_equal(count_upto(v, 4, at, 2), 0);
	assert_int_equal(count_upto(v, 4, at, 3), 1);
	assert_int_equal(count_upto(v, 4, at, 6), 1);
	assert_int_equal(count_upto(v, 4, at, 7), 3);
	assert_int_equal(count_upto(v, 4, at, UINT64_MAX - 1), 3);
	assert_int_equal(count_upto(v, 4, at, UINT64_MAX), 4);
	assert_int_equal(count_upto(v, 1, at, UINT64_MAX), 1);
}

static void places(void **state)
{
	static const struct { char other; int32_t id; } v[] = { { 'a', -5 }, { 'b', 3 }, { 'c', 7 },
								{ 'd', INT32_MAX } };

	assert_int_equal(count_below(v, 0, id, 5), 0);
	assert_int_equal(count_below(v, 4, id, INT32_MIN), 0);
	assert_int_equal(count_below(v, 4, id, -5), 0);
	assert_int_equal(count_below(v, 4, id, -4), 1);
	assert_int_equal(count_below(v, 4, id, 7), 2);
	assert_int_equal(count_below(v, 4, id, 8), 3);
	assert_int_equal(count_below(v, 4, id, INT32_MAX), 3);
	assert_int_equal(count_below(v, 3, id, INT32_MAX), 3);
}

static uint32_t innermost(const spans *s, uint64_t addr)
{
	const struct span *at = spans_find(s, addr);

	assert_true(!at || (at->start <= addr && addr < at->end));
	return at ? at->value : SPAN_NONE;
}

static uint32_t last(const spans *s, uint64_t addr)
{
	const struct span *at = spans_find_last(s, addr);

	assert_true(!at || (at->start <= addr && addr < at->end));
	return at ? at->value : SPAN_NONE;
}

static void nested(void **state)
{
	spans s = { 0 };

	assert_true(spans_add(&s, 10, 20, 5));
	assert_true(spans_add(&s, 12, 14, 3));
	assert_true(spans_add(&s, 13, 13, 9));           /* empty */
	assert_true(spans_add(&s, 16, 17, 7));
	assert_true(spans_add(&s, 0, 100, 6));
	assert_true(spans_add(&s, 10, 18, 1));           /* of two that start together the shorter is inside */
	spans_seal(&s);
	assert_int_equal(s.n, 5);
	assert_int_equal(innermost(&s, 9), 6);
	assert_int_equal(innermost(&s, 10), 1);
	assert_int_equal(innermost(&s, 13), 3);
	assert_int_equal(innermost(&s, 14), 1);
	assert_int_equal(innermost(&s, 16), 7);
	assert_int_equal(innermost(&s, 18), 5);
	assert_int_equal(innermost(&s, 99), 6);
	assert_int_equal(innermost(&s, 100), SPAN_NONE);
	assert_int_equal(last(&s, 13), 6);
	assert_int_equal(last(&s, 16), 7);
	assert_int_equal(last(&s, 100), SPAN_NONE);
	vec_free(&s);
	spans_seal(&s);
	assert_int_equal(innermost(&s, 1), SPAN_NONE);
	assert_int_equal(last(&s, 1), SPAN_NONE);
}

/* However many ranges a damaged file piles up, a search looks at some thousand and gives what it has found by then. */
static void piled_up(void **state)
{
	const uint32_t n = 100000;
	spans s = { 0 };

	for (uint32_t i = 0; i < n; i++)
		assert_true(spans_add(&s, i, i ? 2 * n - i : 3 * n, n - i));
	spans_seal(&s);
	assert_int_equal(innermost(&s, n - 1), 1);
	assert_in_range(last(&s, n - 1), 1000, n / 2);
	assert_int_equal(innermost(&s, 2 * n + 1), SPAN_NONE);   /* too far out */
	vec_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(places),
		cmocka_unit_test(nested),
		cmocka_unit_test(piled_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
