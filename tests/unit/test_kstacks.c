/* SPDX-License-Identifier: BSD-2-Clause */
/* test_kstacks.c - equal kernel stacks are kept once, do not move, and there is a bound to how many. */
#include "config.h"

#include "capture/kstacks.h"
#include "tests/unit/cmocka_all.h"

#include <stdint.h>

static void keeps_each_once(void **state)
{
	struct kstacks k = { 0 };
	const uint64_t a[] = { 1, 2, 3 }, same[] = { 1, 2, 3 }, b[] = { 1, 2, 4 };
	const uint64_t *kept = kstacks_keep(&k, a, 3);

	assert_non_null(kept);
	assert_memory_equal(kept, a, sizeof(a));
	assert_ptr_equal(kstacks_keep(&k, same, 3), kept);
	assert_ptr_not_equal(kstacks_keep(&k, b, 3), kept);
	assert_ptr_not_equal(kstacks_keep(&k, a, 2), kept);
	assert_null(kstacks_keep(&k, a, 0));
	kstacks_free(&k);
}

static void stays_within_its_bound(void **state)
{
	struct kstacks k = { 0 };
	uint64_t a[] = { 0, 7 };
	const uint64_t *first = kstacks_keep(&k, a, 2);

	while (k.list.n < KSTACKS_MAX) {
		a[0]++;
		assert_non_null(kstacks_keep(&k, a, 2));
	}
	a[0]++;
	assert_null(kstacks_keep(&k, a, 2));
	a[0] = 0;
	assert_ptr_equal(kstacks_keep(&k, a, 2), first);
	assert_int_equal(first[1], 7);
	kstacks_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_each_once),
					    cmocka_unit_test(stays_within_its_bound) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
