/* SPDX-License-Identifier: BSD-2-Clause */
/* Outlines: which row is below which, and that missing memory is told. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "ui/treeview.h"

#define MANY 1000u

static uint32_t add(struct outline *o, uint32_t parent, uint64_t key)
{
	return outline_add(o, parent, (struct outline_row){ .key = key, .kind = NODE_GROUP, .place = ID_NONE });
}

static void rows_stand_below_rows(void **state)
{
	struct outline *o = outline_new(NULL, NULL, NULL);
	uint32_t a, b, below;

	(void)state;
	assert_int_equal(add(o, NODE_NONE, 1), 0);
	a = add(o, 0, 2);
	b = add(o, 0, 3);
	below = add(o, a, 4);                    /* also when others have been added since */
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(add(o, b, 5 + i), below + 1 + i);
	assert_int_equal(o->row[0].parent, NODE_NONE);
	assert_true(o->row[0].first_child == a && o->row[a].next_sibling == b && o->row[b].next_sibling == NODE_NONE);
	assert_true(o->row[a].first_child == below && o->row[a].last_child == below && o->row[a].nr_children == 1);
	assert_true(o->row[b].nr_children == MANY && o->row[b].last_child == o->n - 1);
	assert_true(o->row[0].depth == 0 && o->row[b].depth == 1 && o->row[below].depth == 2);
	assert_ptr_equal(outline_whole(o), o);
	outline_free(o);
	outline_free(NULL);
	assert_null(outline_whole(NULL));
}

/* A list goes through the same view as a tree: it is found again by its keys when rows come and go. */
static void a_view_keeps_its_place(void **state)
{
	struct outline *was = outline_new(NULL, NULL, NULL), *is = outline_new(NULL, NULL, NULL);
	struct treeview tv;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		add(was, i ? 0 : NODE_NONE, i + 1);
		add(is, i ? 0 : NODE_NONE, i ? 10 - i : 1);      /* 9, 8, 7 */
	}
	add(is, 0, 3);
	treeview_init(&tv, 10);
	treeview_show_model(&tv, NULL, (struct shown){ .list = was });
	treeview_to_row(&tv, 1);
	assert_int_equal(treeview_at(&tv, treeview_node(&tv)).key, 3);
	treeview_show_model(&tv, NULL, (struct shown){ .list = is });
	assert_int_equal(treeview_at(&tv, treeview_node(&tv)).key, 3);
	assert_int_equal(tv.rows.n, 4);
	treeview_show(&tv, NULL);
	assert_false(shown_any(treeview_shown(&tv)));
	treeview_free(&tv);
	outline_free(was);
	outline_free(is);
}

static bool try_many(void)
{
	struct outline *o = outline_new(NULL, NULL, NULL);

	for (uint32_t i = 0; o && i < MANY; i++)
		add(o, i ? 0 : NODE_NONE, i);
	assert_true(!o || o->failed || o->n == MANY);
	o = outline_whole(o);
	outline_free(o);
	return o;
}

static void memory_runs_out(void **state)
{
	long n;

	(void)state;
	for (n = 0; fail_alloc_round(n, try_many); n++)
		;
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_stand_below_rows),
		cmocka_unit_test(a_view_keeps_its_place),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
