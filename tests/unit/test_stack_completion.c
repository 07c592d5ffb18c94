/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_stack_completion.c - the upper part of a stack that was cut at a page is read from outside,
 * and put behind what was copied.
 */
#include "config.h"

#include "engine/stack_completion.h"

#include "base/clock.h"

#include "cmocka_all.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
#define DEEP 40u                         /* pages of another stack, all but the first of which could not be read */

/* A child that has two pages, numbered in words, and nothing behind them; and DEEP pages of another stack. */
struct world {
	uint64_t *pages, *deep;
	pid_t child;
	struct completion *u;
};

static int set_up(void **state)
{
	static struct world w;

	w.pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(w.pages, MAP_FAILED);
	munmap((char *)w.pages + 2 * PAGE, PAGE);
	for (unsigned int i = 0; i < 2 * PAGE / 8; i++)
		w.pages[i] = i;
	w.deep = mmap(NULL, DEEP * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(w.deep, MAP_FAILED);
	for (unsigned int i = 0; i < DEEP * PAGE / 8; i++)
		w.deep[i] = ~(uint64_t)i;
	w.child = fork();
	assert_true(w.child >= 0);
	if (!w.child)
		for (;;)
			pause();
	w.u = completion_new();
	assert_non_null(w.u);
	*state = &w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	completion_free(w->u);
	kill(w->child, SIGKILL);
	waitpid(w->child, NULL, 0);
	munmap(w->pages, 2 * PAGE);
	munmap(w->deep, DEEP * PAGE);
	return 0;
}

/* The lower page from its middle on was copied. */
static struct raw_event cut_sample(const struct world *w, pid_t tid)
{
	struct raw_event raw = { .kind = RAW_SAMPLE, .pid = tid, .tid = tid,
				 .sample = { .start_ns = 1, .user.nr_segments = 1 } };
	struct raw_segment *seg = &raw.sample.user.segment[0];

	seg->addr = (uint64_t)(uintptr_t)w->pages + PAGE / 2;
	seg->len = PAGE / 2;
	seg->bytes = (const uint8_t *)w->pages + PAGE / 2;
	seg->unreadable = true;
	return raw;
}

static void wait_for_one(struct completion *u)
{
	const uint64_t until = clock_mono_ns() + 20 * NSEC_PER_SEC;

	while (!completion_poll(u) && clock_mono_ns() < until)
		poll(NULL, 0, 1);
}

static void is_read_and_kept(void **state)
{
	struct world *w = *state;
	const struct raw_event raw = cut_sample(w, w->child);
	struct unwind_input more;

	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_ASKED);
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_ASKED);
	wait_for_one(w->u);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_READY);
		assert_int_equal(more.nr_segments, 1);
		assert_int_equal(more.segment[0].addr, raw.sample.user.segment[0].addr);
		assert_int_equal(more.segment[0].len, PAGE / 2 + PAGE);
		assert_memory_equal(more.segment[0].bytes, (const uint8_t *)w->pages + PAGE / 2, PAGE / 2 + PAGE);
	}
	/* It is a second old: asked for again. */
	poll(NULL, 0, 1100);
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_ASKED);
	wait_for_one(w->u);
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_READY);
}

static void nothing_is_to_be_had(void **state)
{
	struct world *w = *state;
	struct raw_event raw = cut_sample(w, w->child);
	struct unwind_input more;

	/* It ended because it was long enough, or there is no stack. */
	raw.sample.user.segment[0].unreadable = false;
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_NONE);
	raw.sample.user.nr_segments = 0;
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_NONE);
	/* Nothing is mapped behind it. */
	raw = cut_sample(w, w->child);
	raw.sample.user.segment[0].addr += PAGE;
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_ASKED);
	wait_for_one(w->u);
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_NONE);
	/* There is no such thread. */
	raw = cut_sample(w, 0x3ffffff);
	if (completion_extend(w->u, &raw, 0, &more) == COMPLETION_ASKED)
		wait_for_one(w->u);
	assert_int_equal(completion_extend(w->u, &raw, 0, &more), COMPLETION_NONE);
}

/*
 * What the walk does not come to the end of at once is read further, however far it is; what was
 * copied behind the hole stays as it was.
 */
static void hole_is_larger(void **state)
{
	struct world *w = *state;
	const uint64_t at = (uint64_t)(uintptr_t)w->deep;
	struct raw_event raw = cut_sample(w, w->child);
	struct raw_segment *seg = raw.sample.user.segment;
	struct unwind_input more;

	seg[0] = (struct raw_segment){ .addr = at, .len = PAGE, .bytes = (const uint8_t *)w->deep, .unreadable = true };
	assert_int_equal(completion_extend(w->u, &raw, at + PAGE, &more), COMPLETION_ASKED);
	wait_for_one(w->u);
	assert_int_equal(completion_extend(w->u, &raw, at + PAGE, &more), COMPLETION_READY);
	assert_int_equal(more.segment[0].len, 5 * PAGE);
	/* The next fault is behind that, and the one after it far behind. */
	for (unsigned int page = 5; page < DEEP; page += 30) {
		assert_int_equal(completion_extend(w->u, &raw, at + page * PAGE, &more), COMPLETION_ASKED);
		wait_for_one(w->u);
		assert_int_equal(completion_extend(w->u, &raw, at + page * PAGE, &more), COMPLETION_READY);
		assert_true(more.segment[0].len > page * PAGE);
		assert_memory_equal(more.segment[0].bytes, w->deep,
				    more.segment[0].len < DEEP * PAGE ? more.segment[0].len : DEEP * PAGE);
	}
	raw.sample.user.nr_segments = 2;
	seg[1] = (struct raw_segment){ .addr = at + 20 * PAGE, .len = PAGE, .bytes = (const uint8_t *)w->pages };
	assert_int_equal(completion_extend(w->u, &raw, at + PAGE, &more), COMPLETION_READY);
	assert_int_equal(more.segment[0].len, 20 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_read_and_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_to_be_had, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hole_is_larger, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
