/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_funcs.c - call trees by function: copies are one, recursion counts once, nothing is lost;
 * and the list that is shown.
 */
#include "config.h"

#include "base/clock.h"
#include "query/flatlist.h"
#include "query/funcs.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MS NSEC_PER_MSEC

static struct tree *look(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct tree *t;

	assert_int_equal(tree_build(s, m->names, q, &t, NULL), 0);
	return t;
}

static const struct func_row *row(const struct funcs *f, const char *name)
{
	char label[LABEL_MAX];

	for (uint32_t i = 0; i < f->n; i++) {
		tree_label(f->tree, f->row[i].node, label, sizeof(label));
		if (func_row_is_function(f, &f->row[i]) && !strcmp(label, name))
			return &f->row[i];
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static uint64_t sum_of_self(const struct funcs *f)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < f->n; i++)
		sum += f->row[i].self_ns;
	return sum;
}

static void recursion_counts_once(void **state)
{
	AUTO(funcs_free) struct funcs *f = NULL;
	AUTO(tree_free) struct tree *t = NULL;
	struct query q = { .group_by = GROUP_NONE };
	struct made m;

	made_init(&m, NULL);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;fib;fib;fib", 10 * MS);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;fib;other;fib", 20 * MS);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;other", 5 * MS);
	t = look(&m, &q);
	assert_int_equal(funcs_build(t, FUNCS_ROWS, &f, NULL), 0);
	assert_true(!f->self && !f->order);
	assert_int_equal(row(f, "fib")->total_ns, 30 * MS);
	assert_int_equal(row(f, "fib")->self_ns, 30 * MS);
	assert_int_equal(row(f, "other")->total_ns, 25 * MS);
	assert_int_equal(row(f, "other")->self_ns, 5 * MS);
	assert_int_equal(row(f, "main")->total_ns, 35 * MS);
	assert_int_equal(row(f, "main")->self_ns, 0);
	assert_int_equal(row(f, "fib")->count, 2);
	assert_int_equal(sum_of_self(f), t->node[0].total_ns);
	assert_int_equal(row(f, "fib")->total_count, 2);
	assert_int_equal(row(f, "other")->total_count, 2);
	assert_int_equal(tree_parts_sum(t, &row(f, "fib")->total), 30 * MS);
	assert_int_equal(tree_parts_sum(t, &row(f, "other")->self), 5 * MS);
	made_free(&m);
}

/*
 * Each node before those below it, siblings by what they took; functions first, in the order in
 * which that meets them.
 */
static void nodes_are_in_the_order_of_a_picture(void **state)
{
	static const char *const order[] = { "main", "b", "work", "a", "work" };
	static const uint32_t of[] = { 0, 1, 2, 3, 2 };
	AUTO(funcs_free) struct funcs *f = NULL;
	AUTO(tree_free) struct tree *t = NULL;
	struct query q = { .group_by = GROUP_NONE };
	char label[LABEL_MAX];
	struct made m;

	made_init(&m, NULL);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;a;work", 10 * MS);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;b;work", 20 * MS);
	t = look(&m, &q);
	assert_int_equal(funcs_build(t, FUNCS_AND_NODES, &f, NULL), 0);
	assert_int_equal(t->n, 6);
	assert_int_equal(f->functions, 4);
	assert_int_equal(f->n, 5);
	assert_int_equal(f->order[0], 0);
	assert_int_equal(f->of[0], NODE_NONE);
	for (uint32_t i = 0; i < 5; i++) {
		assert_string_equal(tree_label(t, f->order[i + 1], label, sizeof(label)), order[i]);
		assert_int_equal(f->of[f->order[i + 1]], of[i]);
	}
	assert_false(func_row_is_function(f, &f->row[4]));
	assert_int_equal(f->row[2].heaviest, f->order[3]);
	assert_int_equal(tree_parts_sum(t, &f->self[f->order[3]]), 20 * MS);
	assert_int_equal(tree_parts_sum(t, &f->self[f->order[1]]), 0);
	made_free(&m);
}

/* Where a function takes most: the heaviest of its nodes. */
static void the_heaviest_place_is_found(void **state)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct query q = { .group_by = GROUP_NONE };
	char label[LABEL_MAX];
	struct made m;
	uint32_t node;

	made_init(&m, NULL);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;a;work", 10 * MS);
	made_add(&m, NSEC_PER_SEC, made_thread(&m, 1, 1, "app"), "main;b;work", 20 * MS);
	t = look(&m, &q);
	for (node = 1; strcmp(tree_label(t, node, label, sizeof(label)), "work"); node++)
		assert_true(node + 1 < t->n);
	node = func_heaviest(t, func_key(t, node));
	assert_string_equal(tree_label(t, t->node[node].parent, label, sizeof(label)), "b");
	assert_int_equal(func_heaviest(t, 12345), NODE_NONE);
	made_free(&m);
}

static void add_many(struct made *m, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		char stack[64];

		snprintf(stack, sizeof(stack), "main;mid%u;leaf%u", i % 100, i);
		made_add(m, NSEC_PER_SEC, made_thread(m, 1, 1, "app"), stack, (1 + i) * MS);
	}
}

/* Of very many functions those are left that take most, by themselves or in all; how many there were is told. */
static void long_lists_keep_what_is_heavy(void **state)
{
	AUTO(tree_free) struct tree *t = NULL;
	AUTO(flatlist_free) struct flatlist *list = NULL;
	struct query q = { .group_by = GROUP_NONE };
	unsigned int mids = 0;
	struct made m;

	made_init(&m, NULL);
	add_many(&m, FLATLIST_FUNCTIONS + 500);
	t = look(&m, &q);
	assert_int_equal(flatlist_functions(t, &list, NULL), 0);
	assert_int_equal(list->known, FLATLIST_FUNCTIONS + 500 + 101);
	assert_int_equal(list->shown, FLATLIST_FUNCTIONS);
	assert_int_equal(list->n, FLATLIST_FUNCTIONS + 1);
	assert_int_equal(list->row[0].total_ns, t->node[0].total_ns);
	for (uint32_t i = 1; i < list->n; i++) {
		char label[LABEL_MAX];

		assert_true(i == 1 || list->row[i].total_ns <= list->row[i - 1].total_ns);
		mids += !strncmp(flatlist_label(list, i, label, sizeof(label)), "mid", 3);
	}
	assert_int_equal(mids, 100);             /* no self time, much in all */
	made_free(&m);
}

static const struct tree *source;

static bool try_list(void)
{
	AUTO(flatlist_free) struct flatlist *list = NULL;
	struct err e = ERR_INIT;
	const int r = flatlist_functions(source, &list, &e);

	assert_true(r == (list ? 0 : -ENOMEM));
	return list;
}

static void out_of_memory(void **state)
{
	struct query q = { .group_by = GROUP_NONE };
	AUTO(tree_free) struct tree *t = NULL;
	struct made m;

	made_init(&m, NULL);
	add_many(&m, 50);
	source = t = look(&m, &q);
	for (long n = 0; fail_alloc_round(n, try_list); n++)
		;
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(nodes_are_in_the_order_of_a_picture),
		cmocka_unit_test(the_heaviest_place_is_found),
		cmocka_unit_test(long_lists_keep_what_is_heavy),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
