/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hit_sums.c - hits that were not told one by one become events of their own: number and weight
 * stay exact, and what was told keeps how long it took.
 */
#include "config.h"

#include "base/clock.h"
#include "engine/hit_sums.h"
#include "model/probes.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

#define US NSEC_PER_USEC
#define LOG 4u

struct world {
	struct event_sink sink;
	unsigned int n;
	struct event ev[LOG];
};

static void observe(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	assert_null(raw);
	assert_true(w->n < LOG);
	w->ev[w->n++] = *ev;
}

static uint32_t probe(const char *text, enum measure_unit unit)
{
	return probes_add(text, strlen(text), unit);
}

/* A hit of PROBE that took OWN_NS and is told with the others: COUNT in all, which weigh WEIGHT. */
static void tell(struct world *w, uint32_t probe, uint64_t own_ns, uint32_t count, uint64_t weight)
{
	const struct event ev = { .kind = EVENT_HIT, .argument = probe, .count = count, .weight = weight };
	const struct raw_event raw = { .kind = RAW_EVENT, .time_ns = NSEC_PER_SEC,
				       .hit = { .begun_ns = NSEC_PER_SEC - own_ns } };

	*w = (struct world){ .sink = { .observer = observe, .observer_ctx = w } };
	hit_sums_tell(&w->sink, &raw, &ev);
}

static void what_is_told_keeps_its_length(void **state)
{
	const uint32_t timed = probe("call:app:f", UNIT_TIME), counted = probe("uprobe:app:f", UNIT_COUNT);
	struct world w;

	(void)state;
	tell(&w, timed, 300 * US, 1, 300 * US);
	assert_int_equal(w.n, 1);
	assert_int_equal(w.ev[0].weight, 300 * US);
	assert_int_equal(w.ev[0].flags, 0);
	tell(&w, timed, 300 * US, 10, 1000 * US);
	assert_int_equal(w.n, 2);
	assert_int_equal(w.ev[0].count, 1);
	assert_int_equal(w.ev[0].weight, 300 * US);
	assert_int_equal(w.ev[1].count, 9);
	assert_int_equal(w.ev[1].weight, 700 * US);
	assert_int_equal(w.ev[1].flags, EVENT_F_EXTRAPOLATED);
	tell(&w, counted, 0, 10, 10);
	assert_int_equal(w.ev[0].weight, 1);
	assert_int_equal(w.ev[1].weight, 9);
	/* What cannot be is no more than all there is. */
	tell(&w, timed, 300 * US, 2, 5);
	assert_int_equal(w.ev[0].weight, 5);
	assert_int_equal(w.ev[1].weight, 0);
}

static void parts_of_sums_too(void **state)
{
	const struct event ev = { .kind = EVENT_HIT, .argument = probe("call:app:f", UNIT_TIME) };
	const unsigned int at = wait_bucket(100 * US);
	struct source_sum_part part = { .blocked_ns = 50 * 100 * US, .count = 50 };
	struct world w = { .sink = { .observer = observe, .observer_ctx = &w } };
	struct hit_sums *h = hit_sums_new(NULL, NULL, &w.sink);

	(void)state;
	assert_non_null(h);
	hit_sums_add(h, &ev, &part, at);
	assert_int_equal(w.n, 1);
	assert_int_equal(w.ev[0].count, 50);
	assert_int_equal(w.ev[0].weight, 5000 * US);
	/* 40 of them were not told, and were much longer: those of the part are no longer than its lengths. */
	part = (struct source_sum_part){ .blocked_ns = 50 * 900 * US, .runnable_ns = 40, .count = 50 };
	w.n = 0;
	hit_sums_add(h, &ev, &part, at);
	assert_int_equal(w.n, 2);
	assert_int_equal(w.ev[0].count, 10);
	assert_int_equal(wait_bucket(w.ev[0].weight / 10), at);
	assert_int_equal(w.ev[1].count, 40);
	assert_int_equal(w.ev[1].flags, EVENT_F_EXTRAPOLATED);
	assert_int_equal(w.ev[0].weight + w.ev[1].weight, part.blocked_ns);
	/* ... or much shorter. */
	part.blocked_ns = 50 * 50 * US;
	w.n = 0;
	hit_sums_add(h, &ev, &part, at);
	assert_int_equal(wait_bucket(w.ev[0].weight / 10), at);
	assert_int_equal(w.ev[0].weight + w.ev[1].weight, part.blocked_ns);
	hit_sums_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_keeps_its_length),
		cmocka_unit_test(parts_of_sums_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
