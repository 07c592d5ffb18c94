/* SPDX-License-Identifier: BSD-2-Clause */
/* test_members.c - what places inside variables of this program are called, by its own debug information. */
#include "config.h"

#include "base/cleanup.h"
#include "symbol/members.h"
#include "symbol/params.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

struct head {
	int n;
	pthread_mutex_t guard;
};

struct pool {
	char pad[24];
	struct head head;
	pthread_mutex_t lock;
	struct {
		int first;
		pthread_rwlock_t inner;
	};
	union {
		int number;
		pthread_mutex_t or_lock;
	} either;
	int square[2][2];
	unsigned int bit : 1, bits : 31;
};

static struct pool pools[4];
static pthread_mutex_t plain;

static struct members *members_found;
/* where this program was loaded, by the address of its first byte */
extern const char __executable_start;

static void says(const void *start, const void *place, const char *path, size_t begins)
{
	const uint64_t base = (uintptr_t)&__executable_start;
	char text[MEMBERS_MAX];
	uint64_t begin;
	const bool found = members_path(members_found, (uintptr_t)start - base,
					(uint64_t)((const char *)place - (const char *)start), text, &begin);

	assert_string_equal(text, path);
	assert_int_equal(begin, begins);
	assert_int_equal(found, *path != 0);
}

static void paths(void **state)
{
	struct pool *const all = pools;
	const size_t two = 2 * sizeof(*all);

	says(all, &all[2].lock, "[2].lock", two + offsetof(struct pool, lock));
	/* Not further, as from there on it is the library's. */
	says(all, (char *)&all[2].lock + 8, "[2].lock", two + offsetof(struct pool, lock));
	says(all, &all[0].head.guard, "[0].head.guard", offsetof(struct pool, head.guard));
	says(all, &all[3].pad[5], "[3].pad[5]", 3 * sizeof(*all) + 5);
	/* What begins with a number is meant as a whole. */
	says(all, &all[1].head, "[1].head", sizeof(*all) + offsetof(struct pool, head));
	/* A structure without a name is no step. */
	says(all, &all[2].inner, "[2].inner", two + offsetof(struct pool, inner));
	/* Which of them is meant is not known; nor by which number an element of two dimensions is called. */
	says(all, &all[2].either, "[2].either", two + offsetof(struct pool, either));
	says(all, &all[2].square[1][0], "[2].square", two + offsetof(struct pool, square));
	says(&plain, &plain, "", 0);
	/* What is between members has no name, and what is no variable has none. */
	says(all, (char *)&all[1] + sizeof(*all) - 4, "[1]", sizeof(*all));
	says((char *)all + 1, &all[1], "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(paths) };
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(elf_file_free) struct elf_file *file = NULL;
	AUTO(params_free) struct params *debug = NULL;
	int r;

	if (fd < 0 || elf_file_open(fd, &file, NULL) || params_open(file, &debug, NULL))
		return 77;
	members_found = members_new(params_dwarf(debug));
	r = cmocka_run_group_tests(tests, NULL, NULL);
	members_free(members_found);
	return r;
}
