/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_no_time.c - what is no time stays out of time: the same profile with and without migrations,
 * page faults and accesses gives the same trees, lists of waits, figures and history.
 */
#include "config.h"

#include "base/clock.h"
#include "query/waits.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"
#include "ui/history.h"

#include <stdlib.h>
#include <string.h>

#define S NSEC_PER_SEC
#define HUGE_NS (UINT64_C(1) << 50)

static const char *const stacks[] = {
	"main;f", "main;g>h", "main;lock", "start;work;pthread_cond_wait", "main;write;sys_[k]", "(other)", "main;poll",
};

#define NR_STACKS (sizeof(stacks) / sizeof(stacks[0]))

/* Running and waiting, idle and open, over some seconds. */
static void add_time(struct made *m)
{
	thread_id t[5];

	for (int i = 0; i < 5; i++)
		t[i] = made_thread(m, 1, 1 + i, "app");
	for (size_t i = 0; i < NR_STACKS; i++)
		made_stack(m, stacks[i]);
	for (uint64_t s = 0; s < 5; s++) {
		made_add(m, s * S, t[0], "main;f", 400 + s);
		made_add(m, s * S, t[1], "main;g>h", 700 + s);
		m->ev.node = 1;
		made_again(m);
		made_add(m, s * S, t[2], "(other)", 10);
		made_wait(m, s * S, t[0], "main;write;sys_[k]", EVENT_BLOCKED, "fsync", 'D', 900);
		made_wait(m, s * S, t[0], "main;write;sys_[k]", EVENT_RUNNABLE, "fsync", 'D', 30);
		made_wait(m, (s + 1) * S - 1, t[2], "start;work;pthread_cond_wait", EVENT_BLOCKED, "futex", 'S', S);
		made_wait(m, (s + 1) * S - 1, t[3], "main;poll", EVENT_BLOCKED, "poll", 'S', S);
	}
	made_wait(m, 2 * S, t[4], "main;lock", EVENT_BLOCKED, "futex", 'S', S);
	m->ev.flags |= EVENT_F_OPEN;
	made_again(m);
}

/* On every thread and stack, heavy and many, also after the last that is known of a thread that waits. */
static void add_no_time(struct made *m)
{
	for (uint64_t s = 0; s < 5; s++)
		for (size_t i = 0; i < NR_STACKS; i++)
			for (thread_id t = 0; t < 5; t++)
				for (enum event_kind kind = EVENT_MIGRATION; kind <= EVENT_ACCESS; kind++) {
					made_place(m, s * S + 1, t, stacks[i], kind, (uint16_t)(i % 3),
						   (uint16_t)t, HUGE_NS);
					m->ev.flags |= EVENT_F_USER;
					made_again(m);
				}
	made_place(m, 4 * S, made_thread(m, 9, 9, "other"), "main;nowhere;else", EVENT_FAULT, 0, 1, 5);
}

static struct made with, without;

static void assert_same_tree(const struct query *q)
{
	AUTO(tree_free) struct tree *a = made_tree(&without, q), *b = made_tree(&with, q);

	assert_int_equal(a->n, b->n);
	assert_true(a->idle_ns == b->idle_ns && a->idle_threads == b->idle_threads && a->cut_ns == b->cut_ns);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct tree_node *x = &a->node[i], *y = &b->node[i];

		assert_int_equal(x->key, y->key);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_int_equal(x->self_ns, y->self_ns);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->open_ns, y->open_ns);
		assert_int_equal(x->doubt_ns, y->doubt_ns);
		assert_memory_equal(x->value, y->value, sizeof(x->value));
	}
}

static void test_trees(void **state)
{
	static const uint32_t kinds[] = { 0, MEASURES_ON_CPU, MEASURES_OFF_CPU, MEASURES_WALL,
					MEASURES_WALL | MEASURES_IMPORTED };
	struct query q = { .arch = MADE_ARCH };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (unsigned int how = 0; how < 16; how++) {
			q.measures = kinds[i];
			q.fold_idle = how & 1;
			q.inverted = how & 2;
			q.by_node = how & 4;
			q.group_by = how & 8 ? GROUP_THREAD : GROUP_NONE;
			assert_same_tree(&q);
		}
	}
	q = (struct query){ .arch = MADE_ARCH, .from_ns = 3 * S };
	assert_same_tree(&q);
}

static struct waits *waits_of(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct waits *w = NULL;

	assert_int_equal(waits_build(s, m->names, q, &w, NULL), 0);
	return w;
}

static void assert_same_waits(const struct query *q)
{
	AUTO(waits_free) struct waits *a = waits_of(&without, q), *b = waits_of(&with, q);

	assert_true(a->n > 4);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->idle_ns, b->idle_ns);
	assert_int_equal(a->nr_open, b->nr_open);
	for (uint32_t i = 0; i < a->nr_open; i++)
		assert_true(a->open[i].thread == b->open[i].thread && a->open[i].waited_ns == b->open[i].waited_ns);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct wait_row *x = &a->row[i], *y = &b->row[i];

		assert_int_equal(x->key, y->key);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->open_ns, y->open_ns);
		assert_int_equal(x->threads, y->threads);
		assert_true(x->longest_ns == y->longest_ns);
		assert_memory_equal(x->hist, y->hist, sizeof(x->hist));
	}
}

static void test_waits(void **state)
{
	struct query q = { .arch = MADE_ARCH };

	for (unsigned int how = 0; how < 4; how++) {
		q.fold_idle = how & 1;
		q.by_node = how & 2;
		assert_same_waits(&q);
	}
}

static void test_summary(void **state)
{
	const struct profile_meta meta = { .off_cpu = true };
	AUTO_FREE char *a = made_summary(&without, &meta), *b = made_summary(&with, &meta);

	assert_non_null(strstr(a, "\nother_weight_us: 0\n"));
	assert_non_null(strstr(a, "\nthreads: 5\n"));
	/* What is about them alone comes last. */
	*strstr(a, "\nnuma_nodes") = *strstr(b, "\nnuma_nodes") = '\0';
	assert_string_equal(a, b);
}

static void test_history(void **state)
{
	AUTO(snapshot_unref) struct snapshot *a = profile_snapshot(without.p), *b = profile_snapshot(with.p);
	struct history x, y;

	history_of(a, 0, 5 * S, &x);
	history_of(b, 0, 5 * S, &y);
	assert_int_equal(x.n, 5);
	assert_true(x.level[TIME_BLOCKED][0] > 1.9);
	assert_memory_equal(&x, &y, sizeof(x));
}

/* How stacks ended is told for each kind apart. */
static void test_quality(void **state)
{
	AUTO(snapshot_unref) struct snapshot *a = profile_snapshot(without.p), *b = profile_snapshot(with.p);
	const struct quality_row *x, *y;
	const size_t n = snapshot_quality(a, &x), m = snapshot_quality(b, &y);
	size_t same = 0;

	assert_int_equal(n, 3);
	assert_int_equal(m, 6);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			same += x[i].kind == y[k].kind && x[i].count == y[k].count && x[i].weight == y[k].weight;
	assert_int_equal(same, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_quality),
	};
	int r;

	made_init(&without, NULL);
	made_init(&with, NULL);
	add_time(&without);
	add_time(&with);
	add_no_time(&with);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	made_free(&without);
	made_free(&with);
	return r;
}
