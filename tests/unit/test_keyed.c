/* SPDX-License-Identifier: BSD-2-Clause */
/* test_keyed.c - elements are found by their keys, each key once, through growing and for want of memory. */
#include "config.h"

#include "base/keyed.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <stdlib.h>

struct edge {
	uint32_t from, to;
	uint64_t weight;
};

static void a_key_stands_once(void **state)
{
	KEYED(struct edge) edges = { 0 };

	assert_int_equal(keyed_find(&edges, (&(struct edge){ .from = 0 }), weight), HIDX_NONE);
	for (unsigned int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			const struct edge want = { .from = i / 7, .to = i % 7, .weight = round };

			assert_int_equal(keyed_get(&edges, &want, weight), i);
			edges.v[i].weight++;
		}
		assert_int_equal(edges.n, 5000);
	}
	assert_int_equal(edges.v[4999].from, 4999 / 7);
	assert_int_equal(edges.v[4999].weight, 3);       /* it was added in the first round */
	assert_int_equal(keyed_find(&edges, (&(struct edge){ .from = 1, .to = 2, .weight = 77 }), weight), 9);
	assert_int_equal(keyed_find(&edges, (&(struct edge){ .from = 2, .to = 7 }), weight), HIDX_NONE);
	keyed_free(&edges);
	assert_int_equal(edges.n, 0);
	assert_int_equal(keyed_get(&edges, (&(struct edge){ .from = 3 }), weight), 0);
	keyed_free(&edges);
}

static void all_of_an_element_can_be_its_key(void **state)
{
	KEYED(struct edge) edges = { 0 };
	const struct edge one = { 1, 2, 3 }, other = { 1, 2, 4 };

	assert_int_equal(keyed_get_whole(&edges, &one), 0);
	assert_int_equal(keyed_get_whole(&edges, &other), 1);
	assert_int_equal(keyed_get_whole(&edges, &one), 0);
	keyed_free(&edges);
}

/* What could not be added is not there, and the others are. */
static bool add_edges(void)
{
	KEYED(struct edge) edges = { 0 };
	uint32_t n = 0;

	while (n < 100 && keyed_get(&edges, (&(struct edge){ .from = n }), weight) == n)
		n++;
	assert_int_equal(edges.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(keyed_find(&edges, (&(struct edge){ .from = i }), weight), i);
	assert_int_equal(keyed_find(&edges, (&(struct edge){ .from = n }), weight), HIDX_NONE);
	keyed_free(&edges);
	return n == 100;
}

static void survives_lack_of_memory(void **state)
{
	long n = 0;

	while (fail_alloc_round(n, add_edges))
		n++;
	assert_true(n > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_stands_once),
		cmocka_unit_test(all_of_an_element_can_be_its_key),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
