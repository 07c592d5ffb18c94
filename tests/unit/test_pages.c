/* SPDX-License-Identifier: BSD-2-Clause */
/* test_pages.c - elements never move, and a reader on another thread sees whole elements only. */
#include "config.h"

#include "base/pages.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <pthread.h>
#include <stdbool.h>

#define MANY (40 * PAGES_EACH + 5)       /* two directories are replaced on the way */

struct pair {
	uint64_t a, b;
};

static bool append(struct pages *p, uint64_t i)
{
	struct pair *e = pages_reserve(p);

	if (!e)
		return false;
	*e = (struct pair){ .a = i, .b = ~i };
	pages_commit(p);
	return true;
}

static void appends_without_moving(void **state)
{
	struct pages p;
	struct pair *first;

	pages_init(&p, sizeof(struct pair));
	assert_int_equal(pages_count(&p), 0);
	assert_int_equal(pages_bytes(&p), 0);
	assert_true(append(&p, 0));
	first = pages_at(&p, 0);
	for (uint64_t i = 1; i < MANY; i++)
		assert_true(append(&p, i));
	assert_int_equal(pages_count(&p), MANY);
	assert_ptr_equal(first, pages_at(&p, 0));
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(((struct pair *)pages_at(&p, i))->b, ~(uint64_t)i);
	assert_true(pages_bytes(&p) >= MANY * sizeof(struct pair));
	pages_free(&p);
	assert_int_equal(pages_count(&p), 0);
}

static void reserves_the_same_until_commit(void **state)
{
	struct pages p;
	struct pair *e;

	pages_init(&p, sizeof(struct pair));
	e = pages_reserve(&p);
	assert_int_equal(e->a | e->b, 0);
	e->a = 5;
	assert_ptr_equal(e, pages_reserve(&p));
	assert_int_equal(e->a, 5);
	assert_int_equal(pages_count(&p), 0);
	pages_free(&p);
}

static void *read_while_written(void *arg)
{
	const struct pages *p = arg;
	uint32_t n;

	do {
		n = pages_count(p);
		for (uint32_t i = n > 100 ? n - 100 : 0; i < n; i++) {
			const struct pair *e = pages_at(p, i);

			if (e->a != i || e->b != ~(uint64_t)i)
				return arg;
		}
	} while (n < MANY);
	return NULL;
}

static void readers_see_whole_elements(void **state)
{
	struct pages p;
	pthread_t reader;
	void *bad;

	pages_init(&p, sizeof(struct pair));
	assert_int_equal(pthread_create(&reader, NULL, read_while_written, &p), 0);
	for (uint64_t i = 0; i < MANY; i++)
		assert_true(append(&p, i));
	pthread_join(reader, &bad);
	assert_null(bad);
	pages_free(&p);
}

/* Room for N pages; directories are replaced on the way. What growth was foretold comes true. */
static void counts_every_directory(void **state)
{
	const uint32_t pages = 40;
	const size_t pointers = (16 + 32 + 64) * sizeof(char *);
	size_t bytes = 0, growth;
	struct pages p;

	pages_init(&p, sizeof(struct pair));
	for (uint64_t i = 0; i < pages * PAGES_EACH; i++) {
		growth = pages_growth(&p, 1);
		assert_true(append(&p, i));
		assert_int_equal(pages_bytes(&p), bytes + growth);
		bytes += growth;
	}
	assert_true(bytes >= pages * PAGES_EACH * sizeof(struct pair) + pointers);
	assert_true(bytes <= pages * PAGES_EACH * sizeof(struct pair) + pointers + 3 * sizeof(struct pages_dir));
	assert_int_equal(pages_growth(&p, 0), 0);
	assert_int_equal(pages_growth(&p, PAGES_EACH), PAGES_EACH * sizeof(struct pair));
	pages_free(&p);
}

/* An array of a few elements is as cheap as its first page. */
static void small_ones_are_cheap(void **state)
{
	struct pages p;

	pages_init(&p, sizeof(struct pair));
	assert_true(append(&p, 1));
	assert_true(pages_bytes(&p) < PAGES_EACH * sizeof(struct pair) + 256);
	pages_free(&p);
}

static bool fill(void)
{
	struct pages p;
	uint64_t i = 0;

	pages_init(&p, sizeof(struct pair));
	while (i < 2 * PAGES_EACH && append(&p, i))
		i++;
	assert_int_equal(pages_count(&p), i);
	pages_free(&p);
	return i == 2 * PAGES_EACH;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, fill))
		n++;
	assert_int_equal(n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_without_moving),
		cmocka_unit_test(reserves_the_same_until_commit),
		cmocka_unit_test(readers_see_whole_elements),
		cmocka_unit_test(counts_every_directory),
		cmocka_unit_test(small_ones_are_cheap),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
