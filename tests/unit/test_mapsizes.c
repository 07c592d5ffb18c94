/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_mapsizes.c - maps of the BPF programs grow with CPUs and threads, within bounds, and are as
 * small as they can be when unused.
 */
#include "config.h"

#include "capture/mapsizes.h"

#include "bpf/wire.h"
#include "capture/rulebook.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <unistd.h>

static struct map_sizes sizes_of(const struct capture_plan *plan, uint32_t nr_cpus, struct target_size size)
{
	struct cpu_layout l = { .nr_cpus = nr_cpus, .node = calloc(nr_cpus, sizeof(uint32_t)) };
	struct map_sizes s;

	assert_non_null(l.node);
	assert_int_equal(cpu_layout_deal(&l, NULL), 0);
	s = map_sizes_of(plan, &l, size);
	assert_int_equal(s.cpus, nr_cpus);
	assert_int_equal(s.rings, l.nr_rings);
	cpu_layout_free(&l);
	return s;
}

/* Of a target whose code is not known. */
static struct map_sizes sizes(const struct capture_plan *plan, uint32_t nr_cpus, uint32_t threads)
{
	return sizes_of(plan, nr_cpus, (struct target_size){ .threads = threads });
}

static const struct capture_plan some = { .target = TARGET_PIDS, .stack_bytes = 32768, .off_cpu = true,
					  .walk_rules = true };
static const struct capture_plan everything = { .target = TARGET_ALL, .stack_bytes = 32768, .off_cpu = true,
						.walk_rules = true };

static void what_is_not_used_has_one_element(void **state)
{
	const struct capture_plan plan = { .target = TARGET_ALL, .stack_bytes = 4096 };
	const struct map_sizes s = sizes(&plan, 512, 100000);

	assert_int_equal(s.slots, 1);
	assert_int_equal(s.totals, 1);
	assert_int_equal(s.sums, 1);
	assert_int_equal(s.walks, 1);
	assert_int_equal(s.pages, 1);
	assert_int_equal(s.rules, 1);
	assert_int_equal(s.spaces, 1);
	assert_int_equal(s.mapped, 1);
}

static void frame_pointers_need_no_rules(void **state)
{
	struct capture_plan plan = some;
	struct map_sizes s;

	plan.frame_pointers = true;
	s = sizes(&plan, 8, 100);
	assert_int_equal(s.walks, 1);
	assert_int_equal(s.pages, 1);
	assert_int_equal(s.sums, 1);
	assert_int_equal(s.totals, TOTALS_FEW);
}

static void small_machines_have_the_least(void **state)
{
	struct map_sizes s = sizes(&some, 2, 300);

	assert_int_equal(s.slots, SLOTS_FEW);
	assert_int_equal(s.totals, TOTALS_FEW);
	assert_int_equal(s.sums, SUMS);
	assert_int_equal(s.pages, RULEBOOK_PAGES);
	assert_int_equal(s.rules, SB_RULES);
	assert_int_equal(s.chunks, 4);
	assert_int_equal(s.walks, 4);
	s = sizes(&everything, 2, 300);
	assert_int_equal(s.slots, SLOTS_MANY);
	assert_int_equal(s.totals, TOTALS_MANY);
}

/*
 * Whoever runs has a slot, so there must be more of them than CPUs; every thread has a total for
 * running and one for waiting.
 */
static void large_machines_have_room_for_all_who_run(void **state)
{
	const struct map_sizes s = sizes(&everything, 2048, 100000), p = sizes(&some, 2048, 100000);

	assert_true(s.slots > 2048 && p.slots > 2048);
	assert_true(s.totals >= 2 * 100000 && p.totals >= 2 * 100000);
	assert_int_equal(s.walks, 2 * 2048);
	assert_true(s.mapped >= MAPPED_MAX + 2048 * SPARE_PER_CPU);
	assert_int_equal(s.sums, SUMS);
}

static void threads_without_end_have_a_bound(void **state)
{
	assert_int_equal(sizes(&everything, 2, UINT32_MAX).totals, TOTALS_MAX);
}

static void slots_are_whole_pages(void **state)
{
	struct capture_plan plan = some;

	assert_int_equal(sizes(&plan, 1, 0).slot_bytes, 32768 + SLOT_EXTRA);
	plan.stack_bytes = SB_STACK_MIN + 1;
	assert_int_equal(sizes(&plan, 1, 0).slot_bytes, 2 * 4096 + SLOT_EXTRA);
}

static void *sleep_until_cancelled(void *ignored)
{
	for (;;)
		pause();
	return ignored;
}

static void threads_of_the_target_are_counted(void **state)
{
	uint32_t own[] = { (uint32_t)getpid(), (uint32_t)getpid() };
	struct capture_plan plan = { .target = TARGET_PIDS, .ids = { .v = own, .n = 1 } };
	pthread_t t[3];

	assert_int_equal(map_sizes_target(&plan).threads, 1);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&t[i], NULL, sleep_until_cancelled, NULL), 0);
	assert_int_equal(map_sizes_target(&plan).threads, 4);
	plan.ids.n = 2;
	assert_int_equal(map_sizes_target(&plan).threads, 8);
	plan.target = TARGET_TIDS;
	assert_int_equal(map_sizes_target(&plan).threads, 2);
	plan.target = TARGET_ALL;
	assert_true(map_sizes_target(&plan).threads >= 4);
	for (size_t i = 0; i < 3; i++) {
		pthread_cancel(t[i]);
		pthread_join(t[i], NULL);
	}
	own[0] = 0;
	plan.target = TARGET_PIDS;
	plan.ids.n = 1;
	assert_int_equal(map_sizes_target(&plan).threads, 0);
}

static void many_threads_have_more_slots(void **state)
{
	assert_int_equal(sizes(&some, 2, 1000).slots, 1000);
	assert_int_equal(sizes(&everything, 2, 3000).slots, 3000);
	assert_int_equal(sizes(&everything, 2, 100000).slots, SLOTS_MAX);
}

/* One with 7 threads and 2 MB of code needs a third of what one needs of which nothing is known. */
static void small_targets_have_small_maps(void **state)
{
	const struct target_size small = { .threads = 7, .processes = 1, .code_bytes = 2 << 20 };
	const struct map_sizes s = sizes_of(&some, 2, small), all = sizes_of(&everything, 2, small);

	assert_int_equal(s.slots, SLOTS_LEAST);
	assert_int_equal(s.pages, ((4 << 20) + CODE_TO_COME) / SB_TEXT_BYTES);
	assert_int_equal(s.spaces, SPACES_LEAST);
	assert_int_equal(s.rules, SB_RULES);
	assert_int_equal(all.slots, SLOTS_MANY);
	assert_int_equal(all.pages, RULEBOOK_PAGES);
	assert_int_equal(all.spaces, RULEBOOK_SPACES);
}

static void large_targets_have_what_there_is(void **state)
{
	const struct map_sizes s =
		sizes_of(&some, 2, (struct target_size){ .threads = 600, .processes = 500,
							 .code_bytes = UINT64_MAX / 4 });

	assert_int_equal(s.slots, 600);
	assert_int_equal(s.pages, RULEBOOK_PAGES);
	assert_int_equal(s.spaces, RULEBOOK_SPACES);
}

static void code_of_the_target_is_measured(void **state)
{
	uint32_t own[] = { (uint32_t)getpid(), (uint32_t)getpid() };
	struct capture_plan plan = { .target = TARGET_PIDS, .ids = { .v = own, .n = 1 } };
	const struct target_size one = map_sizes_target(&plan);

	assert_int_equal(one.processes, 1);
	assert_in_range(one.code_bytes, 1 << 20, 1 << 30);       /* libc alone has more */
	plan.ids.n = 2;
	assert_int_equal(map_sizes_target(&plan).code_bytes, 2 * one.code_bytes);
	plan.to_come = true;
	assert_int_equal(map_sizes_target(&plan).code_bytes, 0);
	plan.to_come = false;
	plan.name = "later";
	assert_int_equal(map_sizes_target(&plan).code_bytes, 0);
	plan.name = NULL;
	own[1] = 0;
	assert_int_equal(map_sizes_target(&plan).code_bytes, 0);
	plan.target = TARGET_ALL;
	assert_int_equal(map_sizes_target(&plan).code_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_used_has_one_element),
		cmocka_unit_test(frame_pointers_need_no_rules),
		cmocka_unit_test(small_machines_have_the_least),
		cmocka_unit_test(large_machines_have_room_for_all_who_run),
		cmocka_unit_test(threads_without_end_have_a_bound),
		cmocka_unit_test(slots_are_whole_pages),
		cmocka_unit_test(many_threads_have_more_slots),
		cmocka_unit_test(threads_of_the_target_are_counted),
		cmocka_unit_test(small_targets_have_small_maps),
		cmocka_unit_test(large_targets_have_what_there_is),
		cmocka_unit_test(code_of_the_target_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
