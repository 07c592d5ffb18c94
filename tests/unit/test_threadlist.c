/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_threadlist.c - threads by their time: sums, names, what each does at the end, filters, every
 * allocation failing.
 */
#include "config.h"

#include "base/clock.h"
#include "query/threadlist.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MS NSEC_PER_MSEC

static struct threadlist *list_of(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct threadlist *l;

	assert_int_equal(threadlist_build(s, m->names, q, &l, NULL), 0);
	return l;
}

static const struct thread_row *row(const struct threadlist *l, const char *name)
{
	char label[256];

	for (uint32_t i = 0; i < l->n; i++) {
		if (!strcmp(thread_row_label(l, i, label, sizeof(label)), name))
			return &l->row[i];
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static void sums_by_kind(void **state)
{
	struct made *m = *state;
	AUTO(threadlist_free) struct threadlist *l = NULL, *no_idle = NULL;
	const thread_id a = made_thread(m, 1, 1, "main"), b = made_thread(m, 1, 2, "worker"),
		c = made_thread(m, 7, 7, "other");
	struct query q = { .fold_idle = true };

	made_add(m, NSEC_PER_SEC, a, "main;work", 300 * MS);
	made_add(m, 2 * NSEC_PER_SEC, a, "main;work", 100 * MS);
	made_wait(m, 3 * NSEC_PER_SEC, a, "main;read", EVENT_BLOCKED, "read", 'D', 500 * MS);
	made_wait(m, 3 * NSEC_PER_SEC, a, "main;read", EVENT_RUNNABLE, "read", 'D', 20 * MS);
	made_wait(m, 3 * NSEC_PER_SEC, b, "main;poll", EVENT_BLOCKED, "poll", 'S', 2000 * MS);
	made_add(m, NSEC_PER_SEC, b, "main;work", 50 * MS);
	made_add(m, NSEC_PER_SEC, c, "main;work", 60 * MS);
	l = list_of(m, &q);
	assert_int_equal(l->n, 3);
	assert_true(l->several);
	assert_ptr_equal(row(l, "main 1"), &l->row[0]);
	assert_int_equal(row(l, "main 1")->value[TIME_RUNNING], 400 * MS);
	assert_int_equal(row(l, "main 1")->value[TIME_BLOCKED], 500 * MS);
	assert_int_equal(row(l, "main 1")->value[TIME_RUNNABLE], 20 * MS);
	assert_int_equal(thread_row_ns(row(l, "main 1")), 920 * MS);
	assert_int_equal(row(l, "main 1")->count, 3);
	assert_int_equal(row(l, "worker 2")->value[TIME_BLOCKED], 0);
	assert_int_equal(row(l, "worker 2")->idle_ns, 2000 * MS);
	q.fold_idle = false;
	no_idle = list_of(m, &q);
	assert_int_equal(row(no_idle, "worker 2")->value[TIME_BLOCKED], 2000 * MS);
	assert_int_equal(row(no_idle, "worker 2")->idle_ns, 0);
}

static void what_they_do_at_the_end(void **state)
{
	struct made *m = *state;
	AUTO(threadlist_free) struct threadlist *l = NULL;
	const thread_id runs = made_thread(m, 1, 1, "runs"), waits = made_thread(m, 1, 2, "waits");
	const thread_id queued = made_thread(m, 1, 3, "queued"), idles = made_thread(m, 1, 4, "idles");
	const thread_id quiet = made_thread(m, 1, 5, "quiet"), back = made_thread(m, 1, 6, "back");
	struct query q = { .fold_idle = true };

	made_add(m, NSEC_PER_SEC, quiet, "main;work", 10 * MS);
	made_wait(m, 2 * NSEC_PER_SEC, back, "main;read", EVENT_BLOCKED, "read", 'D', 100 * MS);
	made_open(m);
	made_add(m, 19 * NSEC_PER_SEC, back, "main;work", 10 * MS);
	made_add(m, 19 * NSEC_PER_SEC, waits, "main;work", 10 * MS);
	made_add(m, 20 * NSEC_PER_SEC, runs, "main;work", 10 * MS);
	made_wait(m, 20 * NSEC_PER_SEC, waits, "main;lock", EVENT_BLOCKED, "read", 'D', 900 * MS);
	made_open(m);
	made_wait(m, 20 * NSEC_PER_SEC, idles, "main;poll", EVENT_BLOCKED, "poll", 'S', 5000 * MS);
	made_open(m);
	made_wait(m, 20 * NSEC_PER_SEC, queued, "main;read", EVENT_BLOCKED, "read", 'D', 700 * MS);
	made_open(m);
	made_wait(m, 20 * NSEC_PER_SEC, queued, "main;read", EVENT_RUNNABLE, "read", 'D', 3 * MS);
	made_open(m);
	l = list_of(m, &q);
	assert_int_equal(row(l, "runs 1")->does, THREAD_RUNS);
	assert_int_equal(row(l, "quiet 5")->does, THREAD_QUIET);
	assert_int_equal(row(l, "back 6")->does, THREAD_RUNS);
	assert_int_equal(row(l, "waits 2")->does, THREAD_WAITS);
	assert_int_equal(row(l, "waits 2")->waited_ns, 900 * MS);
	assert_int_equal(row(l, "waits 2")->call, call_find("read", MADE_ARCH));
	assert_int_equal(row(l, "waits 2")->state, WAIT_UNINTERRUPTIBLE);
	assert_int_equal(row(l, "idles 4")->does, THREAD_IDLES);
	assert_int_equal(row(l, "queued 3")->does, THREAD_QUEUED);
	assert_int_equal(row(l, "queued 3")->waited_ns, 3 * MS);
}

static void a_renamed_thread_is_one(void **state)
{
	struct made *m = *state;
	AUTO(threadlist_free) struct threadlist *l = NULL;
	const thread_id before = made_thread(m, 1, 2, "before"), after = made_thread(m, 1, 2, "after");
	struct query q = { 0 };

	made_add(m, NSEC_PER_SEC, before, "main;work", 30 * MS);
	made_add(m, 2 * NSEC_PER_SEC, after, "main;work", 10 * MS);
	made_wait(m, 2 * NSEC_PER_SEC, after, "main;read", EVENT_BLOCKED, "read", 'D', 5 * MS);
	l = list_of(m, &q);
	assert_int_equal(l->n, 1);
	assert_false(l->several);
	assert_int_equal(row(l, "after 2")->value[TIME_RUNNING], 40 * MS);
}

static void filters_apply(void **state)
{
	struct made *m = *state;
	AUTO(threadlist_free) struct threadlist *named = NULL, *running = NULL, *elsewhere = NULL;
	struct query q = { .terms = MADE_TERM(TERM_THREAD, "work*") };

	made_add(m, NSEC_PER_SEC, made_thread(m, 1, 1, "main"), "main;work", 10 * MS);
	made_add(m, NSEC_PER_SEC, made_thread(m, 1, 2, "worker"), "main;work", 20 * MS);
	made_wait(m, NSEC_PER_SEC, made_thread(m, 1, 3, "reader"), "main;read", EVENT_BLOCKED, "read", 'D', 5 * MS);
	named = list_of(m, &q);
	assert_int_equal(named->n, 1);
	assert_int_equal(row(named, "worker 2")->node, 0);
	q = (struct query){ .measures = MEASURES_ON_CPU };
	running = list_of(m, &q);
	assert_int_equal(running->n, 2);
	nodeset_add(&q.nodes, 5);
	elsewhere = list_of(m, &q);
	assert_int_equal(elsewhere->n, 0);
}

static struct made shared;
static struct snapshot *shared_snapshot;

static bool try_list(void)
{
	AUTO(threadlist_free) struct threadlist *l = NULL;
	struct query q = { .fold_idle = true };
	struct err e = ERR_INIT;
	const int r = threadlist_build(shared_snapshot, shared.names, &q, &l, &e);

	assert_true(r == (l ? 0 : -ENOMEM));
	return l;
}

static void out_of_memory(void **state)
{
	made_init(&shared, NULL);
	for (int i = 1; i < 20; i++) {
		made_add(&shared, NSEC_PER_SEC, made_thread(&shared, 1, i, "t"), "main;work", 10 * MS);
		made_wait(&shared, NSEC_PER_SEC, made_thread(&shared, 1, i, "t"), "main;w", EVENT_BLOCKED,
			  "futex", 'S', 5 * MS);
	}
	shared_snapshot = profile_snapshot(shared.p);
	for (long n = 0; fail_alloc_round(n, try_list); n++)
		;
	snapshot_unref(shared_snapshot);
	made_free(&shared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(sums_by_kind),
		MADE_TEST(what_they_do_at_the_end),
		MADE_TEST(a_renamed_thread_is_one),
		MADE_TEST(filters_apply),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
