/* SPDX-License-Identifier: BSD-2-Clause */
/* test_reorder.c - items come out by time and arrival, never before the watermark, and late ones are counted. */
#include "config.h"

#include "capture/reorder.h"

#include "base/hash.h"
#include "tests/unit/cmocka_all.h"

static void put(struct reorder *r, uint64_t time_ns, uint64_t tag)
{
	struct reorder_item it = { .time_ns = time_ns, .tag = tag };

	assert_true(reorder_put(r, &it));
}

static uint64_t take(struct reorder *r, uint64_t watermark_ns)
{
	struct reorder_item it;

	return reorder_take(r, watermark_ns, &it) ? it.tag : UINT64_MAX;
}

static void waits_for_the_watermark(void **state)
{
	struct reorder r = { 0 };

	put(&r, 30, 3);
	put(&r, 10, 1);
	put(&r, 20, 2);
	assert_int_equal(take(&r, 9), UINT64_MAX);
	assert_int_equal(take(&r, 20), 1);
	assert_int_equal(take(&r, 20), 2);
	assert_int_equal(take(&r, 20), UINT64_MAX);
	assert_int_equal(take(&r, UINT64_MAX), 3);
	assert_int_equal(r.late, 0);
	reorder_free(&r);
}

static void equal_times_keep_their_order(void **state)
{
	struct reorder r = { 0 };

	for (uint64_t i = 0; i < 100; i++)
		put(&r, 5, i);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(take(&r, 5), i);
	reorder_free(&r);
}

static void late_ones_come_out_and_are_counted(void **state)
{
	struct reorder r = { 0 };

	put(&r, 50, 5);
	assert_int_equal(take(&r, 60), 5);
	put(&r, 40, 4);
	put(&r, 50, 6);
	assert_int_equal(take(&r, 60), 4);
	assert_int_equal(r.late, 1);
	assert_int_equal(take(&r, 60), 6);
	assert_int_equal(r.late, 1);
	reorder_free(&r);
}

static uint64_t lowest(const uint64_t *v, size_t n)
{
	uint64_t low = v[0];

	for (size_t i = 1; i < n; i++)
		low = v[i] < low ? v[i] : low;
	return low;
}

/* Four streams, each in order, put in by turns; the watermark is what all of them have passed. */
static void merges_streams(void **state)
{
	enum { EACH = 5000, STREAMS = 4 };
	struct reorder r = { 0 };
	struct reorder_item it;
	uint64_t next[STREAMS] = { 0 }, n = 0, last = 0, watermark;

	for (uint64_t i = 0; i <= EACH * STREAMS; i++) {
		uint32_t s = (uint32_t)(hash_u64(i) % STREAMS);
		bool end = i == EACH * STREAMS;

		next[s] += 1 + hash_u64(i + 1) % 50;
		if (!end)
			put(&r, next[s], i);
		watermark = end ? UINT64_MAX : lowest(next, STREAMS);
		for (; reorder_take(&r, watermark, &it); n++) {
			assert_true(it.time_ns >= last && it.time_ns <= watermark);
			last = it.time_ns;
		}
	}
	assert_int_equal(n, EACH * STREAMS);
	assert_int_equal(r.late, 0);
	reorder_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_the_watermark),
		cmocka_unit_test(equal_times_keep_their_order),
		cmocka_unit_test(late_ones_come_out_and_are_counted),
		cmocka_unit_test(merges_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
