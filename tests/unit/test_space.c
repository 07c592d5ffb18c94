/* SPDX-License-Identifier: BSD-2-Clause */
/* test_space.c - overlay of mappings, by hand and against a model that keeps every page by itself. */
#include "config.h"

#include "process/space.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

#define PAGE 0x1000ull
#define PAGES 64u

static struct mapping pages(uint64_t first, uint64_t n, uint64_t pgoff, backing_id b)
{
	struct mapping m = { .start = first * PAGE, .end = (first + n) * PAGE, .pgoff = pgoff * PAGE, .backing = b };

	if (b == BACKING_ANON)
		m.pgoff = m.start;
	return m;
}

static void map(struct space *s, uint64_t first, uint64_t n, uint64_t pgoff, backing_id b)
{
	const struct mapping m = pages(first, n, pgoff, b);

	assert_true(space_map(s, &m));
}

static void a_new_mapping_splits_an_older_one(void **state)
{
	AUTO(space_free) struct space *s = space_new();

	map(s, 10, 10, 0, 1);
	map(s, 14, 2, 100, 2);
	assert_int_equal(s->maps.n, 3);
	assert_int_equal(space_find(s, 13 * PAGE + 5)->backing, 1);
	assert_int_equal(space_find(s, 14 * PAGE)->backing, 2);
	assert_int_equal(space_find(s, 14 * PAGE)->pgoff, 100 * PAGE);
	assert_int_equal(space_find(s, 16 * PAGE)->backing, 1);
	assert_int_equal(space_find(s, 16 * PAGE)->pgoff, 6 * PAGE);
	assert_null(space_find(s, 20 * PAGE));
	assert_null(space_find(s, 10 * PAGE - 1));
}

static void memory_that_is_not_executable_only_removes(void **state)
{
	AUTO(space_free) struct space *s = space_new();

	map(s, 1, 3, 0, 1);
	map(s, 2, 1, 0, BACKING_NONE);
	assert_int_equal(s->maps.n, 2);
	assert_null(space_find(s, 2 * PAGE));
	map(s, 0, 10, 0, BACKING_NONE);
	assert_int_equal(s->maps.n, 0);
	map(s, 5, 1, 0, BACKING_NONE);
	assert_int_equal(s->maps.n, 0);
}

static void anonymous_neighbours_are_one(void **state)
{
	AUTO(space_free) struct space *s = space_new();

	map(s, 1, 1, 0, BACKING_ANON);
	map(s, 3, 1, 0, BACKING_ANON);
	assert_int_equal(s->maps.n, 2);
	map(s, 2, 1, 0, BACKING_ANON);
	assert_int_equal(s->maps.n, 1);
	assert_int_equal(s->maps.v[0].end, 4 * PAGE);
	map(s, 2, 1, 0, BACKING_ANON);
	assert_int_equal(s->maps.n, 1);
	map(s, 4, 1, 0, 7);
	map(s, 5, 1, 1, 7);
	assert_int_equal(s->maps.n, 3);
}

static void the_end_of_memory(void **state)
{
	AUTO(space_free) struct space *s = space_new();
	const struct mapping last = { .start = UINT64_MAX - PAGE + 1, .end = UINT64_MAX, .backing = 3 };

	assert_true(space_map(s, &last));
	assert_int_equal(space_find(s, UINT64_MAX - 1)->backing, 3);
	assert_null(space_find(s, UINT64_MAX));
	assert_null(space_find(s, 0));
}

static void copies_are_made_when_needed(void **state)
{
	struct space *a = space_new(), *b;

	map(a, 1, 1, 0, 1);
	b = space_ref(a);
	assert_ptr_equal(a, b);
	assert_true(space_own(&b));
	assert_ptr_not_equal(a, b);
	map(b, 1, 1, 0, 2);
	assert_int_equal(space_find(a, PAGE)->backing, 1);
	assert_int_equal(space_find(b, PAGE)->backing, 2);
	assert_true(space_own(&a));
	space_free(a);
	space_free(b);
}

static void it_is_bounded(void **state)
{
	AUTO(space_free) struct space *s = space_new();
	const struct mapping one_more = pages(2 * (uint64_t)SPACE_MAX + 2, 1, 0, 1);

	for (uint64_t i = 0; i < SPACE_MAX; i++)
		map(s, 2 * i, 1, 0, 1);
	assert_false(space_map(s, &one_more));
	assert_int_equal(s->maps.n, SPACE_MAX);
	map(s, 0, 2, 0, 2);
	assert_int_equal(space_find(s, PAGE)->backing, 2);
}

struct model {
	backing_id backing[PAGES];
	uint64_t pgoff[PAGES];
};

static uint32_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*x >> 33);
}

static void compare(const struct space *s, const struct model *m)
{
	for (unsigned int i = 0; i < PAGES; i++) {
		const struct mapping *have = space_find(s, i * PAGE + 123);

		assert_int_equal(have ? have->backing : BACKING_NONE, m->backing[i]);
		if (have)
			assert_int_equal(have->pgoff + (i * PAGE - have->start), m->pgoff[i]);
	}
	for (size_t i = 0; i < s->maps.n; i++) {
		assert_true(s->maps.v[i].start < s->maps.v[i].end);
		if (i)
			assert_true(s->maps.v[i - 1].end <= s->maps.v[i].start);
	}
}

static void like_a_model_of_pages(void **state)
{
	uint64_t x = 23;

	for (unsigned int round = 0; round < 200; round++) {
		AUTO(space_free) struct space *s = space_new();
		struct model m = { 0 };

		memset(m.backing, 0xff, sizeof(m.backing));
		for (unsigned int step = 0; step < 100; step++) {
			const uint64_t first = next_random(&x) % PAGES, n = 1 + next_random(&x) % (PAGES - first);
			const uint32_t kind = next_random(&x) % 6;
			const backing_id b = kind == 0 ? BACKING_NONE : kind == 1 ? BACKING_ANON : kind;
			const uint64_t pgoff = next_random(&x) % 1000;

			map(s, first, n, pgoff, b);
			for (uint64_t i = first; i < first + n; i++) {
				m.backing[i] = b;
				m.pgoff[i] = b == BACKING_ANON ? i * PAGE : (pgoff + i - first) * PAGE;
			}
			compare(s, &m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_mapping_splits_an_older_one),
		cmocka_unit_test(memory_that_is_not_executable_only_removes),
		cmocka_unit_test(anonymous_neighbours_are_one),
		cmocka_unit_test(the_end_of_memory),
		cmocka_unit_test(copies_are_made_when_needed),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(like_a_model_of_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
