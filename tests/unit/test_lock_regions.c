/* SPDX-License-Identifier: BSD-2-Clause */
/* test_lock_regions.c - what memory addresses of this process are in. */
#include "config.h"

#include "base/clock.h"
#include "engine/lock_regions.h"
#include "tests/unit/cmocka_all.h"

#include <sys/mman.h>
#include <unistd.h>

static int variable;

static uint64_t asked(struct lock_regions *r, const void *at, uint64_t now_ns)
{
	return lock_regions_at(r, getpid(), (uintptr_t)at, now_ns);
}

static void kinds(void **state)
{
	struct lock_regions r = { 0 };
	void *const alone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *const shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *const heap = sbrk(4096);
	void *later;
	int local;

	assert_true(alone != MAP_FAILED && shared != MAP_FAILED && heap != (void *)-1);
	*heap = 1;
	assert_int_equal(asked(&r, alone, NSEC_PER_SEC), NOTE_ANON);
	assert_int_equal(asked(&r, shared, NSEC_PER_SEC), NOTE_SHARED);
	assert_int_equal(asked(&r, heap, NSEC_PER_SEC), NOTE_HEAP);
	assert_int_equal(asked(&r, &local, NSEC_PER_SEC), NOTE_STACK);
	assert_int_equal(asked(&r, "read only", NSEC_PER_SEC), 0);
	assert_int_equal(asked(&r, NULL, NSEC_PER_SEC), 0);
	assert_int_equal(lock_regions_at(&r, 0, (uintptr_t)alone, NSEC_PER_SEC), 0);
	/* What is mapped later is known when a second is over. */
	munmap(shared, 4096);
	later = mmap(shared, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_ptr_equal(later, shared);
	(void)asked(&r, &variable, 3 * NSEC_PER_SEC);
	(void)asked(&r, NULL, 3 * NSEC_PER_SEC);
	assert_int_equal(asked(&r, later, 3 * NSEC_PER_SEC), NOTE_ANON);
	munmap(later, 4096);
	munmap(alone, 4096);
	lock_regions_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
