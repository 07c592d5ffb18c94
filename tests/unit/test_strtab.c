/* SPDX-License-Identifier: BSD-2-Clause */
/* test_strtab.c - equal text has one id and one address; lengths are kept; nothing moves. */
#include "config.h"

#include "base/strtab.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void interns(void **state)
{
	AUTO(strtab_free) struct strtab *t = strtab_new();
	const str_id a = strtab_adds(t, "main"), b = strtab_add(t, "mainly", 4), c = strtab_adds(t, "other");

	assert_int_equal(a, b);
	assert_int_not_equal(a, c);
	assert_string_equal(strtab_get(t, a), "main");
	assert_int_equal(strtab_len(t, a), 4);
	assert_int_equal(strtab_count(t), 3);
	assert_int_equal(strtab_adds(t, ""), 0);
	assert_string_equal(strtab_get(t, 0), "");
}

static void keeps_bytes_behind_nul(void **state)
{
	AUTO(strtab_free) struct strtab *t = strtab_new();
	const str_id a = strtab_add(t, "a\0b", 3), b = strtab_add(t, "a\0c", 3), c = strtab_adds(t, "a");

	assert_true(a != b && b != c && a != c);
	assert_int_equal(strtab_len(t, a), 3);
	assert_memory_equal(strtab_get(t, a), "a\0b", 4);
}

static void unknown_ids_are_empty(void **state)
{
	AUTO(strtab_free) struct strtab *t = strtab_new();

	assert_string_equal(strtab_get(t, 1), "");
	assert_string_equal(strtab_get(t, STR_NONE), "");
	assert_int_equal(strtab_len(t, STR_NONE), 0);
	strtab_free(NULL);
}

static void nothing_moves(void **state)
{
	AUTO(strtab_free) struct strtab *t = strtab_new();
	const char *first = strtab_get(t, strtab_adds(t, "first"));
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(strtab_adds(t, name), i + 2);
	}
	assert_ptr_equal(first, strtab_get(t, 1));
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		assert_int_equal(strtab_adds(t, name), i + 2);
	}
	assert_int_equal(strtab_count(t), 20002);
	assert_true(strtab_bytes(t) > 20000 * 8);
}

static bool add_some(void)
{
	AUTO(strtab_free) struct strtab *t = strtab_new();
	char name[32];

	for (uint32_t i = 1; t && i < 1000; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		if (strtab_adds(t, name) == STR_NONE) {
			assert_int_equal(strtab_count(t), i);
			/* Memory is back: the table is as good as before. */
			return strtab_adds(t, name) != i;
		}
	}
	return t;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, add_some))
		n++;
	assert_true(n > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interns),
		cmocka_unit_test(keeps_bytes_behind_nul),
		cmocka_unit_test(unknown_ids_are_empty),
		cmocka_unit_test(nothing_moves),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
