/* SPDX-License-Identifier: BSD-2-Clause */
/* test_arena.c - blocks are zeroed, aligned, disjoint, and counted. */
#include "config.h"

#include "base/arena.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <stdint.h>
#include <string.h>

static void zeroed_aligned_disjoint(void **state)
{
	struct arena a = { 0 };
	unsigned char *p[300];

	for (size_t i = 0; i < 300; i++) {
		p[i] = arena_alloc(&a, i * 7);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < i * 7; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], (int)i, i * 7);
	}
	for (size_t i = 0; i < 300; i++)
		for (size_t k = 0; k < i * 7; k++)
			assert_int_equal(p[i][k], i & 0xff);
	assert_true(a.total >= 7 * 299 * 300 / 2);
	arena_reset(&a);
	assert_int_equal(a.total, 0);
	assert_non_null(arena_alloc(&a, 1));
	arena_reset(&a);
}

static void larger_than_any_block(void **state)
{
	struct arena a = { 0 };
	char *big = arena_alloc(&a, 5u << 20), *small = arena_alloc(&a, 16);

	assert_non_null(big);
	assert_non_null(small);
	memset(big, 1, 5u << 20);
	assert_int_equal(small[0], 0);
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 64));
	assert_null(arena_strndup(&a, "x", SIZE_MAX));
	arena_reset(&a);
}

static void copies_strings(void **state)
{
	struct arena a = { 0 };

	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, NULL, 0), "");
	assert_memory_equal(arena_strndup(&a, "a\0b", 3), "a\0b", 4);
	arena_reset(&a);
}

static bool fill(void)
{
	struct arena a = { 0 };
	bool ok = true;

	for (int i = 0; ok && i < 100; i++)
		ok = arena_alloc(&a, 1000);
	arena_reset(&a);
	return ok;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, fill))
		n++;
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed_aligned_disjoint),
		cmocka_unit_test(larger_than_any_block),
		cmocka_unit_test(copies_strings),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
