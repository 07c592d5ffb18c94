/* SPDX-License-Identifier: BSD-2-Clause */
/* test_parked.c - copies of samples: complete, independent of the original, in order, bounded. */
#include "config.h"

#include "engine/parked.h"

#include "cmocka_all.h"

#include <string.h>

static uint8_t bytes[2][40];
static uint64_t kernel[3], walked[2];

static struct raw_event sample(pid_t pid)
{
	struct raw_event ev = { .kind = RAW_SAMPLE, .pid = pid, .tid = pid };
	struct raw_sample *s = &ev.sample;

	for (int i = 0; i < 2; i++) {
		memset(bytes[i], 0x10 + i, sizeof(bytes[i]));
		s->user.segment[i] = (struct raw_segment){ .addr = 0x1000u * (unsigned)i, .len = i ? 33 : 40,
							   .bytes = bytes[i] };
	}
	s->user.nr_segments = 2;
	for (unsigned int i = 0; i < 3; i++)
		kernel[i] = 100 + i;
	walked[0] = 7;
	walked[1] = 8;
	s->nr_kernel = 3;
	s->kernel = kernel;
	s->user.nr_walked = 2;
	s->user.walked = walked;
	return ev;
}

struct seen {
	unsigned int n;
	pid_t pids[16];
	pid_t done;              /* this one, -1 = all */
};

static bool look(void *ctx, const struct parked_sample *p)
{
	struct seen *seen = ctx;

	seen->pids[seen->n++ % 16] = p->ev.pid;
	return seen->done == -1 || seen->done == p->ev.pid;
}

static bool drop(void *ctx, const struct parked_sample *p)
{
	return true;
}

static bool compare(void *ctx, const struct parked_sample *p)
{
	const struct raw_sample *s = &p->ev.sample;

	assert_int_equal(s->kernel[2], 102);
	assert_int_equal(s->user.walked[1], 8);
	assert_int_equal(s->user.segment[0].bytes[39], 0x10);
	assert_int_equal(s->user.segment[1].bytes[32], 0x11);
	assert_int_equal(s->user.segment[1].addr, 0x1000);
	*(bool *)ctx = true;
	return true;
}

static void copies_are_deep(void **state)
{
	struct parked q;
	struct raw_event ev = sample(1);
	bool called = false;

	parked_init(&q);
	assert_true(parked_add(&q, &ev, 5, 0, NULL));
	memset(bytes, 0, sizeof(bytes));
	memset(kernel, 0, sizeof(kernel));
	memset(walked, 0, sizeof(walked));
	parked_each(&q, compare, &called);
	assert_true(called);
	assert_int_equal(q.n, 0);
	assert_int_equal(q.bytes, 0);
	parked_each(&q, drop, NULL);
}

static bool compare_hit(void *ctx, const struct parked_sample *p)
{
	const struct raw_hit *hit = &p->ev.hit;

	assert_true(hit->sum == 77 && hit->nr_args == 2 && hit->arg[0] == 21 && hit->arg[1] == 22);
	assert_true(hit->nr_texts == 2 && hit->text[0].len == 5 && !memcmp(hit->text[0].bytes, "hello", 5));
	assert_true(hit->text[1].arg == 1 && hit->text[1].len == 0);
	return compare(ctx, p);
}

/* A hit has arguments and strings beside what a sample has. */
static void hits_are_copied_whole(void **state)
{
	uint64_t args[] = { 21, 22 };
	char text[] = "hello";
	struct raw_event ev = sample(1);
	struct parked q;
	bool compared = false;

	(void)state;
	parked_init(&q);
	ev.kind = RAW_EVENT;
	ev.hit = (struct raw_hit){ .probe = 70, .count = 1, .sum = 77, .nr_args = 2, .arg = args, .nr_texts = 2,
				   .text = { { .arg = 0, .len = 5, .bytes = text },
					     { .arg = 1, .len = 0, .bytes = text } } };
	assert_true(parked_add(&q, &ev, 1, 0, NULL));
	memset(args, 0, sizeof(args));
	memset(text, 0, sizeof(text));
	memset(kernel, 0, sizeof(kernel));
	memset(walked, 0, sizeof(walked));
	memset(bytes, 0, sizeof(bytes));
	parked_each(&q, compare_hit, &compared);
	assert_true(compared);
	parked_each(&q, drop, NULL);
}

static void keeps_order_and_what_is_not_done(void **state)
{
	struct parked q;
	struct seen seen = { 0 };

	parked_init(&q);
	for (pid_t pid = 1; pid <= 3; pid++) {
		struct raw_event ev = sample(pid);

		assert_true(parked_add(&q, &ev, 0, 0, NULL));
	}
	seen.done = 2;
	parked_each(&q, look, &seen);
	assert_int_equal(seen.n, 3);
	assert_int_equal(q.n, 2);
	seen = (struct seen){ 0 };
	parked_each(&q, look, &seen);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.pids[0], 1);
	assert_int_equal(seen.pids[1], 3);

	/* The tail survives the removal of the last one. */
	seen = (struct seen){ .done = 3 };
	parked_each(&q, look, &seen);
	{
		struct raw_event ev = sample(4);

		assert_true(parked_add(&q, &ev, 0, 0, NULL));
	}
	seen = (struct seen){ 0 };
	parked_each(&q, look, &seen);
	assert_int_equal(seen.pids[0], 1);
	assert_int_equal(seen.pids[1], 4);
	parked_each(&q, drop, NULL);
	assert_null(q.head);
}

static void is_bounded(void **state)
{
	static uint8_t big[65536];
	struct parked q;
	struct raw_event ev = sample(1);
	unsigned int n = 0;

	ev.sample.user.segment[0].len = sizeof(big);
	ev.sample.user.segment[0].bytes = big;
	parked_init(&q);
	while (parked_add(&q, &ev, 0, 0, NULL))
		n++;
	assert_true(q.bytes <= PARKED_BYTES_MAX);
	assert_in_range(n, PARKED_BYTES_MAX / 65536 - 50, PARKED_BYTES_MAX / 65536);
	parked_each(&q, drop, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_deep),
		cmocka_unit_test(hits_are_copied_whole),
		cmocka_unit_test(keeps_order_and_what_is_not_done),
		cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
