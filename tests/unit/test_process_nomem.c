/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_process_nomem.c - following processes survives the failure of any allocation, and goes on
 * when there is memory again.
 */
#include "config.h"

#include "base/clock.h"
#include "process/process_private.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define P1 10000001
#define PAGE 0x1000ull

/* Allocates nothing, so that only what this test does itself is counted. */
static int load(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	*ret = (struct loaded){ .not_elf = true, .fd = -1 };
	return 0;
}

static void map(struct processes *ps, pid_t pid, uint64_t page, const char *path, uint8_t id)
{
	struct raw_event ev = { .kind = RAW_MMAP, .pid = pid, .tid = pid, .time_ns = 10,
				.mmap = { .start = page * PAGE, .len = PAGE, .prot = PROT_EXEC, .path = path,
					  .build_id_len = id ? 20 : 0, .build_id = { id } } };

	processes_apply(ps, &ev);
}

static void events(struct processes *ps)
{
	const struct raw_event fork = { .kind = RAW_FORK, .time_ns = 2, .pid = P1 + 1, .tid = P1 + 1,
					.fork = { .ppid = P1, .ptid = P1 } };
	const struct raw_event exec = { .kind = RAW_COMM, .time_ns = 3, .pid = P1 + 1, .tid = P1 + 1,
					.comm = { .exec = true, .comm = "new" } };
	const struct raw_event end = { .kind = RAW_EXIT, .time_ns = 50, .pid = P1 + 1, .tid = P1 + 1 };

	map(ps, P1, 1, "/bin/prog", 1);
	map(ps, P1, 2, "", 0);
	processes_apply(ps, &fork);
	map(ps, P1 + 1, 3, "/lib/a.so", 2);
	processes_apply(ps, &exec);
	map(ps, P1 + 1, 1, "/bin/new", 3);
	map(ps, P1 + 1, 8, "[vsyscall]", 0);
	processes_apply(ps, &end);
}

static void lookups(struct processes *ps)
{
	static const pid_t pids[] = { P1, P1 + 1 };
	struct unwind_map m;

	for (size_t i = 0; i < 2; i++) {
		struct process *p = processes_get(ps, pids[i]);
		const struct unwind_space s = p ? process_space(ps, p) : (struct unwind_space){ 0 };

		for (uint64_t page = 0; p && page < 10; page++)
			s.find(s.ctx, page * PAGE, &m);
		if (p)
			process_thread(ps, p, pids[i], 5, 0, "comm");
	}
	processes_get(ps, getpid());
	processes_poll(ps);
}

static void follow(void)
{
	struct dict *dict = dict_new();
	struct processes *ps = NULL;
	struct process_stats st;

	if (dict && !processes_new_with(dict, load, NULL, NSEC_PER_SEC, &ps, NULL)) {
		events(ps);
		lookups(ps);
		/* There is memory again: nothing is stuck. */
		events(ps);
		lookups(ps);
		assert_non_null(processes_get(ps, P1));
		assert_non_null(processes_get(ps, getpid()));
		processes_stats(ps, &st);
		assert_true(st.processes >= 3);
	}
	processes_free(ps);
	dict_free(dict);
}

static void any_allocation_may_fail(void **state)
{
	long n = 0;

	while (fail_alloc_try(n, follow))
		n++;
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
