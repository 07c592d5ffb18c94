/* SPDX-License-Identifier: BSD-2-Clause */
/* test_heat.c - time by second and offset: what is periodic is found, however long ago, in bounded memory. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include "profile/heat.h"

#include <stdlib.h>
#include <string.h>

#define S NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static void assert_near(double is, double wanted)
{
	if (is < wanted - 1e-3 * wanted - 1 || is > wanted + 1e-3 * wanted + 1)
		fail_msg("%.0f is not %.0f", is, wanted);
}

static void assert_sum(const struct heat *h, uint64_t from, uint64_t to, double running,
		       double runnable, double blocked)
{
	double ns[TIME_NR];

	heat_sum(h, from, to, ns);
	assert_near(ns[TIME_RUNNING], running);
	assert_near(ns[TIME_RUNNABLE], runnable);
	assert_near(ns[TIME_BLOCKED], blocked);
}

static void time_lies_where_it_was(void **state)
{
	struct heat h = { 0 };
	double row[HEAT_ROWS];

	heat_add(&h, TIME_BLOCKED, 10 * S + 990 * MS, 13 * S + 30 * MS, (double)(2040 * MS));
	heat_add(&h, TIME_RUNNING, 12 * S + 500 * MS, 12 * S + 510 * MS, (double)(20 * MS));
	assert_int_equal(h.columns.n, 4);
	assert_sum(&h, 0, 100 * S, 20. * MS, 0, 2040. * MS);
	assert_sum(&h, 11 * S, 12 * S, 0, 0, 1000. * MS);
	assert_sum(&h, 10 * S, 11 * S, 0, 0, 10. * MS);
	assert_sum(&h, 13 * S, 14 * S, 0, 0, 30. * MS);
	assert_sum(&h, 12 * S + 500 * MS, 12 * S + 520 * MS, 20. * MS, 0, 20. * MS);
	assert_sum(&h, 12 * S + 510 * MS, 12 * S + 520 * MS, 10. * MS, 0, 10. * MS);     /* rows are even */
	heat_offsets(&h, TIME_BLOCKED, 13 * S, 14 * S, row);
	assert_near(row[0], 20. * MS);
	assert_near(row[1], 10. * MS);
	assert_near(row[2], 0);
	heat_free(&h);
	assert_int_equal(h.columns.n, 0);
	assert_sum(&h, 0, 100 * S, 0, 0, 0);
}

static void add_event(struct heat *h, enum event_kind kind, uint64_t time_ns, uint64_t weight)
{
	heat_event(h, &(struct event){ .kind = (uint8_t)kind, .time_ns = time_ns, .weight = weight });
}

static void events_tell_what_was_before_them(void **state)
{
	struct heat h = { 0 };

	add_event(&h, EVENT_SAMPLE, 5 * S + 102 * MS, 10 * MS);          /* a sample is in the middle, */
	assert_sum(&h, 5 * S + 100 * MS, 5 * S + 120 * MS, 7. * MS, 0, 0);
	assert_sum(&h, 5 * S + 80 * MS, 5 * S + 100 * MS, 3. * MS, 0, 0);
	add_event(&h, EVENT_BLOCKED, 5 * S, 3 * S);                      /* a wait ends there */
	assert_sum(&h, 2 * S, 3 * S, 0, 0, 1. * S);
	assert_sum(&h, 5 * S, 6 * S, 10. * MS, 0, 0);
	add_event(&h, EVENT_RUNNABLE, 5 * S + 40 * MS, 40 * MS);
	assert_sum(&h, 5 * S, 5 * S + 20 * MS, 0, 20. * MS, 0);
	add_event(&h, EVENT_FAULT, 6 * S, 40 * MS);                      /* no time */
	add_event(&h, EVENT_ACCESS, 6 * S, 40 * MS);
	assert_sum(&h, 0, 100 * S, 10. * MS, 40. * MS, 3. * S);
	heat_free(&h);
}

/* Waits that were counted for a second and are told at its end were anywhere in it, whatever stacks they had. */
static void counted_waits_lie_in_the_time_in_which_they_were_counted(void **state)
{
	struct heat h = { 0 };

	for (unsigned int stack = 0; stack < 10; stack++)
		heat_event(&h, &(struct event){ .kind = EVENT_RUNNABLE, .time_ns = 7 * S, .weight = 50 * MS,
						.count = 100, .wait.own_ns = 500000 });
	assert_sum(&h, 6 * S, 7 * S, 0, 500. * MS, 0);
	assert_sum(&h, 6 * S, 6 * S + 500 * MS, 0, 247.5 * MS, 0);
	heat_free(&h);
	/* One that stands for two more: itself where it was. */
	heat_event(&h, &(struct event){ .kind = EVENT_BLOCKED, .time_ns = 7 * S, .weight = 300 * MS, .count = 3,
					.wait.own_ns = 100 * MS });
	assert_sum(&h, 6 * S + 900 * MS, 7 * S, 0, 0, 120. * MS);
	assert_sum(&h, 6 * S, 7 * S, 0, 0, 300. * MS);
	/* More than a second of them, and before time was counted. */
	heat_event(&h, &(struct event){ .kind = EVENT_BLOCKED, .time_ns = 20 * S, .weight = 4 * S, .count = 40 });
	assert_sum(&h, 16 * S, 17 * S, 0, 0, 1. * S);
	heat_event(&h, &(struct event){ .kind = EVENT_BLOCKED, .time_ns = 500 * MS, .weight = 100 * MS, .count = 4 });
	assert_sum(&h, 0, 500 * MS, 0, 0, 100. * MS);
	heat_free(&h);
}

/* 200 ms of every second blocked, at one offset, while the rest runs: seen in the rows after hours, too. */
static void what_is_periodic_stays_in_its_rows(void **state)
{
	const uint64_t seconds = 8 * 3600;
	struct heat h = { 0 };
	double row[HEAT_ROWS];

	for (uint64_t s = 100; s < 100 + seconds; s++) {
		add_event(&h, EVENT_BLOCKED, s * S + 500 * MS, 200 * MS);
		for (uint64_t ms = 505; ms < 1300; ms += 10)
			add_event(&h, EVENT_SAMPLE, s * S + ms * MS, 10 * MS);
	}
	assert_true(h.columns.n <= HEAT_COLUMNS_MAX);
	assert_true(heat_bytes(&h) < 1300000);
	assert_sum(&h, 0, UINT64_MAX, 800. * MS * (double)seconds, 0, 200. * MS * (double)seconds);
	heat_offsets(&h, TIME_BLOCKED, 0, UINT64_MAX, row);
	for (unsigned int i = 0; i < HEAT_ROWS; i++)
		assert_near(row[i] / (double)seconds, i >= 15 && i < 25 ? 20. * MS : 0);
	heat_offsets(&h, TIME_RUNNING, 1000 * S, 2000 * S, row);         /* long merged */
	for (unsigned int i = 0; i < HEAT_ROWS; i++)
		assert_near(row[i] / 1000, i < 15 || i >= 25 ? 20. * MS : 0);
	heat_offsets(&h, TIME_BLOCKED, (90 + seconds) * S, (91 + seconds) * S, row);    /* still fine */
	assert_near(row[14], 0);
	assert_near(row[15], 20. * MS);
	heat_free(&h);
}

static void columns_are_in_order(const struct heat *h)
{
	for (size_t i = 0; i < h->columns.n; i++) {
		assert_true(h->columns.v[i]->from_ns < h->columns.v[i]->to_ns);
		assert_true(!i || h->columns.v[i - 1]->to_ns <= h->columns.v[i]->from_ns);
	}
	assert_true(h->columns.n <= HEAT_COLUMNS_MAX);
}

/* Whatever a recording says: any time, any length, in any order. */
static void any_time_is_bounded(void **state)
{
	static const uint64_t times[] = { 0, 1, S, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2, 5000 * S,
					  UINT64_MAX - S, 3 * S };
	const size_t n = sizeof(times) / sizeof(times[0]);
	struct heat h = { 0 };
	double ns[TIME_NR];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			add_event(&h, EVENT_BLOCKED, times[i], times[k]);
	columns_are_in_order(&h);
	for (uint64_t i = 0; i < 20000; i++)
		add_event(&h, EVENT_SAMPLE, i * 7919 % 20011 * 3 * S, 3 * S);
	columns_are_in_order(&h);
	heat_sum(&h, 0, UINT64_MAX, ns);
	assert_true(ns[TIME_RUNNING] > 0 && ns[TIME_BLOCKED] > 0);
	heat_free(&h);
}

/* Who has a copy sees nothing of what comes later. */
static void copies_stay_as_they_are(void **state)
{
	struct heat h = { 0 }, copy = { 0 };

	heat_add(&h, TIME_RUNNING, 5 * S, 7 * S, (double)S);
	assert_true(heat_share(&copy, &h));
	assert_ptr_equal(copy.columns.v[0], h.columns.v[0]);
	heat_add(&h, TIME_RUNNING, 6 * S, 8 * S, (double)S);
	heat_add(&copy, TIME_BLOCKED, 5 * S, 6 * S, (double)S);
	assert_sum(&copy, 0, 10 * S, 1. * S, 0, 1. * S);
	assert_sum(&h, 0, 10 * S, 2. * S, 0, 0);
	heat_free(&h);
	assert_sum(&copy, 0, 10 * S, 1. * S, 0, 1. * S);
	heat_free(&copy);
}

static void with_little_memory(void)
{
	struct heat h = { 0 }, copy = { 0 };
	double ns[TIME_NR];

	heat_add(&h, TIME_RUNNING, 5 * S, 7 * S, (double)(2 * S));
	if (heat_share(&copy, &h))
		assert_int_equal(copy.columns.n, h.columns.n);
	else
		assert_int_equal(copy.columns.n, 0);
	heat_add(&h, TIME_RUNNING, 5 * S, 8 * S, (double)(3 * S));
	heat_sum(&copy, 0, 100 * S, ns);
	assert_true(ns[TIME_RUNNING] <= 2. * S);
	heat_sum(&h, 0, 100 * S, ns);
	assert_true(ns[TIME_RUNNING] <= 5. * S);
	columns_are_in_order(&h);
	heat_free(&h);
	heat_free(&copy);
}

static void lack_of_memory_loses_no_more_than_it_must(void **state)
{
	for (long n = 0; fail_alloc_try(n, with_little_memory); n++)
		;
}

/* Snapshots have it, and forgetting forgets it. */
static void a_profile_keeps_it(void **state)
{
	struct made m;
	struct snapshot *s;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 7, 7, "app");
	made_add(&m, 12 * S + 345 * MS, t, "main;work", 10 * MS);
	made_wait(&m, 14 * S, t, "main;read", EVENT_BLOCKED, "read", 'S', S);
	s = profile_snapshot(m.p);
	made_add(&m, 12 * S + 350 * MS, t, "main;work", 10 * MS);
	assert_sum(snapshot_heat(s), 0, 100 * S, 10. * MS, 0, 1. * S);
	assert_sum(snapshot_heat(s), 12 * S + 340 * MS, 12 * S + 360 * MS, 10. * MS, 0, 0);
	assert_sum(snapshot_heat(s), 13 * S, 14 * S, 0, 0, 1. * S);
	profile_clear(m.p);
	snapshot_unref(s);
	s = profile_snapshot(m.p);
	assert_int_equal(snapshot_heat(s)->columns.n, 0);
	snapshot_unref(s);
	made_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_lies_where_it_was),
		cmocka_unit_test(events_tell_what_was_before_them),
		cmocka_unit_test(counted_waits_lie_in_the_time_in_which_they_were_counted),
		cmocka_unit_test(what_is_periodic_stays_in_its_rows),
		cmocka_unit_test(any_time_is_bounded),
		cmocka_unit_test(copies_stay_as_they_are),
		cmocka_unit_test(lack_of_memory_loses_no_more_than_it_must),
		cmocka_unit_test(a_profile_keeps_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
