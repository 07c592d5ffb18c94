/* SPDX-License-Identifier: BSD-2-Clause */
/* test_areas.c - what an address is in, by lines as the kernel writes them; which mappings are stacks of threads. */
#include "config.h"

#include "numa/areas.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define MB (UINT64_C(1) << 20)

static const uint64_t huge_devs[] = { 0x123456, 0 };

static bool add(struct areas *a, const char *text)
{
	char line[256];
	struct maps_line m;

	snprintf(line, sizeof(line), "%s", text);
	assert_true(maps_parse(line, strlen(line), &m));
	return areas_add(a, &m, huge_devs, 1);
}

/* What a mapping "1000-2000" with PERMS, "dev ino  name" REST is for. */
static enum mapping_kind kind(const char *perms, const char *rest)
{
	struct areas a = { 0 };
	enum mapping_kind k;
	char line[256];

	snprintf(line, sizeof(line), "1000-2000 %s 00000000 %s", perms, rest);
	assert_true(add(&a, line));
	k = area_kind(areas_find(&a, 0x1800), 0x1800);
	areas_free(&a);
	return k;
}

static void what_names_say(void **state)
{
	char huge[64];

	assert_int_equal(kind("rw-p", "00:00 0 "), MAPPING_ANON);
	assert_int_equal(kind("rw-p", "00:00 0   [heap]"), MAPPING_HEAP);
	assert_int_equal(kind("rw-p", "00:00 0   [stack]"), MAPPING_STACK);
	assert_int_equal(kind("rw-p", "00:00 0   [stack:17]"), MAPPING_STACK);
	assert_int_equal(kind("rw-p", "00:00 0   [anon:v8 heap]"), MAPPING_ANON);
	assert_int_equal(kind("rw-p", "00:00 0   [anon:stack_and_tls:9]"), MAPPING_STACK);
	assert_int_equal(kind("rw-s", "00:01 7   [anon_shmem:queue]"), MAPPING_SHARED);
	assert_int_equal(kind("r-xp", "00:00 0   [vdso]"), MAPPING_KERNEL);
	assert_int_equal(kind("r--p", "00:00 0   [vvar_vclock]"), MAPPING_KERNEL);
	assert_int_equal(kind("--xp", "00:00 0   [vsyscall]"), MAPPING_KERNEL);
	assert_int_equal(kind("rw-s", "00:0e 9   anon_inode:[perf_event]"), MAPPING_KERNEL);
	assert_int_equal(kind("r-xp", "fe:01 9   /usr/bin/x"), MAPPING_FILE);
	assert_int_equal(kind("rw-p", "fe:01 9   /usr/bin/x (deleted)"), MAPPING_FILE);
	assert_int_equal(kind("rw-s", "00:01 9   /dev/zero (deleted)"), MAPPING_SHARED);
	assert_int_equal(kind("rw-p", "00:05 5   /dev/zero"), MAPPING_ANON);
	assert_int_equal(kind("rw-s", "00:01 0   /SYSV00000000 (deleted)"), MAPPING_SHARED);
	assert_int_equal(kind("rw-s", "00:01 9   /memfd:x (deleted)"), MAPPING_SHARED);
	assert_int_equal(kind("rw-s", "00:18 9   /dev/shm/x"), MAPPING_SHARED);
	assert_int_equal(kind("rw-p", "00:0f 9   /anon_hugepage (deleted)"), MAPPING_HUGE);
	snprintf(huge, sizeof(huge), "%02x:%02x 9   /mnt/pool", major(huge_devs[0]), minor(huge_devs[0]));
	assert_int_equal(kind("rw-s", huge), MAPPING_HUGE);
}

static void finds_by_address(void **state)
{
	struct areas a = { 0 };

	assert_null(areas_find(&a, 0));
	assert_true(add(&a, "1000-2000 r-xp 00000000 fe:01 9 /lib/a"));
	assert_true(add(&a, "2000-3000 r--p 00001000 fe:01 9 /lib/a"));
	assert_true(add(&a, "5000-6000 rw-p 00000000 fe:01 10 /lib/b (deleted)"));
	/* What would overlap is no line that the kernel writes. */
	assert_true(add(&a, "5800-7000 rw-p 00000000 fe:01 11 /lib/c"));
	assert_true(add(&a, "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]"));
	assert_int_equal(a.v.n, 4);
	assert_null(areas_find(&a, 0xfff));
	assert_ptr_equal(areas_find(&a, 0x1000), &a.v.v[0]);
	assert_ptr_equal(areas_find(&a, 0x1fff), &a.v.v[0]);
	assert_ptr_equal(areas_find(&a, 0x2000), &a.v.v[1]);
	assert_null(areas_find(&a, 0x3000));
	assert_null(areas_find(&a, UINT64_MAX));
	assert_int_equal(area_kind(NULL, 0x3000), MAPPING_UNKNOWN);
	assert_string_equal(area_path(&a, &a.v.v[0]), "/lib/a");
	assert_int_equal(a.v.v[0].path, a.v.v[1].path);
	assert_int_equal(a.v.v[0].dev, makedev(0xfe, 1));
	assert_string_equal(area_path(&a, &a.v.v[2]), "/lib/b");
	assert_string_equal(area_path(&a, &a.v.v[3]), "");
	areas_reset(&a);
	assert_null(areas_find(&a, 0x1000));
	areas_free(&a);
	areas_free(&a);
}

static void files_in_memory_have_a_name(void **state)
{
	struct areas a = { 0 };

	assert_true(add(&a, "1000-2000 rw-s 00000000 00:01 5 /memfd:ring (deleted)"));
	assert_true(add(&a, "2000-3000 rw-s 00000000 00:01 6 /dev/zero (deleted)"));
	assert_true(add(&a, "3000-4000 rw-s 00000000 00:01 7 /SYSV00000000 (deleted)"));
	assert_string_equal(area_path(&a, &a.v.v[0]), "/memfd:ring");
	assert_int_equal(a.v.v[0].ino, 5);
	assert_int_equal(a.v.v[1].ino, 0);
	assert_int_equal(a.v.v[2].ino, 0);
	areas_free(&a);
}

static void add_range(struct areas *a, uint64_t start, uint64_t bytes, const char *rest)
{
	char line[256];

	snprintf(line, sizeof(line), "%" PRIx64 "-%" PRIx64 " %s", start, start + bytes, rest);
	assert_true(add(a, line));
}

/* A guard, a stack of 8 MB, a reservation, memory with a guard far below, and merged memory above a stack. */
static void map_threads(struct areas *a)
{
	add_range(a, 1 * MB, 4096, "---p 00000000 00:00 0");
	add_range(a, 1 * MB + 4096, 8 * MB, "rw-p 00000000 00:00 0");
	add_range(a, 20 * MB, 4096, "---p 00000000 fe:01 7 /lib/x");
	add_range(a, 20 * MB + 4096, 8 * MB, "rw-p 00000000 00:00 0");
	add_range(a, 40 * MB, 4096, "---p 00000000 00:00 0");
	add_range(a, 50 * MB, 8 * MB, "rw-p 00000000 00:00 0");
	add_range(a, 100 * MB, 4096, "---p 00000000 00:00 0");
	add_range(a, 100 * MB + 4096, 1000 * MB, "rw-p 00000000 00:00 0");
}

static enum mapping_kind kind_at(const struct areas *a, uint64_t addr)
{
	return area_kind(areas_find(a, addr), addr);
}

static void stacks_are_seen(void **state)
{
	struct areas a = { 0 };

	map_threads(&a);
	assert_int_equal(kind_at(&a, 5 * MB), MAPPING_ANON);
	areas_saw_stack(&a, 9 * MB);
	assert_int_equal(kind_at(&a, 5 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 9 * MB + 4095), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 1 * MB), MAPPING_ANON);
	/* No guard below, or not right below, or of a file: the pointer says nothing. */
	areas_saw_stack(&a, 25 * MB);
	areas_saw_stack(&a, 55 * MB);
	areas_saw_stack(&a, 40 * MB);
	areas_saw_stack(&a, 99 * MB);
	assert_int_equal(kind_at(&a, 25 * MB), MAPPING_ANON);
	assert_int_equal(kind_at(&a, 55 * MB), MAPPING_ANON);
	assert_int_equal(a.stacks.n, 1);
	areas_free(&a);
}

/* A stack that the kernel merged with memory above it is not all of that. */
static void merged_memory_is_no_stack(void **state)
{
	struct areas a = { 0 };

	map_threads(&a);
	areas_saw_stack(&a, 107 * MB);
	assert_int_equal(kind_at(&a, 101 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 108 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 109 * MB), MAPPING_ANON);
	/* One larger than usual. */
	areas_saw_stack(&a, 130 * MB);
	assert_int_equal(kind_at(&a, 129 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 131 * MB), MAPPING_ANON);
	areas_free(&a);
}

static void stacks_are_remembered(void **state)
{
	struct areas a = { 0 };

	map_threads(&a);
	areas_saw_stack(&a, 107 * MB);
	areas_saw_stack(&a, 9 * MB);
	assert_int_equal(a.stacks.n, 2);
	areas_reset(&a);
	map_threads(&a);
	assert_int_equal(kind_at(&a, 5 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 101 * MB), MAPPING_STACK);
	assert_int_equal(kind_at(&a, 200 * MB), MAPPING_ANON);
	/* Something else there now. */
	areas_reset(&a);
	add_range(&a, 1 * MB + 4096, 8 * MB, "rw-p 00000000 00:00 0");
	assert_int_equal(kind_at(&a, 5 * MB), MAPPING_ANON);
	areas_free(&a);
}

static void stacks_have_a_bound(void **state)
{
	struct areas a = { 0 };

	for (uint64_t i = 1; i <= STACKS_MAX + 10; i++) {
		add_range(&a, i * MB, 4096, "---p 00000000 00:00 0");
		add_range(&a, i * MB + 4096, 4096, "rw-p 00000000 00:00 0");
	}
	for (uint64_t i = STACKS_MAX + 10; i > 0; i--)
		areas_saw_stack(&a, i * MB + 4096 + 100);
	assert_int_equal(a.stacks.n, STACKS_MAX);
	for (size_t i = 1; i < a.stacks.n; i++)
		assert_true(a.stacks.v[i - 1].start < a.stacks.v[i].start);
	assert_true(areas_bytes(&a) > STACKS_MAX * sizeof(*a.stacks.v));
	areas_free(&a);
}

static void too_many(void **state)
{
	struct areas a = { 0 };
	struct maps_line m = { .read = true, .name = "" };

	for (uint64_t i = 1; i <= AREAS_MAX; i++) {
		m.start = i << 13;
		m.end = m.start + 4096;
		assert_true(areas_add(&a, &m, NULL, 0));
	}
	m.start = m.end;
	m.end += 4096;
	assert_false(areas_add(&a, &m, NULL, 0));
	assert_int_equal(a.v.n, AREAS_MAX);
	areas_free(&a);
}

static bool without_memory(void)
{
	struct areas a = { 0 };
	const bool ok = add(&a, "1000-2000 r-xp 00000000 fe:01 9 /lib/a") &&
		add(&a, "3000-4000 r-xp 00000000 fe:01 8 /lib/b");

	areas_free(&a);
	return ok;
}

static void survives_lack_of_memory(void **state)
{
	for (long n = 0; fail_alloc_round(n, without_memory); n++)
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_names_say),
		cmocka_unit_test(finds_by_address),
		cmocka_unit_test(files_in_memory_have_a_name),
		cmocka_unit_test(stacks_are_seen),
		cmocka_unit_test(merged_memory_is_no_stack),
		cmocka_unit_test(stacks_are_remembered),
		cmocka_unit_test(stacks_have_a_bound),
		cmocka_unit_test(too_many),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
