/* SPDX-License-Identifier: BSD-2-Clause */
/* test_timeview.c - what a strip of time is made from: also of what has not ended; ranges go out to slices. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include "base/clock.h"
#include "base/hash.h"
#include "query/timerange.h"
#include "query/timeview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define S NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static void assert_sum(const struct timeview *tv, uint64_t from, uint64_t to, double running, double blocked)
{
	double ns[TIME_NR];

	heat_sum(&tv->heat, from, to, ns);
	assert_true(ns[TIME_RUNNING] >= running * 0.999 - 1 && ns[TIME_RUNNING] <= running * 1.001 + 1);
	assert_true(ns[TIME_BLOCKED] >= blocked * 0.999 - 1 && ns[TIME_BLOCKED] <= blocked * 1.001 + 1);
}

static struct fact under_way(struct made *m, thread_id t, enum event_kind kind, uint64_t ns)
{
	struct event ev = { .kind = (uint8_t)kind, .thread = t, .stack = made_stack(m, "main;wait"),
			    .weight = ns, .count = 1, .wait = { .waker = ID_NONE } };
	struct fact f;

	assert_int_equal(profile_fact(m->p, &ev, &f), 0);
	return f;
}

/* It ends now, and began as long ago as it weighs; the profile itself does not have it. */
static void what_has_not_ended_is_there(void **state)
{
	AUTO(timeview_free) struct timeview *tv = NULL;
	struct fact f[2];
	struct snapshot *s;
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 7, 7, "app");
	made_add(&m, 12 * S + 500 * MS, t, "main;work", 10 * MS);
	f[0] = under_way(&m, t, EVENT_BLOCKED, 2500 * MS);
	f[1] = under_way(&m, t, EVENT_SAMPLE, 100 * MS);
	assert_int_equal(profile_provisional(m.p, 14 * S + 500 * MS, 15 * S, f, 2), 0);
	s = profile_snapshot(m.p);
	tv = timeview_new(s, m.names, NULL);
	assert_non_null(tv);
	assert_sum(tv, 12 * S, 13 * S, 10. * MS, 500. * MS);
	assert_sum(tv, 13 * S, 14 * S, 0, 1. * S);
	assert_sum(tv, 14 * S, 15 * S, 100. * MS, 1. * S);
	assert_sum(tv, 0, 100 * S, 110. * MS, 2500. * MS);
	assert_int_equal(snapshot_heat(s)->columns.n, 1);
	timeview_free(tv);
	tv = NULL;
	snapshot_unref(s);
	made_free(&m);
}

/* Waits that end together lie over each other, the longest at the bottom; each kind by itself. */
static void waits_lie_over_each_other(void **state)
{
	AUTO(timeview_free) struct timeview *tv = NULL;
	double ns[TIME_NR];
	struct fact f[5];
	struct snapshot *s;
	struct made m;

	made_init(&m, NULL);
	for (unsigned int i = 0; i < 5; i++) {
		static const uint64_t ms[] = { 500, 2500, 1500, 2500, 700 };

		f[i] = under_way(&m, made_thread(&m, 7, (pid_t)(7 + i), "app"),
				 i < 4 ? EVENT_BLOCKED : EVENT_RUNNABLE, ms[i] * MS);
	}
	assert_int_equal(profile_provisional(m.p, 14 * S + 500 * MS, 15 * S, f, 5), 0);
	s = profile_snapshot(m.p);
	tv = timeview_new(s, m.names, NULL);
	assert_non_null(tv);
	assert_sum(tv, 0, 12 * S + 500 * MS, 0, 0);
	assert_sum(tv, 12 * S + 500 * MS, 13 * S, 0, 1. * S);
	assert_sum(tv, 13 * S, 14 * S, 0, 2.5 * S);
	assert_sum(tv, 14 * S, 15 * S, 0, 3.5 * S);
	heat_sum(&tv->heat, 14 * S, 15 * S, ns);
	assert_true(ns[TIME_RUNNABLE] > 699. * MS && ns[TIME_RUNNABLE] < 701. * MS);
	timeview_free(tv);
	tv = NULL;
	snapshot_unref(s);
	made_free(&m);
}

/* Those of one thread follow each other, in whatever stacks they were: there are never more threads than one. */
static void waits_of_a_thread_follow_each_other(void **state)
{
	AUTO(timeview_free) struct timeview *tv = NULL;
	struct fact f[3];
	struct snapshot *s;
	struct made m;

	made_init(&m, NULL);
	for (unsigned int i = 0; i < 3; i++) {
		f[i] = under_way(&m, made_thread(&m, 7, i ? 7 : 8, "app"), EVENT_BLOCKED, 300 * MS);
		if (i == 2)
			f[i].stack = made_stack(&m, "main;other");
	}
	assert_int_equal(profile_provisional(m.p, 14 * S + 500 * MS, 15 * S, f, 3), 0);
	s = profile_snapshot(m.p);
	tv = timeview_new(s, m.names, NULL);
	assert_non_null(tv);
	assert_sum(tv, 14 * S + 400 * MS, 14 * S + 700 * MS, 0, 300. * MS);
	assert_sum(tv, 14 * S + 700 * MS, 15 * S, 0, 600. * MS);
	timeview_free(tv);
	tv = NULL;
	snapshot_unref(s);
	made_free(&m);
}

static void assert_asked(const struct timeview *tv, uint64_t from, uint64_t to, double running, double blocked)
{
	double ns[TIME_NR];

	assert_true(tv->filtered);
	heat_sum(&tv->asked, from, to, ns);
	assert_true(ns[TIME_RUNNING] >= running * 0.999 - 1 && ns[TIME_RUNNING] <= running * 1.001 + 1);
	assert_true(ns[TIME_BLOCKED] >= blocked * 0.999 - 1 && ns[TIME_BLOCKED] <= blocked * 1.001 + 1);
}

/*
 * What is asked for is known by slices, wherever it was in them; what a wait was before the first
 * slice was before that.
 */
static void filters_leave_their_part(void **state)
{
	/* the range makes no difference */
	struct query q = { .from_ns = 50 * S, .to_ns = 51 * S, .states = 1u << WAIT_UNINTERRUPTIBLE };
	AUTO(timeview_free) struct timeview *tv = NULL;
	struct snapshot *s;
	struct made m;
	thread_id t, other;

	made_init(&m, NULL);
	t = made_thread(&m, 7, 7, "app");
	other = made_thread(&m, 7, 8, "other");
	made_add(&m, 12 * S + 500 * MS, t, "main;work", 10 * MS);
	made_add(&m, 12 * S + 500 * MS, other, "main;work", 10 * MS);
	made_wait(&m, 14 * S + 500 * MS, t, "main;read", EVENT_BLOCKED, "read", 'D', 3 * S);
	made_wait(&m, 14 * S + 200 * MS, t, "main;read", EVENT_BLOCKED, "read", 'D', 100 * MS);
	made_wait(&m, 14 * S + 500 * MS, other, "main;read", EVENT_BLOCKED, "read", 'S', 3 * S);
	s = profile_snapshot(m.p);
	tv = timeview_new(s, m.names, &q);
	assert_non_null(tv);
	assert_asked(tv, 0, 100 * S, 0, 3100. * MS);
	assert_asked(tv, 12 * S, 12 * S + 500 * MS, 0, 500. * MS);
	assert_asked(tv, 13 * S, 14 * S, 0, 1000. * MS);
	assert_asked(tv, 14 * S, 15 * S, 0, 600. * MS);
	assert_sum(tv, 0, 100 * S, 20. * MS, 6100. * MS);
	timeview_free(tv);
	tv = NULL;
	snapshot_unref(s);
	made_free(&m);
}

static void assert_rounds(const struct snapshot *s, uint64_t from, uint64_t to, uint64_t real_from, uint64_t real_to)
{
	assert_true(timeview_round_out(s, &from, &to));
	assert_int_equal(from, real_from);
	assert_int_equal(to, real_to);
}

static void ranges_go_out_to_slices(void **state)
{
	uint64_t from = 20 * S, to = 21 * S;
	struct snapshot *s;
	struct made m;
	thread_id t;

	made_init(&m, NULL);
	t = made_thread(&m, 7, 7, "app");
	for (unsigned int i = 10; i < 14; i++)
		made_add(&m, i * S + 500 * MS, t, "main;work", 10 * MS);
	made_add(&m, 40 * S, t, "main;work", 10 * MS);
	s = profile_snapshot(m.p);
	assert_rounds(s, 11 * S, 12 * S, 11 * S, 12 * S);
	assert_rounds(s, 11 * S + 200 * MS, 12 * S + 1, 11 * S, 13 * S);
	assert_rounds(s, 0, 100 * S, 0, 100 * S);
	assert_rounds(s, 13 * S + 999 * MS, 40 * S + 1, 13 * S, 41 * S);
	assert_false(timeview_round_out(s, &from, &to));
	assert_true(from == 20 * S && to == 21 * S);
	from = 41 * S;
	to = UINT64_MAX;
	assert_false(timeview_round_out(s, &from, &to));
	snapshot_unref(s);
	made_free(&m);
}

static struct made little;

static bool with_little_memory(void)
{
	struct snapshot *s = profile_snapshot(little.p);
	struct timeview *tv = s ? timeview_new(s, little.names, NULL) : NULL;
	const bool ok = tv;

	timeview_free(tv);
	snapshot_unref(s);
	return ok;
}

static void lack_of_memory_is_survived(void **state)
{
	made_init(&little, NULL);
	made_add(&little, 12 * S, made_thread(&little, 7, 7, "app"), "main;work", 10 * MS);
	for (long n = 0; fail_alloc_round(n, with_little_memory); n++)
		;
	made_free(&little);
}

/* Nanoseconds and events of what is in the range of Q. */
static void range_sums(struct made *m, struct query *q, uint64_t *ret_ns, uint64_t *ret_count)
{
	const struct tree *t = made_look(m, q);

	*ret_ns = t->node[0].total_ns;
	*ret_count = t->node[0].count;
}

/* FROM_NS to TO_NS of a capture, in a store as a page looks at it, and in one as --time reads a recording. */
static void assert_same_range(struct made *live, struct made *file, const struct profile_meta *meta, uint64_t from_ns,
			      uint64_t to_ns)
{
	AUTO(snapshot_unref) struct snapshot *seen = profile_snapshot(live->p), *read = profile_snapshot(file->p);
	struct time_range r = { .from.ns = from_ns, .to.ns = to_ns };
	struct query q = { .measures = MEASURES_WALL }, again = q;
	uint64_t from, to, report_from, report_to, ns, count, ns_again, count_again;
	char text[64];

	assert_true(time_range_show(&r, seen, meta, &q, &from, &to));
	assert_true(from < to);
	range_sums(live, &q, &ns, &count);
	/* To the nanosecond, and as the page says it, which leaves off what is below a millisecond. */
	for (uint64_t unit = 1; unit <= MS; unit *= MS) {
		snprintf(text, sizeof(text), "%" PRIu64 "ns,%" PRIu64 "ns", from / unit * unit, to / unit * unit);
		assert_int_equal(time_range_parse(text, &r, NULL), 0);
		time_range_apply(&r, read, meta, &again, &report_from, &report_to);
		range_sums(file, &again, &ns_again, &count_again);
		assert_int_equal(ns_again, ns);
		assert_int_equal(count_again, count);
	}
}

/*
 * A range that is chosen on a page has the totals of report --time of the range that the page then names, in a store
 * whose old slices are merged, too, and where the range begins or ends with the capture or is shorter than a slice.
 */
static void ranges_have_the_totals_of_a_report(void **state)
{
	const struct profile_limits limits[] = {
		{ .slice_ns = TIME_SLICE_NS, .keep_fine_ns = 4 * S },
		{ .slice_ns = TIME_SLICE_NS, .keep_fine_ns = UINT64_MAX / 4 },
	};
	const struct profile_meta meta = { .start_mono_ns = 10 * S + 37 * MS + 123457, .duration_ns = 20 * S };
	uint64_t r = 1;
	struct made m[2];

	for (unsigned int i = 0; i < 2; i++) {
		made_init(&m[i], &limits[i]);
		for (uint64_t at = 1; at < 2000; at++) {
			const uint64_t ns = meta.start_mono_ns + at * 10 * MS;
			const thread_id t = made_thread(&m[i], 7, (pid_t)(7 + at % 3), "app");

			made_add(&m[i], ns, t, at % 5 ? "main;f" : "main;g", 10 * MS + at);
			if (!(at % 40))
				made_wait(&m[i], ns + 7, t, "main;h", EVENT_BLOCKED, "futex", 'S', 357 * MS + at);
			profile_advance(m[i].p, ns);
		}
		profile_advance(m[i].p, meta.start_mono_ns + meta.duration_ns);
	}
	assert_same_range(&m[0], &m[1], &meta, 0, 100 * MS);
	assert_same_range(&m[0], &m[1], &meta, 0, 20 * S);
	assert_same_range(&m[0], &m[1], &meta, 19 * S, 40 * S);
	assert_same_range(&m[0], &m[1], &meta, 19 * S + 500 * MS, 19 * S + 500 * MS + 1);
	for (unsigned int i = 0; i < 200; i++) {
		const uint64_t from = (r = hash_u64(r + 1)) % (19 * S);
		const uint64_t to = from + 1 + hash_u64(r) % (i % 2 ? 300 * MS : 10 * S);

		assert_same_range(&m[0], &m[1], &meta, from, to < 19 * S ? to : 19 * S + 1);
	}
	made_free(&m[0]);
	made_free(&m[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_not_ended_is_there),
		cmocka_unit_test(waits_lie_over_each_other),
		cmocka_unit_test(waits_of_a_thread_follow_each_other),
		cmocka_unit_test(filters_leave_their_part),
		cmocka_unit_test(ranges_go_out_to_slices),
		cmocka_unit_test(ranges_have_the_totals_of_a_report),
		cmocka_unit_test(lack_of_memory_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
