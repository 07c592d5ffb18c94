/* SPDX-License-Identifier: BSD-2-Clause */
/* test_hash.c - every byte counts in a hash, and the index finds what was added, through growing and collisions. */
#include "config.h"

#include "base/hash.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <string.h>

static void every_byte_counts(void **state)
{
	unsigned char b[40] = { 0 };
	uint64_t seen[64];
	size_t n = 0;

	for (size_t len = 0; len <= sizeof(b); len++)
		seen[n++] = hash_bytes(b, len);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(seen[i], seen[k]);
	for (size_t i = 0; i < sizeof(b); i++) {
		const uint64_t before = hash_bytes(b, sizeof(b));

		b[i] ^= 0x80;
		assert_int_not_equal(hash_bytes(b, sizeof(b)), before);
	}
	assert_int_not_equal(hash_2u64(1, 2), hash_2u64(2, 1));
}

/* The ids are their own keys; the hash is chosen by the test. */
static uint64_t mixed(const void *ctx, uint32_t id)
{
	return hash_u64(id);
}

static uint64_t same_for_all(const void *ctx, uint32_t id)
{
	return 42;
}

static bool contains(const struct hidx *t, uint64_t h, uint32_t want)
{
	uint32_t id;

	hidx_each(t, h, id)
		if (id == want)
			return true;
	return false;
}

static void finds_what_was_added(void **state)
{
	struct hidx t = { 0 };

	assert_false(contains(&t, mixed(NULL, 0), 0));
	for (uint32_t id = 0; id < 10000; id++)
		assert_true(hidx_add(&t, mixed(NULL, id), id, mixed, NULL));
	assert_int_equal(t.used, 10000);
	for (uint32_t id = 0; id < 10000; id++)
		assert_true(contains(&t, mixed(NULL, id), id));
	for (uint32_t id = 10000; id < 20000; id++)
		assert_false(contains(&t, mixed(NULL, id), id));
	hidx_free(&t);
	assert_false(contains(&t, mixed(NULL, 0), 0));
}

static void survives_equal_hashes(void **state)
{
	struct hidx t = { 0 };

	for (uint32_t id = 0; id < 500; id++)
		assert_true(hidx_add(&t, 42, id, same_for_all, NULL));
	for (uint32_t id = 0; id < 500; id++)
		assert_true(contains(&t, 42, id));
	assert_false(contains(&t, 42, 500));
	hidx_free(&t);
}

static void refuses_ids_that_do_not_fit(void **state)
{
	struct hidx t = { 0 };

	for (uint64_t h = 0; h < 64; h++)
		assert_true(hidx_add(&t, h << 58, HIDX_IDS - 1, mixed, NULL));
	assert_true(contains(&t, 63ull << 58, HIDX_IDS - 1));
	assert_false(hidx_add(&t, 1, HIDX_IDS, mixed, NULL));
	assert_false(hidx_add(&t, 1, HIDX_NONE, mixed, NULL));
	hidx_free(&t);
}

static bool add_many(void)
{
	struct hidx t = { 0 };
	uint32_t id = 0;

	while (id < 100 && hidx_add(&t, mixed(NULL, id), id, mixed, NULL))
		id++;
	assert_int_equal(t.used, id);
	for (uint32_t k = 0; k < id; k++)
		assert_true(contains(&t, mixed(NULL, k), k));
	hidx_free(&t);
	return id == 100;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, add_many))
		n++;
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_counts),
		cmocka_unit_test(finds_what_was_added),
		cmocka_unit_test(survives_equal_hashes),
		cmocka_unit_test(refuses_ids_that_do_not_fit),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
