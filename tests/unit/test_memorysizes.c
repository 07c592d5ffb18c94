/* SPDX-License-Identifier: BSD-2-Clause */
/* test_memorysizes.c - sizes of the memory of processes: what the kernel writes, and the sums of readings. */
#include "config.h"

#include "base/clock.h"
#include "numa/procsizes.h"
#include "query/memorysizes.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MB (1024u * 1024)

static void status_is_read(void **state)
{
	struct memory_sizes s;

	(void)state;
	assert_true(memory_sizes_parse("Name:\ta\nVmSize:\t    8000 kB\nVmHWM:\t     700 kB\nRssAnon:\t 100 kB\n"
				       "RssFile:\t     20 kB\nRssShmem:\t       3 kB\nVmPTE:\t      44 kB\n", &s));
	assert_int_equal(memory_resident(&s), 123 * 1024);
	assert_int_equal(s.bytes[SIZE_PEAK], 700 * 1024);
	assert_int_equal(s.bytes[SIZE_ADDRESSES], 8000 * 1024);
	assert_int_equal(s.bytes[SIZE_TABLES], 44 * 1024);
	assert_false(s.known >> SIZE_SWAPPED & 1);
	assert_false(memory_sizes_parse("Name:\tkthreadd\nThreads:\t1\n", &s));
	assert_false(memory_sizes_parse("Name:\tRssAnon: 5 kB\n", &s));
}

static void mappings_add_up_by_kind(void **state)
{
	static const char *const lines[] = {
		"5600-5700 rw-p 00000000 00:00 0                          [heap]", "Size:       132 kB",
		"Rss:                 12 kB", "VmFlags: rd wr",
		"7f00-8000 r-xp 00001000 08:01 77                         /usr/lib/libc.so.6", "Rss:    100 kB",
		"8000-9000 r--p 00001000 08:01 77                         /usr/lib/libc.so.6", "Rss:      8 kB",
		"9000-a000 rw-p 00000000 00:00 0 ", "Rss:              4 kB", "nonsense", "Rss:     1 kB",
		"Rss:      99999999999999999999999999999 kB",
	};
	struct memory_sizes s = { 0 };
	unsigned int kind = MAPPING_UNKNOWN;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) - 1; i++) {
		char line[128];

		snprintf(line, sizeof(line), "%s", lines[i]);
		memory_sizes_line(&s, &kind, line, strlen(line));
	}
	assert_int_equal(s.bytes[SIZE_MAPPINGS + MAPPING_HEAP], 12 * 1024);
	assert_int_equal(s.bytes[SIZE_MAPPINGS + MAPPING_FILE], 108 * 1024);
	assert_int_equal(s.bytes[SIZE_MAPPINGS + MAPPING_ANON], 4 * 1024);
	assert_int_equal(s.bytes[SIZE_MAPPINGS + MAPPING_UNKNOWN], 1024);
}

static void reading(struct made *m, pid_t pid, unsigned int tenths, unsigned int size, uint64_t bytes)
{
	m->ev = (struct event){ .kind = EVENT_SIZE, .cut_module = ID_NONE, .weight = bytes, .count = 1,
				.time_ns = tenths * NSEC_PER_SEC / 10, .thread = made_thread(m, pid, pid, "app"),
				.stack = STACK_ROOT, .argument = size, .wait.waker = ID_NONE,
				.place.file = ID_NONE };
	made_again(m);
}

static struct snapshot *try_snapshot;
static const struct names *try_names;

static bool try_history(void)
{
	static const struct query plain = { .arch = MADE_ARCH };
	struct memory_history *h = NULL;
	const int r = memory_history_build(try_snapshot, try_names, &plain, &h, NULL);

	assert_true(r == 0 || r == -ENOMEM);
	memory_history_free(h);
	return !r;
}

static void history_is_a_sum(void **state)
{
	static const struct query plain = { .arch = MADE_ARCH };
	struct made *m = *state;
	struct memory_history *h;
	struct snapshot *s;

	/* One has two readings in its first second, and none in its third. */
	reading(m, 10, 10, SIZE_ANON, 4 * MB);
	reading(m, 10, 15, SIZE_ANON, 6 * MB);
	reading(m, 10, 10, SIZE_MAPPINGS + MAPPING_HEAP, 1 * MB);
	reading(m, 10, 25, SIZE_ANON, 20 * MB);
	reading(m, 10, 45, SIZE_ANON, 7 * MB);
	/* The other one is there in between. */
	reading(m, 11, 25, SIZE_FILE, 2 * MB);
	reading(m, 11, 35, SIZE_FILE, 9 * MB);
	reading(m, 11, 35, SIZE_NR + 5, 1);
	s = profile_snapshot(m->p);
	assert_int_equal(memory_history_build(s, m->names, &plain, &h, NULL), 0);
	assert_int_equal(h->moment.n, 4);
	assert_int_equal(h->moment.v[0].sizes.bytes[SIZE_ANON], 5 * MB);
	assert_int_equal(h->moment.v[1].sizes.bytes[SIZE_ANON], 20 * MB);
	assert_int_equal(memory_resident(&h->moment.v[1].sizes), 22 * MB);
	assert_int_equal(h->moment.v[1].sizes.bytes[SIZE_MAPPINGS + MAPPING_HEAP], 1 * MB);
	assert_int_equal(memory_resident(&h->moment.v[2].sizes), 29 * MB);
	assert_int_equal(memory_resident(&h->moment.v[3].sizes), 7 * MB);
	assert_int_equal(h->process.n, 2);
	assert_int_equal(memory_resident(&h->process.v[0].end), 9 * MB);
	assert_int_equal(h->process.v[0].last, 2);
	assert_int_equal(memory_resident(&h->process.v[1].begin), 5 * MB);
	assert_int_equal(h->process.v[1].most, 20 * MB);
	memory_history_free(h);
	try_snapshot = s;
	try_names = m->names;
	for (long n = 0; fail_alloc_round(n, try_history); n++)
		;
	snapshot_unref(s);
}

/* Kinds that are largest at different readings: not more than the kernel says that it ever was. */
static void the_most_is_the_largest_reading(void **state)
{
	static const struct query plain = { .arch = MADE_ARCH };
	struct made *m = *state;
	struct memory_history *h;
	struct snapshot *s;

	reading(m, 10, 10, SIZE_ANON, 1 * MB);
	reading(m, 10, 11, SIZE_ANON, 64 * MB);
	reading(m, 10, 12, SIZE_ANON, 1 * MB);
	reading(m, 11, 10, SIZE_ANON, 30 * MB);
	reading(m, 11, 11, SIZE_FILE, 30 * MB);
	reading(m, 11, 12, SIZE_ANON, 0);
	reading(m, 11, 10, SIZE_PEAK, 30 * MB);
	reading(m, 11, 12, SIZE_PEAK, 31 * MB);
	s = profile_snapshot(m->p);
	assert_int_equal(memory_history_build(s, m->names, &plain, &h, NULL), 0);
	assert_int_equal(h->moment.n, 1);
	assert_int_equal(h->moment.v[0].sizes.bytes[SIZE_ANON], (22 + 15) * MB);
	assert_int_equal(h->moment.v[0].most, (64 + 31) * MB);
	assert_int_equal(h->moment.v[0].sizes.bytes[SIZE_PEAK], 31 * MB);
	assert_int_equal(h->process.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(h->process.v[i].most, h->process.v[i].thread ==
				 made_thread(m, 10, 10, "app") ? 64 * MB : 31 * MB);
	memory_history_free(h);
	snapshot_unref(s);
}

static void nothing_was_read(void **state)
{
	static const struct query plain = { .arch = MADE_ARCH };
	struct made *m = *state;
	struct snapshot *s = profile_snapshot(m->p);
	struct memory_history *h;

	assert_int_equal(memory_history_build(s, m->names, &plain, &h, NULL), 0);
	assert_int_equal(h->moment.n + h->process.n, 0);
	memory_history_free(h);
	snapshot_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_is_read),
		cmocka_unit_test(mappings_add_up_by_kind),
		cmocka_unit_test_setup_teardown(history_is_a_sum, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(the_most_is_the_largest_reading, made_set_up, made_tear_down),
		cmocka_unit_test_setup_teardown(nothing_was_read, made_set_up, made_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
