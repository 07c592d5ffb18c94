/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spanfilter.c - time inside and outside of calls, by how long these took, and the slow ones beside others
 * (query/spanfilter.h, query/spandiff.h). Percentiles are those of all calls, of which few may have been seen inside.
 */
#include "config.h"

#include "base/clock.h"
#include "model/probes.h"
#include "query/spandiff.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <string.h>

#define MS NSEC_PER_MSEC

static uint32_t handle(void)
{
	return probes_add("call:app:handle", strlen("call:app:handle"), UNIT_TIME);
}

static thread_id thread(struct made *m)
{
	return made_thread(m, 7, 7, "app");
}

static void calls(struct made *m, const char *stack, uint32_t n, uint64_t each_ns)
{
	made_calls(m, 1, thread(m), stack, handle(), n, each_ns);
}

/* A sample of the thread that says it is INSIDE. */
static void sample(struct made *m, const char *stack, uint64_t inside, uint64_t weight)
{
	m->ev = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE, .time_ns = 1,
				.weight = weight, .thread = thread(m), .stack = made_stack(m, stack), .count = 1,
				.inside = inside };
	made_again(m);
}

static uint64_t asked_ms(struct made *m, const struct query *q)
{
	return made_look(m, q)->node[0].total_ns / MS;
}

static struct span_limit limit(const char *text)
{
	struct err e = ERR_INIT;
	struct span_limit l;

	assert_int_equal(span_limit_parse(text, &l, &e), 0);
	return l;
}

static struct query inside(void)
{
	return (struct query){ .measures = MEASURES_ON_CPU, .span = (uint8_t)(handle() + 1),
			       .span_where = SPAN_INSIDE };
}

static struct span_figures figures(struct made *m, const struct query *q)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	struct span_figures f;
	struct err e = ERR_INIT;

	assert_non_null(s);
	assert_int_equal(span_figures(s, m->names, q, &f, &e), 0);
	return f;
}

static int sides(struct made *m, const struct query *q, struct span_sides *ret, struct err *e)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);

	assert_non_null(s);
	return span_sides(s, m->names, q, ret, e);
}

static void lengths_as_they_are_written(void **state)
{
	static const char *const wrong[] = { "", "p", "p0", "p101", "p99x", "quick", "-1ms", "> ", "10 bananas" };
	struct span_limit l;
	struct err e = ERR_INIT;

	assert_true(limit("p99").percent == 99 && !limit("p99").ns);
	assert_int_equal(limit("P1").percent, 1);
	assert_int_equal(limit("p100").percent, 100);
	assert_true(limit("10ms").ns == 10 * MS && !limit("10ms").percent);
	assert_int_equal(limit("> 2us").ns, 2000);
	assert_int_equal(limit(">= p50").percent, 50);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(span_limit_parse(wrong[i], &l, &e), -EINVAL);
		assert_true(strstr(e.text, "is no "));
	}
}

static void inside_outside_and_not_known(void **state)
{
	struct made *m = *state;
	struct query q = inside();
	struct span_figures f;

	calls(m, "main;handle;work", 10, 3 * MS);
	sample(m, "main;between", 0, 7 * MS);
	sample(m, "main;other", inside_with(0, handle() + 1, 5), 2 * MS);        /* in a call of another probe */
	sample(m, "main;gone", INSIDE_NOT_KNOWN, 5 * MS);
	assert_int_equal(asked_ms(m, &q), 30);
	q.span_where = SPAN_OUTSIDE;
	assert_int_equal(asked_ms(m, &q), 9);
	q.span_where = SPAN_ALL;
	q.by_span = true;
	assert_int_equal(asked_ms(m, &q), 44);
	assert_int_equal(made_look(m, &q)->node[0].nr_children, 3);
	f = figures(m, &q);
	assert_int_equal(f.calls, 10);
	assert_int_equal(f.ns[SPAN_PLACE_INSIDE], 30 * MS);
	assert_int_equal(f.ns[SPAN_PLACE_OUTSIDE], 9 * MS);
	assert_int_equal(f.ns[SPAN_PLACE_NOT_KNOWN], 5 * MS);
}

static void by_how_long_they_took(void **state)
{
	struct made *m = *state;
	struct query q = inside();

	calls(m, "main;handle;fast", 990, 1 * MS);
	calls(m, "main;handle;slow", 10, 20 * MS);
	q.span_from = limit("p99");
	assert_int_equal(asked_ms(m, &q), 200);
	q.span_from = limit("15ms");
	assert_int_equal(asked_ms(m, &q), 200);
	q.span_from = (struct span_limit){ 0 };
	q.span_to = limit("15ms");
	assert_int_equal(asked_ms(m, &q), 990);
	q.span_from = limit("p25");
	q.span_to = limit("p75");
	assert_int_equal(asked_ms(m, &q), 990);          /* all of one length are in one class */
	q.span_from = limit("2ms");
	q.span_to = limit("10ms");
	assert_int_equal(asked_ms(m, &q), 0);
}

/* Of 10,000 calls two were seen, a short one and a long one. */
static void percentiles_are_those_of_all_calls(void **state)
{
	struct made *m = *state;
	struct query q = inside();
	struct span_figures f;

	made_hits(m, 1, thread(m), "main;handle", handle(), 9000, 9000 * 100000ull);
	made_hits(m, 1, thread(m), "main;handle", handle(), 1000, 1000 * 3 * MS);
	sample(m, "main;handle;fast", inside_with(0, handle(), inside_class(100000)), 10 * MS);
	sample(m, "main;handle;slow", inside_with(0, handle(), inside_class(3 * MS)), 10 * MS);
	q.span_from = limit("p95");
	f = figures(m, &q);
	assert_int_equal(f.calls, 10000);
	assert_in_range(f.asked, 900, 1000);
	assert_in_range(f.from_ns, 2800000, 3200000);
	assert_int_equal(f.counted, 1);
	q.span_from = limit("p50");
	f = figures(m, &q);
	assert_in_range(f.from_ns, 95000, 105000);
}

/* Nothing was seen inside of most calls: they are as many all the same. */
static void calls_that_nothing_was_seen_of(void **state)
{
	static const uint64_t us[] = { 1, 3, 5, 12, 24, 50, 100, 200, 400, 900, 1500 };
	struct made *m = *state;
	struct query q = inside();
	struct span_figures f;
	uint64_t n = 20000;

	for (size_t i = 0; i < sizeof(us) / sizeof(*us); i++, n /= 2)
		made_hits(m, 1, thread(m), "main;handle", handle(), (uint32_t)n, n * us[i] * 1000);
	sample(m, "main;handle;work", inside_with(0, handle(), inside_class(24000)), 1 * MS);
	q.span_from = limit("p1");
	f = figures(m, &q);
	assert_in_range(f.asked, f.calls * 98 / 100, f.calls);
	q.span_from = limit("p50");
	f = figures(m, &q);
	assert_in_range(f.asked, f.calls * 40 / 100, f.calls * 60 / 100);
	assert_in_range(f.from_ns, 1000, 4000);
	q.span_from = limit("p99");
	f = figures(m, &q);
	assert_in_range(f.asked, f.calls / 200, f.calls / 50);
	assert_in_range(f.from_ns, 100000, 500000);
}

static void calls_that_have_not_ended(void **state)
{
	struct made *m = *state;
	struct query q = inside();
	struct span_figures f;

	calls(m, "main;handle;fast", 100, 1 * MS);
	sample(m, "main;handle;stuck", inside_with(0, handle(), inside_class(50 * MS) | INSIDE_SO_FAR), 4 * MS);
	sample(m, "main;handle;lost", inside_with(0, handle(), INSIDE_NO_LENGTH), 2 * MS);
	assert_int_equal(asked_ms(m, &q), 106);
	/* What lasted so long is slow, whenever it ends; of what was shorter nobody knows. */
	q.span_from = limit("20ms");
	assert_int_equal(asked_ms(m, &q), 4);
	q.span_from = limit("60ms");
	assert_int_equal(asked_ms(m, &q), 0);
	q.span_from = (struct span_limit){ 0 };
	q.span_to = limit("60ms");
	assert_int_equal(asked_ms(m, &q), 100);
	f = figures(m, &q);
	assert_int_equal(f.open_ns, 6 * MS);
}

static void slow_calls_beside_others(void **state)
{
	struct made *m = *state;
	struct query q = inside();
	struct span_sides s;
	struct err e = ERR_INIT;
	char text[256];

	span_compare(&q, handle());
	assert_int_equal(sides(m, &q, &s, &e), -ENODATA);
	calls(m, "main;handle;fast", 980, 1 * MS);
	assert_int_equal(sides(m, &q, &s, &e), -ERANGE);
	assert_true(strstr(e.text, "are among those that they would be compared with"));
	calls(m, "main;handle;slow", 20, 20 * MS);
	assert_int_equal(sides(m, &q, &s, &e), 0);
	assert_int_equal(s.calls[DIFF_BEFORE], 980);
	assert_int_equal(s.calls[DIFF_AFTER], 20);
	assert_int_equal(asked_ms(m, &s.query[DIFF_BEFORE]), 980);
	assert_int_equal(asked_ms(m, &s.query[DIFF_AFTER]), 400);
	assert_true(strstr(span_side_text(&s, DIFF_AFTER, text, sizeof(text)), "(p99): 20 of 1,000"));
	assert_string_equal(span_side_name(&q, DIFF_BEFORE), "median");
	/* Those that are fast instead of those around the median. */
	q = inside();
	q.span_from = limit("10ms");
	q.span_than_to = limit("2ms");
	span_compare(&q, handle());
	assert_string_equal(span_side_name(&q, DIFF_BEFORE), "fast");
	assert_int_equal(sides(m, &q, &s, &e), 0);
	assert_int_equal(s.calls[DIFF_BEFORE], 980);
	q.span_from = limit("1s");
	assert_int_equal(sides(m, &q, &s, &e), -ENODATA);
	assert_true(strstr(e.text, "no call of call:app:handle took as long as 1.00 s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_as_they_are_written),
		MADE_TEST(inside_outside_and_not_known),
		MADE_TEST(by_how_long_they_took),
		MADE_TEST(percentiles_are_those_of_all_calls),
		MADE_TEST(calls_that_nothing_was_seen_of),
		MADE_TEST(calls_that_have_not_ended),
		MADE_TEST(slow_calls_beside_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
