/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_frames.c - which frames a tree has: folded recursion and hidden libraries, with exact sums;
 * and that a question about what is below a node finds the same.
 */
#include "config.h"

#include "query/query.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void assert_node(const struct tree *t, const char *path, uint64_t self, uint64_t total)
{
	const uint32_t node = find(t, path);

	if (node == NODE_NONE)
		fail_msg("there is no %s", path);
	assert_int_equal(t->node[node].self_ns, self);
	assert_int_equal(t->node[node].total_ns, total);
}

static void cycles_are_one_node(void **state)
{
	struct made *m = *state;
	struct query q = { .fold_recursion = true };
	const thread_id t = made_thread(m, 1, 1, "a");
	const struct tree *tree;

	made_add(m, 1, t, "main;a;a;a;c", 1);            /* direct */
	made_add(m, 2, t, "main;a;b;a;b;a", 2);          /* mutual, ends in a */
	made_add(m, 3, t, "main;a;b;a#2;b;c", 4);        /* another place of the same function */
	made_add(m, 4, t, "main;a;b", 8);
	tree = made_look(m, &q);
	assert_int_equal(tree->n, 6);                    /* root, main, a, c, b, c */
	assert_node(tree, "main", 0, 15);
	assert_node(tree, "main;a", 2, 15);
	assert_node(tree, "main;a;c", 1, 1);
	assert_node(tree, "main;a;b", 8, 12);
	assert_node(tree, "main;a;b;c", 4, 4);
	assert_int_equal(tree->node[0].count, 4);
	q.inverted = true;
	tree = made_look(m, &q);
	assert_node(tree, "a;main", 2, 2);
	assert_node(tree, "c;a;main", 1, 1);
	assert_node(tree, "c;b;a;main", 4, 4);
	assert_node(tree, "b;a;main", 8, 8);
	assert_int_equal(tree->node[0].total_ns, 15);
	q = (struct query){ 0 };
	tree = made_look(m, &q);
	assert_node(tree, "main;a;b;a;b;a", 2, 2);
}

static void inlined_copies_and_places_fold_too(void **state)
{
	struct made *m = *state;
	struct query q = { .fold_recursion = true };
	const thread_id t = made_thread(m, 1, 1, "a");
	const struct tree *tree;

	made_add(m, 1, t, "main;a>in;a>in>a;@10;@20;@10", 1);
	tree = made_look(m, &q);
	assert_node(tree, "main;a;libc.so.6+0x10", 1, 1);
	assert_int_equal(tree->n, 4);
	assert_false(tree->node[find(tree, "main;a")].inlined);
	q.no_inlines = true;
	made_add(m, 2, t, "main;b>a;a>b", 2);
	tree = made_look(m, &q);
	assert_node(tree, "main;b;a", 2, 2);
	q.no_inlines = false;
	tree = made_look(m, &q);
	assert_node(tree, "main;b", 2, 2);
}

static void libraries_are_what_a_program_does_not_bring(void **state)
{
	struct made *m = *state;
	struct query q = { .hide_libraries = true };
	const thread_id t = made_thread(m, 1, 1, "a");
	const struct tree *tree;

	made_add(m, 1, t, "@1;main;@2;callback;@3", 1);
	made_add(m, 2, t, "@1;@2", 2);
	made_add(m, 3, t, "main;sys_[k];@k7", 4);
	made_add(m, 4, t, "main;gen_[j];@j7", 8);
	made_add(m, 5, t, "!1;@3;main", 16);
	tree = made_look(m, &q);
	assert_node(tree, "main;callback", 1, 1);
	assert_node(tree, "", 2, 31);
	assert_node(tree, "main;sys;[kernel]+0x7", 4, 4);
	assert_node(tree, "main;gen;[anon]+0x7", 8, 8);
	assert_node(tree, "[cut: stack_size];main", 16, 16);
	q.hide_kernel = true;
	tree = made_look(m, &q);
	assert_node(tree, "main", 4, 13);
	made_only(&q, "libc");                           /* what is hidden cannot match */
	assert_int_equal(made_look(m, &q)->node[0].total_ns, 0);
}

/* Whether code in the file PATH is hidden, when executables are those that there are. */
static bool is_hidden(struct made *m, enum module_kind kind, const char *path)
{
	const struct query q = { .hide_libraries = true };
	const struct module mod = { .kind = kind, .path = strtab_adds(dict_strings(m->d), path) };
	struct event ev = m->ev;
	const struct tree *tree;

	m->ev.stack = dict_stack(m->d, STACK_ROOT, dict_frame(m->d, dict_module(m->d, &mod), 0x10));
	made_again(m);
	m->ev = ev;
	tree = made_look(m, &q);
	for (uint32_t i = 1; i < tree->n; i++)
		if (dict_get_module(m->d, dict_get_frame(m->d, tree->node[i].frame)->module)->path == mod.path)
			return false;
	return true;
}

static void add_executable(struct made *m, const char *path)
{
	struct thread t = { .pid = 1, .tid = 1, .start_ns = strlen(path),
			    .exe = strtab_adds(dict_strings(m->d), path) };

	assert_int_not_equal(dict_thread(m->d, &t), ID_NONE);
}

static void own_modules_are_told_by_folders(void **state)
{
	static const struct {
		const char *path;
		bool hidden;
	} files[] = {
		{ "/opt/x/bin/x", false }, { "/opt/x/lib/libx.so.1", false }, { "/opt/x/bin/plugin.so", false },
		{ "/opt/xy/libx.so", true }, { "/opt/libx.so", true }, { "/usr/lib/x86_64-linux-gnu/libc.so.6", true },
		{ "/usr/bin/app", false }, { "/usr/lib/libapp.so", true }, { "/lib/libc.so.6", true },
		  { "/usr/local/lib/a.so", true },
		{ "/home/Me/build/app", false }, { "/home/Me/build/deps/liba.so", false }, { "/home/Me/liba.so", true },
		{ "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", false }, { "relative.so", true }, { "", false },
	};
	struct made *m = *state;
	struct thread none = { .pid = 9, .tid = 9 };

	m->ev = (struct event){ .kind = EVENT_SAMPLE, .time_ns = 1, .weight = 1, .thread = dict_thread(m->d, &none) };
	/* no executable is known: by the name */
	assert_true(is_hidden(m, MODULE_FILE, "/usr/lib/libfirst.so.1"));
	assert_true(is_hidden(m, MODULE_FILE, "first.so"));
	assert_false(is_hidden(m, MODULE_FILE, "/usr/bin/first"));
	assert_true(is_hidden(m, MODULE_VDSO, "[vdso]"));
	add_executable(m, "/opt/x/bin/x");
	add_executable(m, "/usr/bin/app");
	add_executable(m, "/home/Me/build/app");
	add_executable(m, "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (is_hidden(m, MODULE_FILE, files[i].path) != files[i].hidden)
			fail_msg("%s is %shidden", files[i].path, files[i].hidden ? "not " : "");
}

/* A hundred stacks of up to twelve calls of six functions. */
static void add_random(struct made *m, unsigned int *seed)
{
	static const char *const names[] = { "main", "a", "b>c", "c", "@1", "a>b" };
	const thread_id t = made_thread(m, 1, 1, "a");

	for (unsigned int i = 0; i < 100; i++) {
		char stack[256] = "main";

		for (int n = rand_r(seed) % 12; n > 0; n--) {
			strcat(stack, ";");
			strcat(stack, names[rand_r(seed) % 6]);
		}
		made_add(m, i, t, stack, 1u << rand_r(seed) % 20);
	}
}

static uint64_t self_of(const struct tree *t, const char *name)
{
	uint64_t sum = 0;
	char label[LABEL_MAX];

	for (uint32_t i = 1; i < t->n; i++)
		sum += strcmp(tree_label(t, i, label, sizeof(label)), name) ? 0 : t->node[i].self_ns;
	return sum;
}

/* No function is below itself; what is asked for within a node is what the node has. */
static void assert_folded(struct made *m, const struct tree *t, uint32_t node)
{
	struct query q = t->query;
	uint64_t keys[64];
	char label[LABEL_MAX], above[LABEL_MAX];

	q.within = keys;
	q.nr_within = t->node[node].depth;
	tree_label(t, node, label, sizeof(label));
	for (uint32_t at = node; at; at = t->node[at].parent) {
		keys[t->node[at].depth - 1] = t->node[at].key;
		if (at != node)
			assert_string_not_equal(label, tree_label(t, at, above, sizeof(above)));
	}
	assert_int_equal(made_look(m, &q)->node[0].total_ns, t->node[node].total_ns);
}

static void folding_keeps_sums(void **state)
{
	static const char *const names[] = { "main", "a", "b", "c", "libc.so.6+0x1" };
	struct made *m = *state;
	const struct query plain = { 0 };
	unsigned int seed = 20;

	add_random(m, &seed);
	for (int inverted = 0; inverted < 2; inverted++) {
		const struct query folded = { .fold_recursion = true, .inverted = inverted };
		struct tree *whole = made_tree(m, &plain), *t = made_tree(m, &folded);

		assert_int_equal(whole->node[0].total_ns, t->node[0].total_ns);
		assert_int_equal(whole->node[0].count, t->node[0].count);
		for (size_t i = 0; !inverted && i < sizeof(names) / sizeof(names[0]); i++)
			assert_int_equal(self_of(whole, names[i]), self_of(t, names[i]));
		for (uint32_t i = 1; i < t->n; i++)
			assert_folded(m, t, i);
		tree_free(whole);
		tree_free(t);
	}
}

static struct made shared;
static struct snapshot *shared_snapshot;
static struct query shared_query;

static bool try_build(void)
{
	AUTO(tree_free) struct tree *t = NULL;
	struct err e = ERR_INIT;
	const int r = tree_build(shared_snapshot, shared.names, &shared_query, &t, &e);

	assert_true(r == (t ? 0 : -ENOMEM));
	return t;
}

static void memory_may_run_out(void **state)
{
	static const uint64_t within[] = { 1 };
	unsigned int seed = 1;

	made_init(&shared, NULL);
	add_random(&shared, &seed);
	shared_snapshot = profile_snapshot(shared.p);
	for (int how = 0; how < 2; how++) {
		shared_query = (struct query){ .fold_recursion = true, .hide_libraries = true, .within = within,
					       .nr_within = (uint32_t)how };
		for (long n = 0; fail_alloc_round(n, try_build); n++)
			;
	}
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(cycles_are_one_node),
		MADE_TEST(inlined_copies_and_places_fold_too),
		MADE_TEST(libraries_are_what_a_program_does_not_bring),
		MADE_TEST(own_modules_are_told_by_folders),
		MADE_TEST(folding_keeps_sums),
		cmocka_unit_test(memory_may_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
