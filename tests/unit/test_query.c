/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_query.c - call trees of profiles made by hand: merging, inlines, notes, groups, inversion,
 * keys, bounds, waits.
 */
#include "config.h"

#include "base/clock.h"
#include "query/query.h"
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

static void assert_kinds(const struct tree_node *n)
{
	uint64_t sum = 0;

	for (unsigned int k = 0; k < TIME_NR; k++)
		sum += n->value[k];
	assert_int_equal(sum, n->total_ns);
	assert_true(n->open_ns <= n->value[TIME_RUNNABLE] + n->value[TIME_BLOCKED]);
	assert_true(n->doubt_ns <= n->value[TIME_RUNNABLE] + n->value[TIME_BLOCKED]);
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
			assert_true(c > i);
			assert_true(t->node[c].kind == NODE_IDLE ? t->node[c].next_sibling == NODE_NONE && !i
								 : t->node[c].total_ns <= before);
			before = t->node[c].total_ns;
			total += before;
			children++;
		}
		assert_int_equal(n->nr_children, children);
		assert_int_equal(n->total_ns, total);
		assert_kinds(n);
		assert_int_equal(n->parent == NODE_NONE, i == 0);
		self += n->self_ns;
	}
	assert_int_equal(t->node[0].total_ns, self);
}

static const struct tree *tree_of(struct made *m, const struct query *q)
{
	const struct tree *t = made_look(m, q);

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
	struct made *m = *state;
	const struct query q = { 0 };
	thread_id a, b;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 2, 2, "b");
	made_add(m, 1, a, "main;f#1", 1);
	made_add(m, 2, b, "main;f#2", 2);
	made_add(m, 3, a, "main#7;f#1;g", 4);
	made_add(m, 4, a, "main;@10", 8);
	made_add(m, 5, a, "main;@20", 16);
	made_add(m, 9000 * MS, b, "f", 32);
	t = tree_of(m, &q);
	assert_node(t, "main", 31, 0, 5);
	assert_node(t, "main;f", 7, 3, 3);
	assert_node(t, "main;f;g", 4, 4, 1);
	assert_node(t, "main;libc.so.6+0x10", 8, 8, 1);
	assert_node(t, "main;libc.so.6+0x20", 16, 16, 1);
	assert_node(t, "f", 32, 32, 1);
	assert_int_equal(t->n, 7);
	assert_int_equal(t->max_ns, 10000 * MS);
	assert_int_equal(t->cut_ns, 0);
	assert_int_equal(t->node[find(t, "main;f")].place, dict_get_stack(m->d, made_stack(m, "main#7;f#1"))->frame);
}

static void test_inlines_and_lines(void **state)
{
	struct made *m = *state;
	struct query q = { 0 };
	char text[64];
	thread_id a;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f>in>in2", 1);
	made_add(m, 2, a, "main;f#1>in;g", 2);
	made_add(m, 3, a, "main;in", 4);
	t = tree_of(m, &q);
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
	q.no_inlines = true;
	t = tree_of(m, &q);
	assert_node(t, "main;f", 3, 1, 2);
	assert_node(t, "main;f;g", 2, 2, 1);
	assert_int_equal(find(t, "main;f;in"), NODE_NONE);
}

static void test_kernel_frames(void **state)
{
	struct made *m = *state;
	struct query q = { .group_by = GROUP_COMM };
	thread_id a, k;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	k = made_thread(m, 2, 2, "kworker");
	made_add(m, 1, a, "main;write;sys_[k];@k10", 1);
	made_add(m, 2, a, "main;write", 2);
	made_add(m, 3, k, "kthread_[k];work>in_[k]", 4);
	t = tree_of(m, &q);
	assert_node(t, "a;main;write;sys;[kernel]+0x10", 1, 1, 1);
	assert_node(t, "kworker;kthread;work;in", 4, 4, 1);
	assert_string_equal(tree_suffix(t, find(t, "a;main;write;sys")), "_[k]");
	assert_string_equal(tree_suffix(t, find(t, "kworker;kthread;work;in")), "_[k]");
	q.hide_kernel = true;
	t = tree_of(m, &q);
	assert_node(t, "a;main;write", 3, 3, 2);
	assert_node(t, "kworker", 4, 4, 1);
	assert_int_equal(t->n, 5);
}

static void test_notes_and_odd_places(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	const struct func empty = { .name = 0 };
	struct name name = { 0 };
	char label[64], tiny[4];
	thread_id a;
	const struct tree *t;
	frame_id f;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "!1;f", 1);
	made_add(m, 2, a, "!200;f", 1);
	made_add(m, 3, a, "(other)", 1);
	made_add(m, 4, a, "@jff", 1);
	/* A name on a note changes nothing; a function without a name is said to be unknown. */
	name.func = names_add_func(m->names, &empty);
	assert_int_equal(names_set(m->names, dict_note(m->d, NOTE_CUT + 1), &name, 1, true), 0);
	f = dict_get_stack(m->d, made_stack(m, "@99"))->frame;
	assert_int_equal(names_set(m->names, f, &name, 1, true), 0);
	made_add(m, 5, a, "@99", 1);
	t = tree_of(m, &q);
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
}

static void test_groups(void **state)
{
	struct made *m = *state;
	struct query q = { .group_by = GROUP_PROCESS };
	const struct tree *t;

	made_add(m, 1, made_thread(m, 10, 11, "worker"), "main", 1);
	made_add(m, 2, made_thread(m, 10, 12, "worker"), "main", 2);
	made_add(m, 3, made_thread(m, 20, 20, "redis"), "main", 4);
	made_add(m, 4, made_thread(m, 20, 20, "redis-server"), "main", 8);
	made_add(m, 5, made_thread(m, 20, 21, "bio"), "main", 16);
	made_add(m, 6, made_thread(m, 0, 0, "swapper/0"), "idle_[k]", 32);
	t = tree_of(m, &q);
	assert_node(t, "app 10;main", 3, 3, 2);          /* no main thread yet: the executable's name */
	assert_node(t, "redis-server 20;main", 28, 28, 3);
	assert_node(t, "swapper/0;idle", 32, 32, 1);
	q.group_by = GROUP_THREAD;
	t = tree_of(m, &q);
	assert_node(t, "redis-server 20", 28, 0, 3);
	assert_node(t, "redis-server 20;redis-server 20;main", 12, 12, 2);
	assert_node(t, "redis-server 20;bio 21;main", 16, 16, 1);
	q.group_by = GROUP_COMM;
	t = tree_of(m, &q);
	assert_node(t, "worker", 3, 0, 2);
	assert_node(t, "redis", 4, 0, 1);
}

static void test_inverted(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_COMM, .inverted = true };
	thread_id a;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f;malloc", 1);
	made_add(m, 2, a, "main;g;malloc", 2);
	made_add(m, 3, a, "main;f", 4);
	made_add(m, 4, a, "main;h>malloc", 2);
	t = tree_of(m, &q);
	assert_node(t, "a;malloc", 3, 0, 2);
	assert_node(t, "a;malloc;g;main", 2, 2, 1);
	assert_node(t, "a;f;main", 4, 4, 1);
	assert_int_equal(t->node[find(t, "a")].total_ns, 9);
	assert_int_equal(t->node[find(t, "a")].nr_children, 3);  /* malloc is there twice: as itself, and inlined */
}

static void test_time_and_kinds(void **state)
{
	struct made *m = *state;
	struct query q = { .from_ns = 2000 * MS, .to_ns = 3000 * MS };
	thread_id a;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	for (uint64_t s = 0; s < 5; s++)
		made_add(m, s * 1000 * MS, a, "main", 1u << s);
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 4);
	assert_int_equal(t->max_ns, 3000 * MS);
	q.to_ns = 3001 * MS;                             /* whole slices */
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 12);
	q.measures = 1u << MEASURE_RUNNING;
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 12);
	q.measures = 1u << MEASURE_BLOCKED;
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 0);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->node[0].first_child, NODE_NONE);
}

/* Keys are those of the same places in every later tree, and different from each other. */
static void test_keys(void **state)
{
	struct made *m = *state;
	const struct query q = { .group_by = GROUP_THREAD };
	static const char *const path[] = { "a 1", "a 1;a 1", "a 1;a 1;main", "a 1;a 1;main;f", "a 1;a 1;main;f;f",
					    "a 1;a 1;main;libc.so.6+0x10", "a 1;b 2;main" };
	uint64_t key[7];
	const struct tree *t;

	made_add(m, 1, made_thread(m, 1, 1, "a"), "main;f;f", 1);
	made_add(m, 2, made_thread(m, 1, 1, "a"), "main;@10", 2);
	made_add(m, 3, made_thread(m, 1, 2, "b"), "main", 4);
	t = tree_of(m, &q);
	for (size_t i = 0; i < 7; i++) {
		key[i] = t->node[find(t, path[i])].key;
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(key[i], key[k]);
	}
	made_add(m, 4, made_thread(m, 1, 2, "b"), "start;z", 100);
	made_add(m, 5, made_thread(m, 1, 1, "a"), "main;g;f", 50);
	made_add(m, 6, made_thread(m, 3, 3, "c"), "main;f", 500);
	t = tree_of(m, &q);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(t->node[find(t, path[i])].key, key[i]);
}

static void test_order_of_equals(void **state)
{
	struct made *m = *state;
	const struct query q = { 0 };
	static const char *const want[] = { "a", "b", "libc.so.6+0x9", "libc.so.6+0x10" };
	char label[64];
	thread_id a;
	const struct tree *t;
	uint32_t i;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "@10", 1);
	made_add(m, 2, a, "b", 1);
	made_add(m, 3, a, "@9", 1);
	made_add(m, 4, a, "a", 1);
	t = tree_of(m, &q);
	i = t->node[0].first_child;
	for (size_t k = 0; k < 4; k++, i = t->node[i].next_sibling)
		assert_string_equal(tree_label(t, i, label, sizeof(label)), want[k]);
}

/*
 * More nodes than allowed: the heavy ones are there, the rest stays with the nearest ancestor, and
 * it is said how much.
 */
static void test_bounded(void **state)
{
	struct made *m = *state;
	struct query q = { .group_by = GROUP_COMM, .max_nodes = 5 };
	thread_id a, b;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 2, 2, "b");
	made_add(m, 1, a, "main;light;x", 10);
	made_add(m, 2, a, "main;light;y", 20);
	made_add(m, 3, a, "main;heavy;z", 1000);
	made_add(m, 4, b, "main", 3);
	for (int inverted = 0; inverted < 2; inverted++) {
		q.inverted = inverted;
		t = tree_of(m, &q);
		assert_int_equal(t->n, 5);
		assert_int_equal(t->node[0].total_ns, 1033);
		assert_int_equal(t->node[0].count, 4);
		assert_int_equal(t->cut_ns, 33);
		assert_int_equal(t->node[0].self_ns, 3);
	}
	q.inverted = false;
	t = tree_of(m, &q);
	assert_node(t, "a;main;heavy;z", 1000, 1000, 1);
	assert_node(t, "a;main", 1030, 30, 3);
}

static void add_deep(struct made *m, thread_id thread, uint32_t depth, uint64_t weight)
{
	const frame_id f = dict_get_stack(m->d, made_stack(m, "f"))->frame;
	struct event ev = { .kind = EVENT_SAMPLE, .cut_module = ID_NONE, .thread = thread, .weight = weight };

	for (uint32_t i = 0; i < depth; i++)
		ev.stack = dict_stack(m->d, ev.stack, f);
	assert_int_equal(profile_add(m->p, &ev), 0);
}

/* Recursion is depth; more of it than a node can say is cut and counted. Nothing here recurses in C. */
static void test_deep_recursion(void **state)
{
	struct made *m = *state;
	struct query q = { 0 };
	thread_id a;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	add_deep(m, a, 4096, 1);
	t = tree_of(m, &q);
	assert_int_equal(t->n, 4097);
	assert_int_equal(t->node[4096].depth, 4096);
	assert_int_equal(t->node[4096].self_ns, 1);
	add_deep(m, a, 100000, 2);
	for (int inverted = 0; inverted < 2; inverted++) {
		q.inverted = inverted;
		t = tree_of(m, &q);
		assert_int_equal(t->n, UINT16_MAX);
		assert_int_equal(t->cut_ns, 2);
		assert_int_equal(t->node[0].total_ns, 3);
	}
}

static void assert_times(const struct tree *t, const char *path, uint64_t running, uint64_t runnable, uint64_t blocked)
{
	const uint32_t i = find(t, path);

	if (i == NODE_NONE)
		fail_msg("there is no %s", path);
	assert_int_equal(t->node[i].value[TIME_RUNNING], running);
	assert_int_equal(t->node[i].value[TIME_RUNNABLE], runnable);
	assert_int_equal(t->node[i].value[TIME_BLOCKED], blocked);
}

/* One wait: blocked, then runnable, as the engine tells it. */
static void add_wait(struct made *m, uint64_t time_ns, thread_id t, const char *stack, const char *call, char state,
		     uint64_t blocked_ns, uint64_t runnable_ns)
{
	if (blocked_ns)
		made_wait(m, time_ns, t, stack, EVENT_BLOCKED, call, state, blocked_ns);
	if (runnable_ns)
		made_wait(m, time_ns, t, stack, EVENT_RUNNABLE, call, state, runnable_ns);
}

static void test_times_of_each_kind(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	thread_id a;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f", 1);
	add_wait(m, 2, a, "main;f;read;sys_[k]", "read", 'S', 20, 4);
	add_wait(m, 3, a, "main;f", "preempted", 'R', 0, 300);
	made_wait(m, 4, a, "main;g", EVENT_BLOCKED, "futex", 'S', 1000);
	m->ev.flags |= EVENT_F_EXTRAPOLATED;
	m->ev.count = 7;
	made_again(m);
	t = tree_of(m, &q);
	assert_times(t, "main", 1, 304, 2020);
	assert_times(t, "main;f", 1, 304, 20);
	assert_times(t, "main;f;read", 0, 4, 20);
	assert_node(t, "main;f", 325, 301, 3);           /* the two parts of a wait count once */
	assert_int_equal(t->node[find(t, "main")].doubt_ns, 1000);
	assert_int_equal(t->node[find(t, "main")].count, 11);

	q.measures = 1u << MEASURE_RUNNABLE;
	t = tree_of(m, &q);
	assert_times(t, "main", 0, 304, 0);
	assert_node(t, "main;f", 304, 300, 2);
	assert_int_equal(find(t, "main;g"), NODE_NONE);
	q.measures = MEASURES_ON_CPU;
	t = tree_of(m, &q);
	assert_times(t, "main;f", 1, 0, 0);
	assert_int_equal(t->n, 3);
	q = (struct query){ .arch = MADE_ARCH, .inverted = true, .measures = MEASURES_OFF_CPU };
	t = tree_of(m, &q);
	assert_times(t, "sys;read;f;main", 0, 4, 20);
}

static void test_filters_of_waits(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	thread_id a, b;
	const struct tree *t;

	a = made_thread(m, 1, 11, "main");
	b = made_thread(m, 1, 12, "worker-1");
	made_add(m, 1, a, "x", 1);
	add_wait(m, 2, a, "x", "read", 'S', 2, 4);
	add_wait(m, 2, a, "x", "read", 'D', 8, 0);
	add_wait(m, 2, b, "x", "futex", 'S', 16, 0);
	add_wait(m, 2, b, "x", "futex (32-bit)", 'S', 32, 0);
	add_wait(m, 2, b, "x", "page fault", 'D', 64, 0);

	q.states = 1u << WAIT_UNINTERRUPTIBLE;
	t = tree_of(m, &q);
	assert_times(t, "x", 0, 0, 72);                  /* running time is left out */
	q.states = 0;
	q.calls[0] = call_find("futex", MADE_ARCH);
	q.nr_calls = 1;
	t = tree_of(m, &q);
	assert_times(t, "x", 0, 0, 48);
	q.calls[1] = call_find("read", MADE_ARCH);
	q.calls[2] = CALL_FAULT;
	q.nr_calls = 3;
	q.states = 1u << WAIT_INTERRUPTIBLE;
	t = tree_of(m, &q);
	assert_times(t, "x", 0, 4, 50);

	q = (struct query){ .arch = MADE_ARCH, .terms = MADE_TERM(TERM_THREAD, "worker-*") };
	t = tree_of(m, &q);
	assert_times(t, "x", 0, 0, 112);
	made_only(&q, "thread:11");
	t = tree_of(m, &q);
	assert_times(t, "x", 1, 4, 10);
	made_only(&q, "thread:[nobody");
	t = tree_of(m, &q);
	assert_int_equal(t->n, 1);
}

#define POOL "start;work;pthread_cond_wait@@GLIBC_2.3.2;@1f0;sys_futex_[k];futex_wait_[k]"

/*
 * An event loop, a worker of a pool, one who works a lot, one whose lock is held: idling is folded,
 * being held up is not.
 */
static void test_idling(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH, .fold_idle = true, .group_by = GROUP_THREAD };
	thread_id loop, pool, busy, held;
	char label[LABEL_MAX];
	const struct tree *t;
	uint32_t i;

	loop = made_thread(m, 1, 1, "loop");
	pool = made_thread(m, 1, 2, "pool");
	busy = made_thread(m, 1, 3, "busy");
	held = made_thread(m, 1, 4, "held");
	made_add(m, 1, loop, "main;work", 500);
	add_wait(m, 2, loop, "main;epoll_wait", "epoll_wait", 'S', 1000, 10);
	add_wait(m, 3, loop, "main;usleep", "clock_nanosleep", 'S', 100, 0);
	add_wait(m, 4, pool, POOL, "futex", 'S', 9000, 0);
	made_add(m, 5, pool, "start;work", 1000);       /* a tenth of its time */
	m->ev.kind = EVENT_ACCESS;
	made_again(m);                                  /* no time beside that */
	add_wait(m, 6, busy, POOL, "futex", 'S', 8900, 0);
	made_add(m, 7, busy, "start;work", 1000);
	add_wait(m, 8, held, "start;lock;pthread_mutex_lock;@30", "futex", 'S', 50000, 0);
	add_wait(m, 9, held, "start;flush;fsync", "fsync", 'D', 7, 0);

	t = tree_of(m, &q);
	i = find(t, "idle: 2 threads wait for events, for work, or sleep");
	assert_int_not_equal(i, NODE_NONE);
	assert_int_equal(t->node[i].kind, NODE_IDLE);
	assert_int_equal(t->node[i].total_ns, 10100);
	assert_int_equal(t->node[i].value[TIME_BLOCKED], 10100);
	assert_int_equal(t->node[i].count, 3);
	assert_int_equal(t->idle_ns, 10100);
	assert_int_equal(t->idle_threads, 2);
	assert_int_equal(find(t, "loop 1;pool 2;start;work;pthread_cond_wait@@GLIBC_2.3.2"), NODE_NONE);
	assert_times(t, "loop 1;loop 1;main;epoll_wait", 0, 10, 0);      /* once woken, it had something to do */
	assert_int_equal(t->node[find(t, "loop 1;loop 1;main;epoll_wait")].count, 1);
	assert_times(t, "loop 1;busy 3", 1000, 0, 8900);
	assert_times(t, "loop 1;held 4", 0, 0, 50007);
	assert_string_equal(tree_suffix(t, i), "");
	assert_string_equal(tree_line(t, i, label, sizeof(label)), "");

	/* The totals of the idle stay known when they are not folded, and follow what is asked for. */
	q.fold_idle = false;
	t = tree_of(m, &q);
	assert_int_equal(t->idle_ns, 10100);
	assert_int_equal(t->idle_threads, 2);
	assert_times(t, "loop 1;pool 2", 1000, 0, 9000);
	q = (struct query){ .arch = MADE_ARCH, .fold_idle = true, .inverted = true, .measures = MEASURES_OFF_CPU,
			    .terms = MADE_TERM(TERM_THREAD, "pool") };
	t = tree_of(m, &q);                             /* of a pool still: what is not asked for decides too */
	assert_string_equal(tree_label(t, t->node[0].first_child, label, sizeof(label)),
			    "idle: 1 thread waits for events, for work, or sleeps");
	assert_int_equal(t->n, 2);
	q = (struct query){ .arch = MADE_ARCH, .fold_idle = true, .measures = MEASURES_ON_CPU };
	t = tree_of(m, &q);
	assert_int_equal(t->idle_ns, 0);
	assert_int_equal(find(t, "idle: 2 threads wait for events, for work, or sleep"), NODE_NONE);
	q = (struct query){ .arch = MADE_ARCH, .fold_idle = true, .max_nodes = 1 };
	t = tree_of(m, &q);
	assert_int_equal(t->cut_ns, t->node[0].total_ns);
	assert_int_equal(t->node[0].value[TIME_BLOCKED], 1100 + 9000 + 8900 + 50007);
}

static uint64_t idle_of(const char *stack, const char *call, char state)
{
	const struct query q = { .arch = MADE_ARCH };
	struct made m;
	uint64_t ns;

	made_init(&m, NULL);
	add_wait(&m, 1, made_thread(&m, 1, 1, "a"), stack, call, state, 5, 0);
	ns = tree_of(&m, &q)->idle_ns;
	made_free(&m);
	return ns;
}

static void test_what_idles(void **state)
{
	static const char *const idle[] = {
		"m;pthread_cond_wait", "m;___pthread_cond_timedwait64;@1;@2",
			"m;__GI___pthread_cond_clockwait@@GLIBC_2.34",
		"m;sem_wait@GLIBC_2.2.5;__new_sem_wait_slow64.constprop.0;@1;@2;@3", "m;uv_cond_wait;1;2;3;4;5",
		"m;std::condition_variable::wait(std::unique_lock<std::mutex>&)>1>2",
		"m;absl::CondVar::Wait(absl::Mutex*)",
		"m;parking_lot::condvar::Condvar::wait_until_internal;syscall", "m;std::thread::park",
		"m;cnd_timedwait", "m;runtime.notesleep;runtime.futexsleep;runtime.futex", "m;g_cond_wait_until",
		"m;pthread_cond_wait;x_[k];1_[k];2_[k];3_[k];4_[k];5_[k];6_[k]",
	};
	static const char *const not[] = {
		"m;pthread_mutex_lock", "m;@10;@20", "m;pthread_cond_waiter", "m;uv_cond_wait;1;2;3;4;5;6", "m;(other)",
		"m;PyThread_acquire_lock_timed;sem_clockwait;@1", "m;take_gil;pthread_cond_timedwait", "m;sem_post",
		"m;runtime.lock2;runtime.futexsleep;runtime.futex", "m;pthread_cond_signal", "",
		"m;pthread_rwlock_wrlock",
		("m;ObjectMonitor::enter(JavaThread*);ObjectMonitor::EnterI(JavaThread*);os::PlatformEvent::park();"
		 "pthread_cond_wait"), "pthread_cond_wait_[k]",
	};

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (idle_of(idle[i], "futex", 'S') != 5)
			fail_msg("%s does not idle", idle[i]);
	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (idle_of(not[i], "futex", 'S'))
			fail_msg("%s idles", not[i]);
	assert_int_equal(idle_of("m", "poll", 'S'), 5);
	assert_int_equal(idle_of("m", "accept4", 'S'), 5);
	assert_int_equal(idle_of("m", "nanosleep", 'S'), 5);
	assert_int_equal(idle_of("kthread_[k]", "kernel thread", 'I'), 5);
	assert_int_equal(idle_of("m;pthread_cond_wait", "read", 'S'), 0);
	assert_int_equal(idle_of("m", "io_getevents", 'D'), 0);
	assert_int_equal(idle_of("m", "wait4", 'S'), 0);
	assert_int_equal(idle_of("m;pthread_cond_wait", "futex", 'T'), 0);
}

/* A wait told while it was open is open for as long as nothing else is known of its thread. */
static void test_open_waits(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	struct fact f = { .kind = EVENT_BLOCKED, .count = 1, .weight = 40 },
		ran = { .kind = EVENT_SAMPLE, .weight = 5 };
	thread_id a, b;
	const struct tree *t;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_add(m, 1000 * MS, a, "main;f", 1);
	made_add(m, 1000 * MS, b, "main;f", 2);
	made_wait(m, 1100 * MS, a, "main;lock", EVENT_BLOCKED, "futex", 'S', 10);
	made_open(m);                                  /* one that had ended, and 10 ns of another */
	m->ev.thread = b;
	made_again(m);
	m->ev.flags |= EVENT_F_PIECE;
	m->ev.time_ns = 2100 * MS;
	made_again(m);
	m->ev.kind = EVENT_FAULT;
	m->ev.time_ns = 3100 * MS;
	made_again(m);                                  /* says nothing of the wait */
	t = tree_of(m, &q);
	assert_node(t, "main;lock", 40, 40, 3);
	assert_int_equal(t->node[find(t, "main;lock")].open_ns, 30);

	/* The same thread under a new name goes on: its waits have ended. */
	made_add(m, 2200 * MS, made_thread(m, 1, 1, "renamed"), "main;f", 4);
	t = tree_of(m, &q);
	assert_int_equal(t->node[find(t, "main;lock")].open_ns, 20);

	/* What is provisional counts; running time there is old. */
	f.thread = ran.thread = b;
	f.stack = made_stack(m, "main;lock");
	f.longest_ns = 50;
	f.wait = dict_wait(m->d, &(struct wait){ .call = call_find("futex", MADE_ARCH), .state = WAIT_INTERRUPTIBLE,
						.flags = EVENT_F_OPEN, .waker = ID_NONE });
	assert_int_equal(profile_provisional(m->p, 2100 * MS, 3500 * MS, (struct fact[]){ f, ran }, 2), 0);
	t = tree_of(m, &q);
	assert_node(t, "main;lock", 80, 80, 4);
	assert_int_equal(t->node[find(t, "main;lock")].open_ns, 60);
	assert_true(t->node[0].open_longest_ns == 50 && t->node[find(t, "main;lock")].open_longest_ns == 50);
	assert_true(t->node[find(t, "main;f")].open_longest_ns == 0);
	assert_int_equal(t->node[0].value[TIME_RUNNING], 12);
	q.from_ns = 3000 * MS;
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 45);
	assert_int_equal(t->node[0].open_ns, 40);
}

/*
 * A slice is too coarse to tell whether a thread got on after it was last seen waiting: what is
 * under way tells, while it may.
 */
static void test_ended_in_the_slice_of_its_last_piece(void **state)
{
	struct made *m = *state;
	const struct query q = { .arch = MADE_ARCH };
	struct fact f;
	thread_id dead, waits;
	const struct tree *t;

	dead = made_thread(m, 1, 1, "dead");
	waits = made_thread(m, 1, 2, "waits");
	made_wait(m, 2100 * MS, dead, "main;dead", EVENT_BLOCKED, "futex", 'S', 10);
	m->ev.flags |= EVENT_F_OPEN | EVENT_F_PIECE;
	made_again(m);                                  /* a piece, and the end */
	made_wait(m, 2100 * MS, waits, "main;waits", EVENT_BLOCKED, "futex", 'S', 10);
	/* another one that ended, and the whole of one that had not at the end */
	made_open(m);
	t = tree_of(m, &q);
	assert_int_equal(t->node[find(t, "main;dead")].open_ns, 0);
	assert_int_equal(t->node[find(t, "main;waits")].open_ns, 10);

	assert_int_equal(profile_fact(m->p, &m->ev, &f), 0);
	assert_int_equal(profile_provisional(m->p, 2100 * MS, 3500 * MS, &f, 1), 0);
	t = tree_of(m, &q);
	assert_int_equal(t->node[find(t, "main;dead")].open_ns, 0);
	assert_int_equal(t->node[find(t, "main;waits")].open_ns, 20);

	/* A later piece is open until a look says otherwise. */
	m->ev.flags |= EVENT_F_PIECE;
	m->ev.time_ns = 3100 * MS;
	made_again(m);
	f.thread = dead;
	assert_int_equal(profile_provisional(m->p, 2100 * MS, 3500 * MS, NULL, 0), 0);
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].open_ns, 20);
	f.wait = WAIT_EMPTY;
	f.kind = EVENT_SAMPLE;
	assert_int_equal(profile_provisional(m->p, 2100 * MS, 3500 * MS, &f, 1), 0);
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].open_ns, 0);
}

/* The same stacks on different nodes, of two threads of a process, running and waiting. */
static void make_nodes(struct made *m)
{
	thread_id a, b;

	a = made_thread(m, 1, 1, "a");
	b = made_thread(m, 1, 2, "b");
	made_add(m, 1, a, "main;f", 1);
	m->ev.node = 4;
	m->ev.weight = 10;
	made_again(m);
	made_add(m, 2, b, "main;f", 100);
	m->ev.node = 4;
	m->ev.weight = 1000;
	made_again(m);
	add_wait(m, 3, b, "main;lock", "futex", 'S', 50000, 0);
	m->ev.node = 4;
	m->ev.weight = 10000;
	made_again(m);
	m->ev.node = NODES_MAX;
	m->ev.weight = 7;
	made_again(m);
}

static void test_by_node(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH, .by_node = true, .group_by = GROUP_THREAD };
	static const char *const path[] = { "node 0", "node 4", "node 4;a 1", "node 0;a 1", "node 4;a 1;b 2",
					    "node 0;a 1;b 2", "node 4;a 1;b 2;main", "node 0;a 1;b 2;main" };
	uint64_t key[8];
	const struct tree *t;

	make_nodes(m);
	t = tree_of(m, &q);
	assert_node(t, "node 0;a 1;a 1;main;f", 1, 1, 1);
	assert_node(t, "node 4;a 1;a 1;main;f", 10, 10, 1);
	assert_node(t, "node 0;a 1;b 2;main;f", 100, 100, 1);
	assert_node(t, "node 4;a 1;b 2", 11000, 0, 2);
	assert_times(t, "node 0", 101, 0, 50000);
	assert_times(t, "node 4", 1010, 0, 10000);
	assert_times(t, "unknown node", 0, 0, 7);
	assert_int_equal(t->node[find(t, "node 4")].kind, NODE_NUMA);
	assert_int_equal(t->node[find(t, "node 4")].frame, 4);
	assert_string_equal(tree_suffix(t, find(t, "node 4")), "");
	for (size_t i = 0; i < 8; i++) {
		key[i] = t->node[find(t, path[i])].key;
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(key[i], key[k]);
	}

	/* Keys stay whatever comes. */
	made_add(m, 4, made_thread(m, 9, 9, "heavy"), "main;f", MS);
	m->ev.node = 2;
	made_again(m);
	t = tree_of(m, &q);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(t->node[find(t, path[i])].key, key[i]);
	assert_node(t, "node 2;heavy 9;heavy 9;main;f", MS, MS, 1);
	q.group_by = GROUP_NONE;
	t = tree_of(m, &q);
	assert_node(t, "node 4;main;f", 1010, 1010, 2);
	assert_node(t, "node 0;main;lock", 50000, 50000, 1);
	q = (struct query){ .arch = MADE_ARCH, .by_node = true, .inverted = true, .group_by = GROUP_PROCESS };
	t = tree_of(m, &q);
	assert_node(t, "node 4;a 1;f;main", 1010, 1010, 2);
}

/* Of equal weight: by number, not by when they were seen. */
static void test_order_of_nodes(void **state)
{
	struct made *m = *state;
	static const uint16_t nodes[] = { 10, 2, 600, 0 };
	const struct query q = { .by_node = true };
	const struct tree *t;
	uint32_t i, k = 0;

	made_add(m, 1, made_thread(m, 1, 1, "a"), "main", 5);
	for (i = 0; i < 3; i++) {
		m->ev.node = nodes[i];
		made_again(m);
	}
	t = tree_of(m, &q);
	for (i = t->node[0].first_child; i != NODE_NONE; i = t->node[i].next_sibling)
		assert_int_equal(t->node[i].frame, ((uint16_t[]){ 0, 2, 10, 600 })[k++]);
	assert_int_equal(k, 4);
}

static void test_filter_of_nodes(void **state)
{
	struct made *m = *state;
	struct query q = { .arch = MADE_ARCH };
	const struct tree *t;

	make_nodes(m);
	nodeset_add(&q.nodes, 4);
	t = tree_of(m, &q);
	assert_times(t, "main", 1010, 0, 10000);
	nodeset_add(&q.nodes, 0);
	t = tree_of(m, &q);
	assert_times(t, "main", 1111, 0, 60000);
	q.nodes = (struct nodeset){ { 0 } };
	nodeset_add(&q.nodes, 1);
	t = tree_of(m, &q);
	assert_int_equal(t->n, 1);
	made_only(&q, "thread:b");
	nodeset_add(&q.nodes, 4);
	q.measures = MEASURES_ON_CPU;
	t = tree_of(m, &q);
	assert_times(t, "main", 1000, 0, 0);
}

/* Only accesses whose page is known, and elsewhere; with the time that they stand for. */
static void test_far(void **state)
{
	struct made *m = *state;
	struct query q = { .measures = MEASURES_FAR, .arch = MADE_ARCH };
	const struct tree *t;
	thread_id a;

	a = made_thread(m, 1, 1, "a");
	made_add(m, 1, a, "main;f", 1);
	add_wait(m, 1, a, "main;f", "futex", 'S', 2, 4);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 0, 8);
	made_place(m, 1, a, "main;f", EVENT_ACCESS, 0, 1, 16);
	made_place(m, 2, a, "main;f", EVENT_ACCESS, 0, 3, 32);
	made_place(m, 2, a, "main;g", EVENT_ACCESS, 3, 0, 64);
	made_place(m, 2, a, "main;g", EVENT_ACCESS, 3, NODE_UNKNOWN, 128);
	made_place(m, 2, a, "main;g", EVENT_FAULT, 3, 0, 256);
	made_place(m, 2, a, "main;g", EVENT_MIGRATION, 3, 0, 512);
	t = tree_of(m, &q);
	assert_node(t, "main", 112, 0, 3);
	assert_node(t, "main;f", 48, 48, 2);
	assert_times(t, "main;g", 64, 0, 0);
	q.by_node = true;
	t = tree_of(m, &q);
	assert_node(t, "node 0;main;f", 48, 48, 2);
	assert_node(t, "node 3;main;g", 64, 64, 1);
	nodeset_add(&q.nodes, 3);
	t = tree_of(m, &q);
	assert_int_equal(t->node[0].total_ns, 64);
}

/*
 * What FOCUS and IGNORE leave, of what there would be without: both from the tree and from the sum
 * that a report says.
 */
static void assert_left(struct made *m, const char *focus, const char *ignore, uint64_t want_ms)
{
	struct query q = { .group_by = GROUP_COMM };
	struct snapshot *s = profile_snapshot(m->p);
	uint64_t ns, all_ns;

	if (focus)
		made_term(&q, focus);
	if (ignore) {
		char text[64];

		snprintf(text, sizeof(text), "!%s", ignore);
		made_term(&q, text);
	}
	assert_int_equal(tree_of(m, &q)->node[0].total_ns, want_ms * MS);
	assert_int_equal(query_share(s, m->names, &q, &ns, &all_ns, NULL), 0);
	assert_int_equal(ns, want_ms * MS);
	assert_int_equal(all_ns, 127 * MS);
	q.inverted = true;
	assert_int_equal(tree_of(m, &q)->node[0].total_ns, want_ms * MS);
	snapshot_unref(s);
}

static void test_patterns(void **state)
{
	struct made *m = *state;
	const thread_id t = made_thread(m, 1, 1, "alloc");
	struct query q = { .terms = MADE_TERM(TERM_FUNCTION, "copy"), .no_inlines = true };

	made_add(m, 1, t, "main;alloc;memset", 1 * MS);
	made_add(m, 2, t, "main;alloc", 2 * MS);
	made_add(m, 3, t, "main;parse>copy;alloc;alloc", 4 * MS);
	made_add(m, 4, t, "main;write;copy_user_[k]", 8 * MS);
	made_add(m, 5, t, "main;@1f0", 16 * MS);
	made_add(m, 6, t, "!3;deep", 32 * MS);
	made_wait(m, 7, t, "main;alloc;futex_wait_[k]", EVENT_BLOCKED, "futex", 'S', 64 * MS);
	assert_left(m, NULL, NULL, 127);
	assert_left(m, "alloc", NULL, 71);
	assert_left(m, NULL, "alloc", 56);
	assert_left(m, "^alloc$", "copy", 67);
	assert_left(m, "copy", NULL, 12);
	/* places without a name have one to be found by, and so have notes */
	assert_left(m, "libc.*1f0|cut: ", NULL, 48);
	assert_left(m, "^main$", NULL, 95);
	assert_left(m, "Main", NULL, 0);
	assert_int_equal(tree_of(m, &q)->node[0].total_ns, 8 * MS);
	q.hide_kernel = true;
	assert_int_equal(tree_of(m, &q)->node[0].total_ns, 0);
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
	add_wait(&shared, 1, made_thread(&shared, 7, 7, "a"), POOL, "futex", 'S', 400 * MS, MS);
	made_open(&shared);
	shared_snapshot = profile_snapshot(shared.p);
	for (int inverted = 0; inverted < 2; inverted++) {
		shared_query = (struct query){ .group_by = GROUP_THREAD, .inverted = inverted, .fold_idle = inverted,
					       .by_node = !inverted };
		if (inverted)
			made_term(&shared_query, "f|x");
		for (long n = 0; fail_alloc_round(n, try_build); n++)
			;
	}
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(test_merges_functions_not_places),
		MADE_TEST(test_inlines_and_lines),
		MADE_TEST(test_kernel_frames),
		MADE_TEST(test_notes_and_odd_places),
		MADE_TEST(test_groups),
		MADE_TEST(test_inverted),
		MADE_TEST(test_time_and_kinds),
		MADE_TEST(test_keys),
		MADE_TEST(test_order_of_equals),
		MADE_TEST(test_bounded),
		MADE_TEST(test_deep_recursion),
		MADE_TEST(test_times_of_each_kind),
		MADE_TEST(test_filters_of_waits),
		MADE_TEST(test_idling),
		cmocka_unit_test(test_what_idles),
		MADE_TEST(test_open_waits),
		MADE_TEST(test_ended_in_the_slice_of_its_last_piece),
		MADE_TEST(test_by_node),
		MADE_TEST(test_order_of_nodes),
		MADE_TEST(test_filter_of_nodes),
		MADE_TEST(test_far),
		MADE_TEST(test_patterns),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
