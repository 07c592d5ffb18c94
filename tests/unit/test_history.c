/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_history.c - levels of the last seconds: each kind where it was, long waits where they
 * lasted, totals as they grow.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"
#include "ui/history.h"

#include <math.h>

#define MS NSEC_PER_MSEC
#define S NSEC_PER_SEC
#define END(second) (((second) + 1) * S - 1)      /* what ends then was in it */

static void assert_level(double is, double want)
{
	if (fabs(is - want) > 1e-6)
		fail_msg("%f, not %f", is, want);
}

/* The levels of KIND from START_NS to END_NS must be WANT, newest first. */
static void assert_levels(struct made *m, uint64_t start_ns, uint64_t end_ns, enum time_kind kind, const double *want)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct history h;

	history_of(s, start_ns, end_ns, &h);
	assert_int_equal(h.n, (end_ns - start_ns) / S);
	for (unsigned int i = 0; i < h.n; i++)
		assert_level(h.level[kind][i], want[i]);
}

static void each_kind_is_where_it_was(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 1, 1, "a"), b = made_thread(m, 1, 2, "b");

	made_add(m, 100 * S, a, "main", 500 * MS);
	made_add(m, 100 * S, b, "main", 1500 * MS);      /* as a sample may stand for more than its second */
	made_add(m, 101 * S, b, "main", 250 * MS);
	made_wait(m, END(101), a, "main", EVENT_BLOCKED, "read", 'S', 600 * MS);
	made_wait(m, END(102), a, "main", EVENT_RUNNABLE, "read", 'S', 300 * MS);
	made_wait(m, END(102), b, "main", EVENT_RUNNABLE, "read", 'S', 400 * MS);
	assert_levels(m, 100 * S, 103 * S + 900 * MS, TIME_RUNNING, (double[]){ 0, 0.25, 2 });
	assert_levels(m, 100 * S, 103 * S + 900 * MS, TIME_BLOCKED, (double[]){ 0, 0.6, 0 });
	assert_levels(m, 100 * S, 103 * S + 900 * MS, TIME_RUNNABLE, (double[]){ 0.7, 0, 0 });
}

static void a_long_wait_is_where_it_lasted(void **state)
{
	struct made *m = *state;
	const thread_id a = made_thread(m, 1, 1, "a"), b = made_thread(m, 1, 2, "b");

	/* Told whole when it ended, and in two pieces. */
	made_wait(m, END(105), a, "main", EVENT_BLOCKED, "read", 'S', 4500 * MS);
	made_wait(m, END(103), b, "main", EVENT_BLOCKED, "futex", 'S', 3000 * MS);
	made_wait(m, END(106), b, "main", EVENT_BLOCKED, "futex", 'S', 3000 * MS);
	assert_levels(m, 100 * S, 107 * S, TIME_BLOCKED, (double[]){ 1, 2, 2, 2, 2, 1.5, 0 });
	/* Also into seconds whose end is all that is asked for, and from after the end. */
	assert_levels(m, 102 * S, 107 * S, TIME_BLOCKED, (double[]){ 1, 2, 2, 2, 2 });
	assert_levels(m, 100 * S, 105 * S, TIME_BLOCKED, (double[]){ 2, 2, 2, 1.5, 0 });
	/* One of the run queue too. */
	made_wait(m, END(106), a, "main", EVENT_RUNNABLE, "read", 'S', 2000 * MS);
	assert_levels(m, 104 * S, 107 * S, TIME_RUNNABLE, (double[]){ 1, 1, 0 });
	/* From before time began. */
	made_wait(m, END(1), a, "main", EVENT_BLOCKED, "read", 'S', 90 * S);
	assert_levels(m, 0, 2 * S, TIME_BLOCKED, (double[]){ 89, 1 });
}

/* What is known of many threads under one name may well be more than a second a second. */
static void many_threads_wait_at_once(void **state)
{
	struct made *m = *state;

	made_wait(m, END(102), dict_other_thread(m->d), "main", EVENT_BLOCKED, "read", 'S', 30 * S);
	assert_levels(m, 100 * S, 103 * S, TIME_BLOCKED, (double[]){ 30, 0, 0 });
}

static void totals_that_grow(void **state)
{
	struct pulse p = { 0 };
	struct history before = { .n = 4, .level = { [TIME_BLOCKED] = { 7, 8, 9, 10 } } }, h;

	pulse_beat(&p, 10 * S, (uint64_t[TIME_NR]){ 0 });
	pulse_beat(&p, 10 * S + 100 * MS, (uint64_t[TIME_NR]){ [TIME_BLOCKED] = 50 * MS });      /* too soon */
	assert_int_equal(p.history.n, 0);
	pulse_beat(&p, 11 * S, (uint64_t[TIME_NR]){ [TIME_BLOCKED] = 500 * MS });
	pulse_beat(&p, 13 * S, (uint64_t[TIME_NR]){ [TIME_BLOCKED] = 4500 * MS });
	assert_int_equal(p.history.n, 3);
	history_overlay(&before, &p.history, &h);
	assert_int_equal(h.n, 4);
	assert_level(h.level[TIME_BLOCKED][0], 2);
	assert_level(h.level[TIME_BLOCKED][1], 2);
	assert_level(h.level[TIME_BLOCKED][2], 0.5);
	assert_level(h.level[TIME_BLOCKED][3], 10);
	assert_level(history_now(&h, TIME_BLOCKED), 1.5);
	/* A reset begins anew. */
	pulse_beat(&p, 14 * S, (uint64_t[TIME_NR]){ 0 });
	assert_int_equal(p.history.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(each_kind_is_where_it_was),
		MADE_TEST(a_long_wait_is_where_it_lasted),
		MADE_TEST(many_threads_wait_at_once),
		cmocka_unit_test(totals_that_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
