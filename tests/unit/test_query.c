/* SPDX-License-Identifier: BSD-2-Clause */
/* test_query.c - call trees of profiles made by hand: merging, inlines, notes, groups, inversion, keys, bounds. */
#include "config.h"

#include "base/clock.h"
#include "profile/query.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

/* The node that is reached from the root by the labels in PATH, separated by ";"; NODE_NONE = there is none. */
static uint32_t find(const struct tree *t, const char *path)
{
	uint32_t node = 0;

	while (*path && node != NODE_NONE) {
		const size_t len = strcspn(path, ";");
		char label[LABEL_MAX];

		for (node = t->node[node].first_child; node != NODE_NONE; node = t->node[node].next_sibling)
			if (strlen(tree_label(t, node, label, sizeof(label))) == len && !memcmp(label, path, len))
				break;
		path += len + (path[len] == ';');
	}
	return node;
}

/* Asserts what every tree must be: links both ways, order, sums. */
static void assert_sound(const struct tree *t)
{
	uint64_t self = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct tree_node *n = &t->node[i];
		uint64_t total = n->self_ns, before = UINT64_MAX;
		uint32_t children = 0;

		for (uint32_t c = n->first_child; c != NODE_NONE; c = t->node[c].next_sibling) {
			assert_int_equal(t->node[c].parent, i);
			assert_int_equal(t->node[c].depth, n->depth + 1);
			assert_true(c > i && t->node[c].total_ns <= before);
			before = t->node[c].total_ns;
			total += before;
			children++;
		}
		assert_int_equal(n->nr_children, children);
		assert_int_equal(n->total_ns, total);
		assert_int_equal(n->parent == NODE_NONE, i == 0);
		self += n->self_ns;
	}
	assert_int_equal(t->node[0].total_ns, self);
}

static struct tree *tree_of(struct made *m, const struct query *q)
{
	struct tree *t = made_tree(m, q);

	assert_sound(t);
	return t;
}

static void assert_node(const struct tree *t, const char *path, uint64_t total, uint64_t self, uint64_t count)
{
	const uint32_t i = find(t, path);

	if (i == NODE_NONE)
		fail_msg("there is no %s", path);
	assert_int_equal(t->node[i].total_ns, total);
	assert_int_equal(t->node[i].self_ns, self);
	assert_int_equal(t->node[i].count, count);
}

static void test_merges_functions_not_places(void **state)
{
	const struct query q = { 0 };
	struct made m;
	thread_id a, b;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	b = made_thread(&m, 2, 2, "b");
	made_add(&m, 1, a, "main;f#1", 1);
	made_add(&m, 2, b, "main;f#2", 2);
	made_add(&m, 3, a, "main#7;f#1;g", 4);
	made_add(&m, 4, a, "main;@10", 8);
	made_add(&m, 5, a, "main;@20", 16);
	made_add(&m, 9000 * MS, b, "f", 32);
	t = tree_of(&m, &q);
	assert_node(t, "main", 31, 0, 5);
	assert_node(t, "main;f", 7, 3, 3);
	assert_node(t, "main;f;g", 4, 4, 1);
	assert_node(t, "main;libc.so.6+0x10", 8, 8, 1);
	assert_node(t, "main;libc.so.6+0x20", 16, 16, 1);
	assert_node(t, "f", 32, 32, 1);
	assert_int_equal(t->n, 7);
	assert_int_equal(t->max_ns, 10000 * MS);
	assert_int_equal(t->cut_ns, 0);
	assert_int_equal(t->node[find(t, "main;f")].place, dict_get_stack(m.d, made_stack(&m, "main#7;f#1"))->frame);
	tree_free(t);
	made_free(&m);
}

static void test_inlines_and_lines(void **state)
{
	struct query q = { 0 };
	char text[64];
	struct made m;
	thread_id a;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 1, a, "main;f>in>in2", 1);
	made_add(&m, 2, a, "main;f#1>in;g", 2);
	made_add(&m, 3, a, "main;in", 4);
	t = tree_of(&m, &q);
	assert_node(t, "main;f", 3, 0, 2);
	assert_node(t, "main;f;in", 3, 0, 2);
	assert_node(t, "main;f;in;in2", 1, 1, 1);
	assert_node(t, "main;f;in;g", 2, 2, 1);
	assert_node(t, "main;in", 4, 4, 1);
	assert_string_equal(tree_suffix(t, find(t, "main;f;in")), "_[i]");
	assert_string_equal(tree_suffix(t, find(t, "main;in")), "");
	assert_string_equal(tree_line(t, find(t, "main;f"), text, sizeof(text)), "app.c:10");
	assert_string_equal(tree_line(t, find(t, "main;f;in;in2"), text, sizeof(text)), "app.c:30");
	assert_string_equal(tree_line(t, 0, text, sizeof(text)), "");
	tree_free(t);
	q.no_inlines = true;
	t = tree_of(&m, &q);
	assert_node(t, "main;f", 3, 1, 2);
	assert_node(t, "main;f;g", 2, 2, 1);
	assert_int_equal(find(t, "main;f;in"), NODE_NONE);
	tree_free(t);
	made_free(&m);
}

static void test_kernel_frames(void **state)
{
	struct query q = { .group_by = GROUP_COMM };
	struct made m;
	thread_id a, k;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	k = made_thread(&m, 2, 2, "kworker");
	made_add(&m, 1, a, "main;write;sys_[k];@k10", 1);
	made_add(&m, 2, a, "main;write", 2);
	made_add(&m, 3, k, "kthread_[k];work>in_[k]", 4);
	t = tree_of(&m, &q);
	assert_node(t, "a;main;write;sys;[kernel]+0x10", 1, 1, 1);
	assert_node(t, "kworker;kthread;work;in", 4, 4, 1);
	assert_string_equal(tree_suffix(t, find(t, "a;main;write;sys")), "_[k]");
	assert_string_equal(tree_suffix(t, find(t, "kworker;kthread;work;in")), "_[k]");
	tree_free(t);
	q.hide_kernel = true;
	t = tree_of(&m, &q);
	assert_node(t, "a;main;write", 3, 3, 2);
	assert_node(t, "kworker", 4, 4, 1);
	assert_int_equal(t->n, 5);
	tree_free(t);
	made_free(&m);
}

static void test_notes_and_odd_places(void **state)
{
	const struct query q = { 0 };
	const struct func empty = { .name = 0 };
	struct name name = { 0 };
	char label[64], tiny[4];
	struct made m;
	thread_id a;
	struct tree *t;
	frame_id f;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 1, a, "!1;f", 1);
	made_add(&m, 2, a, "!200;f", 1);
	made_add(&m, 3, a, "(other)", 1);
	made_add(&m, 4, a, "@jff", 1);
	/* A name on a note changes nothing; a function without a name is said to be unknown. */
	name.func = names_add_func(m.names, &empty);
	assert_int_equal(names_set(m.names, dict_note(m.d, NOTE_CUT + 1), &name, 1, true), 0);
	f = dict_get_stack(m.d, made_stack(&m, "@99"))->frame;
	assert_int_equal(names_set(m.names, f, &name, 1, true), 0);
	made_add(&m, 5, a, "@99", 1);
	t = tree_of(&m, &q);
	assert_node(t, "[cut: stack_size];f", 1, 1, 1);
	assert_node(t, "[cut: other];f", 1, 1, 1);
	assert_node(t, "(other)", 1, 1, 1);
	assert_node(t, "[anon]+0xff", 1, 1, 1);
	assert_node(t, "[unknown]", 1, 1, 1);
	assert_string_equal(tree_suffix(t, find(t, "[anon]+0xff")), "_[j]");
	assert_string_equal(tree_suffix(t, find(t, "(other)")), "");
	assert_string_equal(tree_label(t, 0, label, sizeof(label)), "all");
	assert_string_equal(tree_label(t, find(t, "[anon]+0xff"), tiny, sizeof(tiny)), "[an");
	assert_string_equal(tree_label(t, find(t, "(other)"), tiny, 1), "");
	tree_free(t);
	made_free(&m);
}

static void test_groups(void **state)
{
	struct query q = { .group_by = GROUP_PROCESS };
	struct made m;
	struct tree *t;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 10, 11, "worker"), "main", 1);
	made_add(&m, 2, made_thread(&m, 10, 12, "worker"), "main", 2);
	made_add(&m, 3, made_thread(&m, 20, 20, "redis"), "main", 4);
	made_add(&m, 4, made_thread(&m, 20, 20, "redis-server"), "main", 8);
	made_add(&m, 5, made_thread(&m, 20, 21, "bio"), "main", 16);
	made_add(&m, 6, made_thread(&m, 0, 0, "swapper/0"), "idle_[k]", 32);
	t = tree_of(&m, &q);
	assert_node(t, "app 10;main", 3, 3, 2);          /* no main thread yet: the executable's name */
	assert_node(t, "redis-server 20;main", 28, 28, 3);
	assert_node(t, "swapper/0;idle", 32, 32, 1);
	tree_free(t);
	q.group_by = GROUP_THREAD;
	t = tree_of(&m, &q);
	assert_node(t, "redis-server 20", 28, 0, 3);
	assert_node(t, "redis-server 20;redis-server 20;main", 12, 12, 2);
	assert_node(t, "redis-server 20;bio 21;main", 16, 16, 1);
	tree_free(t);
	q.group_by = GROUP_COMM;
	t = tree_of(&m, &q);
	assert_node(t, "worker", 3, 0, 2);
	assert_node(t, "redis", 4, 0, 1);
	tree_free(t);
	made_free(&m);
}

static void test_inverted(void **state)
{
	const struct query q = { .group_by = GROUP_COMM, .inverted = true };
	struct made m;
	thread_id a;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 1, a, "main;f;malloc", 1);
	made_add(&m, 2, a, "main;g;malloc", 2);
	made_add(&m, 3, a, "main;f", 4);
	made_add(&m, 4, a, "main;h>malloc", 2);
	t = tree_of(&m, &q);
	assert_node(t, "a;malloc", 3, 0, 2);
	assert_node(t, "a;malloc;g;main", 2, 2, 1);
	assert_node(t, "a;f;main", 4, 4, 1);
	assert_int_equal(t->node[find(t, "a")].total_ns, 9);
	assert_int_equal(t->node[find(t, "a")].nr_children, 3);  /* malloc is there twice: as itself, and inlined */
	tree_free(t);
	made_free(&m);
}

static void test_time_and_kinds(void **state)
{
	struct query q = { .from_ns = 2000 * MS, .to_ns = 3000 * MS };
	struct made m;
	thread_id a;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	for (uint64_t s = 0; s < 5; s++)
		made_add(&m, s * 1000 * MS, a, "main", 1u << s);
	t = tree_of(&m, &q);
	assert_int_equal(t->node[0].total_ns, 4);
	assert_int_equal(t->max_ns, 3000 * MS);
	tree_free(t);
	q.to_ns = 3001 * MS;                             /* whole slices */
	t = tree_of(&m, &q);
	assert_int_equal(t->node[0].total_ns, 12);
	tree_free(t);
	q.kinds = 1u << EVENT_SAMPLE;
	t = tree_of(&m, &q);
	assert_int_equal(t->node[0].total_ns, 12);
	tree_free(t);
	q.kinds = 1u << 2;
	t = tree_of(&m, &q);
	assert_int_equal(t->node[0].total_ns, 0);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->node[0].first_child, NODE_NONE);
	tree_free(t);
	made_free(&m);
}

/* Keys are those of the same places in every later tree, and different from each other. */
static void test_keys(void **state)
{
	const struct query q = { .group_by = GROUP_THREAD };
	static const char *const path[] = { "a 1", "a 1;a 1", "a 1;a 1;main", "a 1;a 1;main;f", "a 1;a 1;main;f;f",
					    "a 1;a 1;main;libc.so.6+0x10", "a 1;b 2;main" };
	uint64_t key[7];
	struct made m;
	struct tree *t;

	made_init(&m, NULL);
	made_add(&m, 1, made_thread(&m, 1, 1, "a"), "main;f;f", 1);
	made_add(&m, 2, made_thread(&m, 1, 1, "a"), "main;@10", 2);
	made_add(&m, 3, made_thread(&m, 1, 2, "b"), "main", 4);
	t = tree_of(&m, &q);
	for (size_t i = 0; i < 7; i++) {
		key[i] = t->node[find(t, path[i])].key;
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(key[i], key[k]);
	}
	tree_free(t);
	made_add(&m, 4, made_thread(&m, 1, 2, "b"), "start;z", 100);
	made_add(&m, 5, made_thread(&m, 1, 1, "a"), "main;g;f", 50);
	made_add(&m, 6, made_thread(&m, 3, 3, "c"), "main;f", 500);
	t = tree_of(&m, &q);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(t->node[find(t, path[i])].key, key[i]);
	tree_free(t);
	made_free(&m);
}

static void test_order_of_equals(void **state)
{
	const struct query q = { 0 };
	static const char *const want[] = { "a", "b", "libc.so.6+0x9", "libc.so.6+0x10" };
	char label[64];
	struct made m;
	thread_id a;
	struct tree *t;
	uint32_t i;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	made_add(&m, 1, a, "@10", 1);
	made_add(&m, 2, a, "b", 1);
	made_add(&m, 3, a, "@9", 1);
	made_add(&m, 4, a, "a", 1);
	t = tree_of(&m, &q);
	i = t->node[0].first_child;
	for (size_t k = 0; k < 4; k++, i = t->node[i].next_sibling)
		assert_string_equal(tree_label(t, i, label, sizeof(label)), want[k]);
	tree_free(t);
	made_free(&m);
}

/* More nodes than allowed: the heavy ones are there, the rest stays with the nearest ancestor, and it is said how much. */
static void test_bounded(void **state)
{
	struct query q = { .group_by = GROUP_COMM, .max_nodes = 5 };
	struct made m;
	thread_id a, b;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	b = made_thread(&m, 2, 2, "b");
	made_add(&m, 1, a, "main;light;x", 10);
	made_add(&m, 2, a, "main;light;y", 20);
	made_add(&m, 3, a, "main;heavy;z", 1000);
	made_add(&m, 4, b, "main", 3);
	for (int inverted = 0; inverted < 2; inverted++) {
		q.inverted = inverted;
		t = tree_of(&m, &q);
		assert_int_equal(t->n, 5);
		assert_int_equal(t->node[0].total_ns, 1033);
		assert_int_equal(t->node[0].count, 4);
		assert_int_equal(t->cut_ns, 33);
		assert_int_equal(t->node[0].self_ns, 3);
		tree_free(t);
	}
	q.inverted = false;
	t = tree_of(&m, &q);
	assert_node(t, "a;main;heavy;z", 1000, 1000, 1);
	assert_node(t, "a;main", 1030, 30, 3);
	tree_free(t);
	made_free(&m);
}

static void add_deep(struct made *m, thread_id thread, uint32_t depth, uint64_t weight)
{
	const frame_id f = dict_get_stack(m->d, made_stack(m, "f"))->frame;
	struct event ev = { .kind = EVENT_SAMPLE, .cut_module = ID_NONE, .thread = thread, .weight_ns = weight };

	for (uint32_t i = 0; i < depth; i++)
		ev.stack = dict_stack(m->d, ev.stack, f);
	assert_int_equal(profile_add(m->p, &ev), 0);
}

/* Recursion is depth; more of it than a node can say is cut and counted. Nothing here recurses in C. */
static void test_deep_recursion(void **state)
{
	struct query q = { 0 };
	struct made m;
	thread_id a;
	struct tree *t;

	made_init(&m, NULL);
	a = made_thread(&m, 1, 1, "a");
	add_deep(&m, a, 4096, 1);
	t = tree_of(&m, &q);
	assert_int_equal(t->n, 4097);
	assert_int_equal(t->node[4096].depth, 4096);
	assert_int_equal(t->node[4096].self_ns, 1);
	tree_free(t);
	add_deep(&m, a, 100000, 2);
	for (int inverted = 0; inverted < 2; inverted++) {
		q.inverted = inverted;
		t = tree_of(&m, &q);
		assert_int_equal(t->n, UINT16_MAX);
		assert_int_equal(t->cut_ns, 2);
		assert_int_equal(t->node[0].total_ns, 3);
		tree_free(t);
	}
	made_free(&m);
}

static struct made shared;
static struct snapshot *shared_snapshot;
static struct query shared_query;

static bool try_build(void)
{
	struct tree *t = NULL;
	struct err e = ERR_INIT;
	const int r = tree_build(shared_snapshot, shared.names, &shared_query, &t, &e);

	assert_true(r == 0 ? t && !e.code : r == -ENOMEM && !t && e.code == ENOMEM);
	tree_free(t);
	return r == 0;
}

static void test_no_memory(void **state)
{
	made_init(&shared, NULL);
	for (int i = 0; i < 40; i++)
		made_add(&shared, 1, made_thread(&shared, i, i, "a"), i % 2 ? "main;f;g>h" : "main;@10;x_[k]", MS);
	shared_snapshot = profile_snapshot(shared.p);
	for (int inverted = 0; inverted < 2; inverted++) {
		shared_query = (struct query){ .group_by = GROUP_THREAD, .inverted = inverted };
		for (long n = 0; fail_alloc_round(n, try_build); n++)
			;
	}
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merges_functions_not_places),
		cmocka_unit_test(test_inlines_and_lines),
		cmocka_unit_test(test_kernel_frames),
		cmocka_unit_test(test_notes_and_odd_places),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_inverted),
		cmocka_unit_test(test_time_and_kinds),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_order_of_equals),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_deep_recursion),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
