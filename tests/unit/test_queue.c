/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_queue.c - events come out of the recorder's queue as they were put in, and an empty one
 * begins at its start again.
 */
#include "config.h"

#include "record/queue.h"

#include "cmocka_all.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define MANY (20u * QUEUE_EVENTS)

static struct event_queue *new_queue(void)
{
	struct event_queue *q = calloc(1, sizeof(*q));

	assert_non_null(q);
	q->event = calloc(QUEUE_EVENTS, sizeof(*q->event));
	assert_non_null(q->event);
	return q;
}

static void free_queue(struct event_queue *q)
{
	free(q->event);
	free(q);
}

static void put(struct event_queue *q, uint64_t number, uint32_t want_fill)
{
	const struct event ev = { .time_ns = number };
	uint32_t fill = 0;

	assert_true(queue_put(q, &ev, &fill));
	assert_int_equal(fill, want_fill);
	assert_int_equal(queue_fill(q), want_fill);
}

static void take(struct event_queue *q, uint64_t number)
{
	const struct event *ev = queue_peek(q);

	assert_non_null(ev);
	assert_int_equal(ev->time_ns, number);
	queue_drop(q);
}

static void an_empty_one_begins_at_its_start(void **state)
{
	struct event_queue *q = new_queue();
	uint64_t in = 0, out = 0;

	for (int round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < 3; i++)
			put(q, in++, i + 1);
		assert_ptr_equal(queue_peek(q), q->event);
		for (uint32_t i = 0; i < 3; i++)
			take(q, out++);
		assert_null(queue_peek(q));
		assert_int_equal(queue_fill(q), 0);
	}
	for (uint32_t i = 3; i < QUEUE_EVENTS; i++)
		assert_int_equal(q->event[i].time_ns, 0);
	free_queue(q);
}

static void one_that_is_never_empty_goes_round(void **state)
{
	struct event_queue *q = new_queue();
	uint64_t in = 0, out = 0;

	put(q, in++, 1);
	while (in < 3 * QUEUE_EVENTS) {
		put(q, in++, 2);
		take(q, out++);
	}
	take(q, out++);
	assert_null(queue_peek(q));
	free_queue(q);
}

static void a_full_one_takes_no_more(void **state)
{
	struct event_queue *q = new_queue();
	struct event late = { .time_ns = 1 };
	uint32_t fill = 7;

	for (uint32_t i = 0; i < QUEUE_EVENTS; i++)
		put(q, i, i + 1);
	assert_false(queue_put(q, &late, &fill));
	assert_int_equal(queue_fill(q), QUEUE_EVENTS);
	for (uint32_t i = 0; i < QUEUE_EVENTS; i++)
		take(q, i);
	put(q, 0, 1);
	free_queue(q);
}

/* Numbers count on as 32 bits do. */
static void it_outlasts_its_numbers(void **state)
{
	struct event_queue *q = new_queue();

	atomic_store(&q->head, UINT32_MAX - 1);
	atomic_store(&q->tail, UINT32_MAX - 1);
	put(q, 1, 1);
	assert_ptr_equal(queue_peek(q), q->event);
	take(q, 1);
	atomic_store(&q->head, UINT32_MAX);
	atomic_store(&q->tail, UINT32_MAX - 1);
	for (uint32_t i = 2; i < 6; i++)
		put(q, i, i);
	queue_drop(q);
	for (uint32_t i = 2; i < 6; i++)
		take(q, i);
	assert_null(queue_peek(q));
	free_queue(q);
}

/* Returns how many did not come as they were put. */
static void *consume(void *arg)
{
	struct event_queue *q = arg;
	uintptr_t wrong = 0;

	for (uint64_t n = 0; n < MANY;) {
		const struct event *ev = queue_peek(q);

		if (!ev) {
			sched_yield();
			continue;
		}
		wrong += ev->time_ns != n || ev->weight != ~n;
		queue_drop(q);
		n++;
	}
	return (void *)wrong;
}

/* Bursts with pauses, after which it is empty or nearly so. */
static void two_threads_lose_nothing(void **state)
{
	struct event_queue *q = new_queue();
	pthread_t consumer;
	uint32_t fill;
	void *wrong;

	assert_int_equal(pthread_create(&consumer, NULL, consume, q), 0);
	for (uint64_t n = 0; n < MANY;) {
		const struct event ev = { .time_ns = n, .weight = ~n };

		if (!queue_put(q, &ev, &fill)) {
			sched_yield();
			continue;
		}
		if (++n % 61 == 0)
			while (queue_fill(q) > n % 3)
				sched_yield();
	}
	assert_int_equal(pthread_join(consumer, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(queue_fill(q), 0);
	free_queue(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_begins_at_its_start),
		cmocka_unit_test(one_that_is_never_empty_goes_round),
		cmocka_unit_test(a_full_one_takes_no_more),
		cmocka_unit_test(it_outlasts_its_numbers),
		cmocka_unit_test(two_threads_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
