/* SPDX-License-Identifier: BSD-2-Clause */
/* test_when.c - conditions of --when; what meets them of real programs: tests/live/when.sh. */
#include "config.h"

#include "base/clock.h"
#include "model/event.h"
#include "session/when.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>

static void conditions(void **state)
{
	static const struct {
		const char *text;
		struct when is;
	} cases[] = {
		{ "blocked > 200ms", { .what = WHEN_BLOCKED, .ns = 200 * NSEC_PER_MSEC } },
		{ "blocked>1s in f", { .what = WHEN_BLOCKED, .ns = NSEC_PER_SEC, .function = "f" } },
		{ " runnable >10ms  in  ns::g<int>(char const*) ",
		  { .what = WHEN_RUNNABLE, .ns = 10 * NSEC_PER_MSEC, .function = "ns::g<int>(char const*)" } },
		{ "blocked > 1h in in", { .what = WHEN_BLOCKED, .ns = 3600 * NSEC_PER_SEC, .function = "in" } },
		{ "cpu > 90% for 5s", { .what = WHEN_CPU, .ns = 5 * NSEC_PER_SEC, .percent = 90 } },
		{ "cpu>0.5%", { .what = WHEN_CPU, .ns = NSEC_PER_SEC, .percent = 0.5 } },
		{ "cpu < 6400% for 100ms",
		  { .what = WHEN_CPU, .below = true, .ns = 100 * NSEC_PER_MSEC, .percent = 6400 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct when *is = &cases[i].is;
		struct err e = ERR_INIT;
		struct when w;

		if (when_parse(cases[i].text, &w, &e))
			fail_msg("'%s': %s", cases[i].text, e.text);
		assert_int_equal(w.what, is->what);
		assert_int_equal(w.below, is->below);
		assert_int_equal(w.ns, is->ns);
		assert_true(w.percent == is->percent);
		assert_string_equal(w.function, is->function);
	}
}

static void no_conditions(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "'' is no condition: write it as 'blocked > 200ms in FUNCTION'" },
		{ "blocked", "is no condition" },
		{ "blocked >", "is no condition" },
		{ "blocked 200ms", "is no condition" },
		{ "Blocked > 200ms", "is no condition" },
		{ "memory > 5s", "is no condition" },
		{ "blocked > 200ms in", "is no condition" },
		{ "blocked > 200ms at f", "is no condition" },
		{ "blocked >> 200ms", "is not a time" },
		{ "blocked > 90%", "is not a time" },
		{ "blocked > 9ms", "is out of range: it must be from 10ms to 1h" },
		{ "blocked < 200ms", "would always be so" },
		{ "cpu > 5s", "share of a CPU '5s'" },
		{ "cpu > -5%", "share of a CPU '-5%'" },
		{ "cpu > 90% in f", "is no condition" },
		{ "cpu > 90% for", "time ''" },
		{ "cpu > 90% for 5s or so", "is no condition" },
		{ "cpu > 90% for 99ms", "is out of range" },
	};
	char text[400] = "blocked > 1s in ";
	struct err e = ERR_INIT;
	struct when w;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		e = (struct err)ERR_INIT;
		assert_true(when_parse(cases[i].text, &w, &e) < 0);
		if (!strstr(e.text, cases[i].says))
			fail_msg("'%s' does not say '%s'", e.text, cases[i].says);
	}
	memset(text + 16, 'f', WHEN_FUNCTION_MAX);
	assert_int_equal(when_parse(text, &w, &e), -EINVAL);
	text[16 + WHEN_FUNCTION_MAX - 1] = '\0';
	assert_int_equal(when_parse(text, &w, &e), 0);
}

/* CPU time of one thread: what each tenth of a second had, in ms, from 10 s on; files are counted. */
struct load {
	const struct engine_watcher *w;
	uint64_t now;
	unsigned int files;
};

static void spend(struct load *l, unsigned int times, uint64_t ms)
{
	while (times--) {
		const struct event ev = { .kind = EVENT_SAMPLE, .time_ns = l->now,
					  .weight = ms * NSEC_PER_MSEC, .count = 1 };
		char why[64] = "";

		l->w->event(l->w->ctx, &ev);
		l->now += 100 * NSEC_PER_MSEC;
		if (l->w->turn(l->w->ctx, NULL, l->now, why, sizeof(why))) {
			assert_string_equal(why, "cpu > 50% for 3s");
			l->files++;
		}
	}
}

static void cpu(void **state)
{
	static const char *const text[] = { "cpu > 50% for 3s" };
	struct load l = { .now = 10 * NSEC_PER_SEC };
	struct when_watch *w = NULL;
	struct when_figures f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(when_new(text, 1, 5 * NSEC_PER_SEC, 2, &w, &e), 0);
	l.w = when_watcher(w);
	assert_int_equal(l.w->least_wait_ns, 0);
	spend(&l, 20, 0);
	/* Two seconds and a half are no three. */
	spend(&l, 25, 60);
	spend(&l, 25, 0);
	assert_int_equal(l.files, 0);
	/* 90 % of them above, and one second below. */
	spend(&l, 20, 90);
	spend(&l, 10, 40);
	spend(&l, 20, 90);
	assert_int_equal(l.files, 0);
	spend(&l, 10, 90);
	assert_int_equal(l.files, 1);
	/* within the pause, which the six seconds that follow are beyond */
	spend(&l, 30, 90);
	assert_int_equal(l.files, 1);
	spend(&l, 30, 90);
	assert_int_equal(l.files, 2);
	/* no third one */
	spend(&l, 100, 90);
	assert_int_equal(l.files, 2);
	when_figures(w, &f);
	assert_int_equal(f.files, 2);
	assert_int_equal(f.paused, 1);
	assert_int_equal(f.over, 3);
	when_free(w);
}

static void too_many(void **state)
{
	const char *text[WHEN_MAX + 1];
	struct when_watch *w = NULL;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i <= WHEN_MAX; i++)
		text[i] = "blocked > 30ms";
	assert_int_equal(when_new(text, WHEN_MAX + 1, 1, 1, &w, &e), -E2BIG);
	text[3] = "runnable > 20ms";
	assert_int_equal(when_new(text, WHEN_MAX, 1, 1, &w, &e), 0);
	assert_int_equal(when_watcher(w)->least_wait_ns, 20 * NSEC_PER_MSEC);
	when_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions),
		cmocka_unit_test(no_conditions),
		cmocka_unit_test(cpu),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
