/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_loader.c - results come back, a load that hangs is given up and its thread replaced, and
 * nothing waits for it.
 */
#include "config.h"

#include "base/clock.h"
#include "process/loader.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define LIMIT (200 * NSEC_PER_MSEC)

/* A pipe stands for a file system that does not answer: a load of "hang" reads from it, and closing it lets go. */
static int gate[2];

static int load(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	char c;

	if (!strcmp(p->path, "hang") && read(gate[0], &c, 1) < 0)
		return err_set(e, errno, "the gate failed");
	if (!strcmp(p->path, "bad"))
		return err_set(e, ENOENT, "there is no such file");
	*ret = (struct loaded){ .not_elf = true, .fd = -1, .mark.size = (off_t)id->ino };
	return 0;
}

static struct loader *setup(void)
{
	struct loader *l = NULL;

	assert_int_equal(pipe(gate), 0);
	assert_int_equal(loader_new(load, NULL, 2, LIMIT, &l, NULL), 0);
	return l;
}

static bool add(struct loader *l, uint32_t tag, const char *path)
{
	const struct file_id id = { .ino = 1000 + tag };
	const struct place p = { .path = (char *)path };

	return loader_add(l, tag, &id, &p);
}

/* Waits on the fd, as an event loop does; fails the test when nothing comes for 10 s. */
static void take(struct loader *l, struct load_result *ret)
{
	const uint64_t end = clock_mono_ns() + 10 * NSEC_PER_SEC;

	while (!loader_take(l, ret)) {
		struct pollfd pfd = { .fd = loader_fd(l), .events = POLLIN };

		assert_true(clock_mono_ns() < end);
		assert_true(poll(&pfd, 1, 10000) >= 0);
	}
}

static void results_come_back(void **state)
{
	struct loader *l = setup();
	struct load_result r;
	uint32_t seen = 0;

	for (uint32_t tag = 0; tag < 20; tag++)
		assert_true(add(l, tag, tag == 7 ? "bad" : "good"));
	for (uint32_t i = 0; i < 20; i++) {
		take(l, &r);
		seen |= 1u << r.tag;
		assert_int_equal(r.status, r.tag == 7 ? -ENOENT : 0);
		if (r.tag == 7)
			assert_string_equal(r.err.text, "there is no such file");
		else
			assert_int_equal(r.loaded.mark.size, 1000 + r.tag);
	}
	assert_int_equal(seen, (1u << 20) - 1);
	assert_int_equal(loader_pending(l), 0);
	assert_false(loader_take(l, &r));
	loader_free(l);
	close(gate[0]);
	close(gate[1]);
}

static void a_load_that_hangs_is_given_up(void **state)
{
	struct loader *l = setup();
	struct load_result r;

	/* Both threads hang; what waits behind them is loaded by their replacements. */
	add(l, 1, "hang");
	add(l, 2, "hang");
	add(l, 3, "good");
	for (int i = 0; i < 3; i++) {
		take(l, &r);
		assert_int_equal(r.status, r.tag == 3 ? 0 : -ETIMEDOUT);
	}
	assert_int_equal(loader_hung(l), 2);

	/* They come back, bring what they have after all, and end. */
	close(gate[1]);
	for (uint32_t seen = 0; seen != (1 << 1 | 1 << 2); seen |= 1u << r.tag) {
		take(l, &r);
		assert_int_equal(r.status, 0);
		assert_true(r.late);
	}
	for (const uint64_t end = clock_mono_ns() + 10 * NSEC_PER_SEC; loader_hung(l);) {
		assert_true(clock_mono_ns() < end);
		poll(NULL, 0, 1);
	}
	add(l, 4, "good");
	take(l, &r);
	assert_int_equal(r.tag, 4);
	assert_int_equal(r.status, 0);
	assert_false(r.late);
	assert_int_equal(loader_pending(l), 0);
	loader_free(l);
	close(gate[0]);
}

static void threads_left_behind_are_bounded(void **state)
{
	struct loader *l = setup();
	struct load_result r;
	uint32_t failed = 0;

	for (uint32_t i = 0; i < LOADER_HUNG_MAX + 10; i++)
		add(l, i, "hang");
	for (uint32_t i = 0; i < LOADER_HUNG_MAX + 10; i++) {
		take(l, &r);
		failed += r.status == -ETIMEDOUT;
	}
	assert_int_equal(failed, LOADER_HUNG_MAX + 10);
	assert_true(loader_hung(l) <= LOADER_HUNG_MAX + 2);
	close(gate[1]);
	for (const uint64_t end = clock_mono_ns() + 10 * NSEC_PER_SEC; loader_hung(l);) {
		assert_true(clock_mono_ns() < end);
		poll(NULL, 0, 1);
	}
	/* Those that came back work again. */
	add(l, 99, "good");
	do {
		take(l, &r);
		assert_int_equal(r.late, r.tag != 99);
	} while (r.tag != 99);
	assert_int_equal(r.status, 0);
	loader_free(l);
	close(gate[0]);
}

static void freeing_does_not_wait_for_ever(void **state)
{
	struct loader *l = setup();
	const uint64_t before = clock_mono_ns();

	add(l, 1, "hang");
	add(l, 2, "good");
	loader_free(l);
	assert_true(clock_mono_ns() - before < 5 * NSEC_PER_SEC);
	close(gate[1]);
	loader_free(NULL);
}

static void the_queue_is_bounded(void **state)
{
	struct loader *l = setup();
	struct load_result r;
	uint32_t n = 0;

	while (add(l, n, "good"))
		n++;
	assert_int_equal(n, LOADER_QUEUE_MAX);
	take(l, &r);
	assert_true(add(l, n, "good"));
	loader_free(l);
	close(gate[0]);
	close(gate[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(a_load_that_hangs_is_given_up),
		cmocka_unit_test(threads_left_behind_are_bounded),
		cmocka_unit_test(the_queue_is_bounded),
		cmocka_unit_test(freeing_does_not_wait_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
