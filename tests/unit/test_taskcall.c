/* SPDX-License-Identifier: BSD-2-Clause */
/* test_taskcall.c - what /proc says of a thread's system call, of its switches, and of locks on files. */
#include "config.h"

#include "export/waitchain.h"
#include "system/filelocks.h"
#include "system/taskcall.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void calls(void **state)
{
	static const char *const bad[] = {
		"", "\n", "running", "-1\n", "-1 0x1\n", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n", "202 1 2 3 4 5 6 7 8\n",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 \n",
		"99999999999 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n", "-2 0x1 0x2\n",
	};
	struct task_call call = { .number = 77 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(task_call_parse(bad[i], &call));
		assert_int_equal(call.number, 77);
	}
	assert_true(task_call_parse("202 0x7f00 0x80 0x2 0x0 0x0 0xffffffffffffffff 0x7ffe0 0x4010\n", &call));
	assert_int_equal(call.number, 202);
	assert_int_equal(call.args[0], 0x7f00);
	assert_int_equal(call.args[5], UINT64_MAX);
	assert_int_equal(call.sp, 0x7ffe0);
	assert_int_equal(call.pc, 0x4010);
	assert_false(call.running);
	assert_true(task_call_parse("-1 0x10 0x20\n", &call));
	assert_int_equal(call.number, -1);
	assert_int_equal(call.pc, 0x20);
	assert_true(task_call_parse("running\n", &call));
	assert_true(call.running);
}

static void switches(void **state)
{
	uint64_t n = 7;
	static const char text[] = "Name:\ta\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";

	assert_true(task_switches_parse(text, &n));
	assert_int_equal(n, 15);
	/* A name is no other line: newlines in it are escaped. */
	assert_false(task_switches_parse("Name:\tvoluntary_ctxt_switches:\t12\n", &n));
	assert_false(task_switches_parse("voluntary_ctxt_switches:\t12\n", &n));
	assert_false(task_switches_parse("", &n));
	assert_int_equal(n, 15);
}

/* Of ourselves: that we run, and that we have been switched to. */
static void of_ourselves(void **state)
{
	const int dir = open("/proc/thread-self", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	struct task_call call;
	uint64_t n;

	assert_true(dir >= 0);
	assert_int_equal(task_switches_read(dir, &n), 0);
	if (!task_call_read(dir, &call))
		assert_true(call.running || call.number >= 0);
	close(dir);
	assert_int_equal(task_switches_read(-1, &n), -ESRCH);
}

static void locks_of_files(void **state)
{
	static const char *const bad[] = {
		"", "1", "1:", "1: POSIX  ADVISORY  WRITE", "1: POSIX ADVISORY WRITE 12",
		"1: POSIX ADVISORY WRITE x 0:0:1 0 EOF",
		"x: POSIX ADVISORY WRITE 12 00:01:5 0 EOF", "1: POSIX ADVISORY WRITE 12 00:01 0 EOF",
	};
	struct file_lock lock = { .pid = 77 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(file_lock_parse(bad[i], &lock));
		assert_int_equal(lock.pid, 77);
	}
	assert_true(file_lock_parse("1: POSIX  ADVISORY  WRITE 3568 fd:1a:2531452 0 EOF", &lock));
	assert_false(lock.waits);
	assert_int_equal(lock.pid, 3568);
	assert_int_equal(lock.maj, 0xfd);
	assert_int_equal(lock.min, 0x1a);
	assert_int_equal(lock.ino, 2531452);
	assert_true(file_lock_parse("12: -> FLOCK  ADVISORY  WRITE 77 08:01:9 0 EOF", &lock));
	assert_true(lock.waits);
	assert_int_equal(lock.pid, 77);
	assert_true(file_lock_parse("3: OFDLCK ADVISORY  READ -1 08:01:9 0 EOF", &lock));
	assert_int_equal(lock.pid, -1);
	assert_int_equal(file_lock_holder(getpid(), 0, 0, 1), 0);
}

static void say_thread(void *ctx, FILE *f, uint32_t tid)
{
	fprintf(f, "t%u", tid);
}

static void say_what(void *ctx, FILE *f, size_t wait)
{
	fprintf(f, "l%zu", wait);
}

static const char *say_by(void *ctx, size_t wait)
{
	return ", held by ";
}

static void say_holder(void *ctx, FILE *f, uint32_t tid)
{
	fputs("sleeps", f);
}

/* Prints what WAITS, N of them, come to: the cycles, then the chain from FIRST. */
static void says(struct waitgraph_wait *waits, size_t n, size_t first, size_t cycles, const char *want)
{
	struct waitchain c = { .wait = waits, .n = n, .thread = say_thread, .what = say_what, .by = say_by,
			       .holder = say_holder };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	waitgraph_link(waits, n);
	assert_int_equal(waitchain_print_cycles(&c, f), cycles);
	waitchain_print(&c, f, first);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void sentences(void **state)
{
	struct waitgraph_wait chain[] = { { .waiter = 1, .holder = 2 }, { .waiter = 2, .holder = 9 } };
	struct waitgraph_wait open[] = { { .waiter = 1, .holder = 2 }, { .waiter = 2 } };
	struct waitgraph_wait cycle[] = { { .waiter = 1, .holder = 2 }, { .waiter = 2, .holder = 3 },
					  { .waiter = 3, .holder = 2 } };
	struct waitgraph_wait self[] = { { .waiter = 1, .holder = 1 } };

	says(chain, 2, 0, 0, "  t1 waits for l0, held by t2,\n    which waits for l1, held by t9,\n    which sleeps\n");
	says(open, 2, 0, 0, "  t1 waits for l0, held by t2,\n    which waits for l1\n");
	says(cycle, 3, 0, 1, "deadlock of 2 threads:\n"
	     "  t2 waits for l1, held by t3,\n    which waits for l2, held by t2\n"
	     "  t1 waits for l0, held by t2,\n    which is in a deadlock\n");
	says(self, 1, 0, 1, "deadlock of a thread with itself:\n  t1 waits for l0, held by t1\n"
	     "  t1 waits for l0, held by t1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(switches),
		cmocka_unit_test(of_ourselves),
		cmocka_unit_test(locks_of_files),
		cmocka_unit_test(sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
