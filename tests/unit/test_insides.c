/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_insides.c - how long the calls took that samples were inside of: events wait until that is known, whichever way
 * the call ends, and are told once, with their weight.
 */
#include "config.h"

#include "base/clock.h"
#include "engine/event_sink.h"
#include "engine/insides.h"
#include "model/inside.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#define MS NSEC_PER_MSEC
#define LOG 70000u

struct world {
	struct insides *in;
	struct event_sink sink;
	uint64_t now_ns;
	unsigned int told;
	uint64_t inside, weight;         /* of the last one told, and of all */
};

static void observe(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct world *w = ctx;

	if (raw)
		return;
	w->told++;
	w->inside = ev->inside;
	w->weight += ev->weight;
	for (unsigned int i = 0; i < INSIDE_MAX; i++)
		assert_int_equal(ev->calls[i], 0);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->in = insides_new();
	assert_non_null(w->in);
	w->sink.insides = w->in;
	w->sink.observer = observe;
	w->sink.observer_ctx = w;
	w->now_ns = 1000 * MS;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	insides_free(w->in);
	free(w);
	return 0;
}

#define INSIDES_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* The call of PROBE that began at MS_ milliseconds. */
static uint64_t call(uint32_t probe, uint64_t ms)
{
	return (uint64_t)probe << RAW_INSIDE_AT | ms * MS;
}

static void at(struct world *w, uint64_t ms)
{
	w->now_ns = ms * MS;
}

/* A sample of 1 ms of the thread TID, which says that it is inside of A and B (0 = no call). */
static void sample(struct world *w, pid_t tid, uint64_t a, uint64_t b)
{
	const struct raw_event raw = { .kind = RAW_SAMPLE, .pid = 1, .tid = tid, .time_ns = w->now_ns,
				       .sample = { .start_ns = (uint64_t)tid, .inside = { a, b } } };
	struct event ev = { .kind = EVENT_SAMPLE, .count = 1, .weight = MS };

	insides_see(w->in, &raw);
	if (a)
		insides_name(w->in, &raw, &ev);
	event_sink_add(&w->sink, &ev);
}

static void end_as(struct world *w, pid_t tid, uint64_t ended, uint64_t took_ms, bool unwanted)
{
	const struct raw_event raw = { .kind = RAW_INSIDE, .pid = 1, .tid = tid, .time_ns = w->now_ns,
				       .sample.start_ns = (uint64_t)tid,
				       .inside = { .call = ended, .took_ns = took_ms * MS, .unwanted = unwanted } };

	insides_see(w->in, &raw);
	insides_tell(w->in, &w->sink, false);
}

static void end(struct world *w, pid_t tid, uint64_t ended, uint64_t took_ms)
{
	end_as(w, tid, ended, took_ms, false);
}

static void thread_ends(struct world *w, pid_t tid)
{
	const struct raw_event raw = { .kind = RAW_EXIT, .pid = 1, .tid = tid, .time_ns = w->now_ns,
				       .sample.start_ns = (uint64_t)tid };

	insides_see(w->in, &raw);
	insides_tell(w->in, &w->sink, false);
}

static void what_is_outside_does_not_wait(void **state)
{
	struct world *w = *state;

	sample(w, 1, 0, 0);
	assert_int_equal(w->told, 1);
	assert_int_equal(w->inside, 0);
	sample(w, 1, RAW_INSIDE_UNKNOWN, 0);
	assert_int_equal(w->told, 2);
	assert_true(w->inside == INSIDE_NOT_KNOWN);
}

static void a_call_is_told_when_it_has_ended(void **state)
{
	struct world *w = *state;

	at(w, 1010);
	sample(w, 1, call(3, 1000), 0);
	at(w, 1020);
	sample(w, 1, call(3, 1000), 0);
	insides_tell(w->in, &w->sink, false);
	assert_int_equal(w->told, 0);
	at(w, 1030);
	end(w, 1, call(3, 1000), 29);
	assert_int_equal(w->told, 2);
	assert_int_equal(w->weight, 2 * MS);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(29 * MS));
	/* What was sampled before it ended, and comes behind that. */
	at(w, 1029);
	sample(w, 1, call(3, 1000), 0);
	assert_int_equal(w->told, 3);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(29 * MS));
}

static void calls_in_calls(void **state)
{
	struct world *w = *state;

	at(w, 1010);
	sample(w, 1, call(3, 1000), call(5, 1005));
	at(w, 1011);
	end(w, 1, call(5, 1005), 6);
	assert_int_equal(w->told, 0);
	/* Another thread, whose calls began at the same moments. */
	end(w, 2, call(3, 1000), 11);
	assert_int_equal(w->told, 0);
	at(w, 1050);
	end(w, 1, call(3, 1000), 50);
	assert_int_equal(w->told, 1);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(50 * MS));
	assert_int_equal(inside_class_of(w->inside, 5), inside_class(6 * MS));
}

/* Nobody tells the end of a call that longjmp() or an exception left: the thread is seen outside of it. */
static void a_call_that_was_left(void **state)
{
	struct world *w = *state;

	at(w, 1010);
	sample(w, 1, call(3, 1000), call(5, 1005));
	at(w, 1020);
	sample(w, 1, call(3, 1000), 0);
	insides_tell(w->in, &w->sink, false);
	assert_int_equal(w->told, 0);            /* the outer one goes on */
	at(w, 1040);
	sample(w, 1, 0, 0);
	insides_tell(w->in, &w->sink, false);
	assert_int_equal(w->told, 3);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(20 * MS) | INSIDE_SO_FAR);
	/* The same function again is another call. */
	at(w, 1060);
	sample(w, 1, call(3, 1050), 0);
	insides_tell(w->in, &w->sink, false);
	assert_int_equal(w->told, 3);
}

static void a_thread_that_ends_in_a_call(void **state)
{
	struct world *w = *state;

	at(w, 1010);
	sample(w, 1, call(3, 1000), 0);
	sample(w, 2, call(3, 1000), 0);
	at(w, 1025);
	thread_ends(w, 1);
	assert_int_equal(w->told, 1);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(25 * MS) | INSIDE_SO_FAR);
	/* Another thread of its number is another one. */
	at(w, 1030);
	end(w, 2, call(3, 1000), 30);
	assert_int_equal(w->told, 2);
}

static void a_call_whose_condition_does_not_hold(void **state)
{
	struct world *w = *state;

	at(w, 1010);
	sample(w, 1, call(3, 1000), call(5, 1005));
	end_as(w, 1, call(5, 1005), 5, true);
	end(w, 1, call(3, 1000), 12);
	assert_int_equal(w->told, 1);
	assert_int_equal(w->inside, inside_with(0, 3, inside_class(12 * MS)));
}

static void what_goes_on_is_shown_as_long_as_it_is(void **state)
{
	struct world *w = *state;
	struct event_sink shown = w->sink;
	fact_list facts = { 0 };

	at(w, 1010);
	sample(w, 1, call(3, 1000), 0);
	shown.provisional = &facts;
	insides_rest(w->in, &shown);
	assert_int_equal(w->told, 1);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(10 * MS) | INSIDE_SO_FAR);
	/* For good it is told once more, with all that it took. */
	at(w, 1300);
	end(w, 1, call(3, 1000), 300);
	assert_int_equal(w->told, 2);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(300 * MS));
	at(w, 1400);
	sample(w, 1, call(3, 1390), 0);
	insides_tell(w->in, &w->sink, true);
	assert_int_equal(w->told, 3);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(10 * MS) | INSIDE_SO_FAR);
	vec_free(&facts);
}

/* However many events wait, and however many calls there are, each event is told once. */
static void bounded_whatever_comes(void **state)
{
	struct world *w = *state;
	unsigned int sent = 0;

	at(w, 1010);
	for (unsigned int i = 0; i < LOG; i++, sent++)
		sample(w, 1, call(3, 1000), 0);
	assert_int_equal(w->told, LOG - 65536);
	assert_int_equal(inside_class_of(w->inside, 3), inside_class(10 * MS) | INSIDE_SO_FAR);
	at(w, 1020);
	end(w, 1, call(3, 1000), 20);
	assert_int_equal(w->told, sent);
	for (pid_t tid = 10; tid < 50010; tid++, sent++)
		sample(w, tid, call(3, 1000), 0);
	insides_tell(w->in, &w->sink, true);
	assert_int_equal(w->told, sent);
	assert_int_equal(w->weight, sent * MS);
	/* And places are used again. */
	for (pid_t tid = 10; tid < 50010; tid++)
		end(w, tid, call(3, 1000), 20);
	for (unsigned int i = 0; i < 40000; i++, sent++) {
		at(w, 2000 + i);
		sample(w, 1, call(3, 2000 + i), 0);
		end(w, 1, call(3, 2000 + i), 1);
	}
	assert_int_equal(w->told, sent);
	assert_int_equal(w->inside, inside_with(0, 3, inside_class(MS)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		INSIDES_TEST(what_is_outside_does_not_wait),
		INSIDES_TEST(a_call_is_told_when_it_has_ended),
		INSIDES_TEST(calls_in_calls),
		INSIDES_TEST(a_call_that_was_left),
		INSIDES_TEST(a_thread_that_ends_in_a_call),
		INSIDES_TEST(a_call_whose_condition_does_not_hold),
		INSIDES_TEST(what_goes_on_is_shown_as_long_as_it_is),
		INSIDES_TEST(bounded_whatever_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
