/* SPDX-License-Identifier: BSD-2-Clause */
/* test_vec.c - arrays grow, keep what they hold, and refuse what cannot be. */
#include "config.h"

#include "base/vec.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <stdint.h>
#include <stdlib.h>

typedef VEC(int) int_vec;

static void keeps_elements(void **state)
{
	int_vec v = { 0 };

	for (int i = 0; i < 1000; i++) {
		int *p = vec_push(&v);

		assert_non_null(p);
		*p = i;
	}
	assert_int_equal(v.n, 1000);
	assert_true(v.cap >= 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	vec_free(&v);
	assert_null(v.v);
	assert_int_equal(v.n + v.cap, 0);
}

static void reserves_once(void **state)
{
	int_vec v = { 0 };
	const size_t nothing = 0;
	int *at;

	assert_true(vec_reserve(&v, nothing));
	assert_null(v.v);
	assert_true(vec_reserve(&v, 100));
	at = v.v;
	for (int i = 0; i < 100; i++)
		*vec_push(&v) = i;
	assert_ptr_equal(at, v.v);
	vec_free(&v);
}

static void refuses_overflow(void **state)
{
	int_vec v = { 0 };

	*vec_push(&v) = 7;
	assert_false(vec_reserve(&v, SIZE_MAX));
	assert_false(vec_reserve(&v, SIZE_MAX / sizeof(int)));
	assert_false(vec_reserve(&v, PTRDIFF_MAX / sizeof(int)));
	assert_int_equal(v.n, 1);
	assert_int_equal(v.v[0], 7);
	vec_free(&v);
}

static bool push_many(void)
{
	int_vec v = { 0 };
	bool ok = true;

	for (int i = 0; ok && i < 100; i++) {
		int *p = vec_push(&v);

		ok = p;
		if (p)
			*p = i;
		assert_int_equal(v.n, i + ok);
	}
	vec_free(&v);
	return ok;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, push_many))
		n++;
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_elements),
		cmocka_unit_test(reserves_once),
		cmocka_unit_test(refuses_overflow),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
