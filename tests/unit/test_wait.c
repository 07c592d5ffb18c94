/* SPDX-License-Identifier: BSD-2-Clause */
/* test_wait.c - the words of waits: names of calls on several machines, classes by call and state, buckets. */
#include "config.h"

#include "model/wait.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

static const char *name(uint32_t call, const char *arch)
{
	static char text[CALL_NAME_MAX];

	return call_name(call, arch, text);
}

static void test_states(void **state)
{
	assert_string_equal(wait_state_name(WAIT_KILLABLE), "killable");
	assert_string_equal(wait_state_name(200), "other");
	assert_int_equal(wait_state_find("D"), WAIT_UNINTERRUPTIBLE);
	assert_int_equal(wait_state_find("T"), WAIT_STOPPED);
	assert_int_equal(wait_state_find("t"), WAIT_TRACED);
	assert_int_equal(wait_state_find("F"), WAIT_FROZEN);
	assert_int_equal(wait_state_find("Frozen"), WAIT_FROZEN);
	assert_int_equal(wait_state_find("Interruptible"), WAIT_INTERRUPTIBLE);
	assert_int_equal(wait_state_find("new"), WAIT_NEW);
	assert_int_equal(wait_state_find("Dx"), WAIT_STATE_NR);
	assert_int_equal(wait_state_find(""), WAIT_STATE_NR);
	for (unsigned int i = 0; i < WAIT_STATE_NR; i++)
		assert_int_equal(wait_state_find(wait_state_name(i)), i);
	assert_string_equal(wait_class_name(WAIT_CLASS_EVENT), "event wait");
	assert_string_equal(waker_context_name(WAKER_HARDIRQ), "interrupt or timer");
	assert_string_equal(waker_context_name(77), waker_context_name(WAKER_UNKNOWN));
}

static void test_names(void **state)
{
	assert_string_equal(name(CALL_FAULT, NULL), "page fault");
	assert_string_equal(name(CALL_STOPPED, NULL), "stopped");
	assert_string_equal(name(CALL_TRACED, NULL), "traced");
	assert_string_equal(name(CALL_FROZEN, NULL), "frozen");
	assert_string_equal(name(CALL_RETURN, NULL), "return to user mode");
	assert_string_equal(name(CALL_RETURN + 1, NULL), "unknown");
	assert_string_equal(name(CALL_PREEMPTED, "x86_64"), "preempted");
	assert_string_equal(name(CALL_NEW, NULL), "new thread");
	assert_string_equal(name(UINT32_MAX, NULL), "unknown");
	assert_string_equal(name(CALL_SYSCALL + SYS_futex, NULL), "futex");
	assert_string_equal(name(CALL_SYSCALL + SYS_futex, ""), "futex");
	assert_string_equal(name(CALL_SYSCALL + 202, "x86_64"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 98, "aarch64"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 240, "i686"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 240, "armv7l"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 221, "ppc64le"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 238, "s390x"), "futex");
	assert_string_equal(name(CALL_SYSCALL + 98, "riscv64"), "futex");
	assert_string_equal(name(CALL_COMPAT + 240, "x86_64"), "futex (32-bit)");
	assert_string_equal(name(CALL_SYSCALL + 999, "x86_64"), "syscall 999");
	assert_string_equal(name(CALL_SYSCALL + 202, "pdp11"), "syscall 202");
	assert_string_equal(name(CALL_COMPAT + 3, "riscv64"), "syscall 3 (32-bit)");
}

static void test_find(void **state)
{
	static const char *const arch[] = { "x86_64", "aarch64", "i686", "armv7l", "ppc64le", "s390x", "riscv64" };

	assert_int_equal(call_find("futex", "x86_64"), CALL_SYSCALL + 202);
	assert_int_equal(call_find("futex", NULL), CALL_SYSCALL + SYS_futex);
	assert_int_equal(call_find("futex (32-bit)", "x86_64"), CALL_COMPAT + 240);
	assert_int_equal(call_find("waitpid", "x86_64"), CALL_COMPAT + 7);       /* the 64-bit ABI has none */
	assert_int_equal(call_find("waitpid", "riscv64"), CALL_NONE);
	/* for which there is socketcall too */
	assert_int_equal(call_find("recvmsg (32-bit)", "x86_64"), CALL_COMPAT + 372);
	assert_int_equal(call_find("recvmsg", "s390x"), CALL_SYSCALL + 372);
	assert_int_equal(call_find("page fault", NULL), CALL_FAULT);
	assert_int_equal(call_find("syscall 999", NULL), CALL_SYSCALL + 999);
	assert_int_equal(call_find("syscall 0", "pdp11"), CALL_SYSCALL);
	assert_int_equal(call_find("syscall 65505", NULL), CALL_NONE);
	assert_int_equal(call_find("syscall ", NULL), CALL_NONE);
	assert_int_equal(call_find("unknown", NULL), CALL_NONE);
	assert_int_equal(call_find("no_such_call", NULL), CALL_NONE);
	assert_int_equal(call_find("", NULL), CALL_NONE);
	assert_int_equal(call_find("a name that is much longer than any system call has, and than there is "
				   "room for", NULL),
			 CALL_NONE);
	for (size_t i = 0; i < sizeof(arch) / sizeof(arch[0]); i++)
		for (uint32_t nr = 0; nr < 600; nr++) {
			assert_int_equal(call_find(name(CALL_SYSCALL + nr, arch[i]), arch[i]), CALL_SYSCALL + nr);
			assert_int_equal(call_find(name(CALL_COMPAT + nr, arch[i]), arch[i]), CALL_COMPAT + nr);
		}
}

static void test_compat(void **state)
{
	assert_true(call_name_waits("futex") && call_name_waits("recv") && call_name_waits("waitpid"));
	assert_false(call_name_waits("main") || call_name_waits("") || call_name_waits("lock"));
	assert_int_equal(call_compat(CALL_SYSCALL + 202, "x86_64"), CALL_COMPAT + 240);
	assert_int_equal(call_compat(CALL_SYSCALL + 98, "aarch64"), CALL_COMPAT + 240);
	assert_int_equal(call_compat(CALL_SYSCALL + 240, "i686"), CALL_NONE);
	assert_int_equal(call_compat(CALL_COMPAT + 240, "x86_64"), CALL_NONE);
	assert_int_equal(call_compat(CALL_FAULT, "x86_64"), CALL_NONE);
	assert_int_equal(call_compat(CALL_SYSCALL + 98, "riscv64"), CALL_NONE);
	assert_int_equal(call_compat(CALL_SYSCALL + 214, "x86_64"), CALL_NONE);  /* epoll_ctl_old */
}

static enum wait_class class_of(const char *call, enum wait_state s)
{
	const uint32_t id = call_find(call, "x86_64");

	assert_int_not_equal(id, CALL_NONE);
	return wait_class_of(id, s, "x86_64");
}

#define S WAIT_INTERRUPTIBLE
#define D WAIT_UNINTERRUPTIBLE
#define K WAIT_KILLABLE

static void test_classes(void **state)
{
	static const struct {
		const char *call;
		enum wait_state state;
		enum wait_class class;
	} want[] = {
		{ "read", S, WAIT_CLASS_PIPE },
		{ "read", D, WAIT_CLASS_IO },
		{ "read", K, WAIT_CLASS_IO },
		{ "pwrite64", D, WAIT_CLASS_IO },
		{ "sendfile", S, WAIT_CLASS_PIPE },
		{ "recvfrom", S, WAIT_CLASS_PIPE },
		{ "sendmsg", D, WAIT_CLASS_PIPE },
		{ "accept4", S, WAIT_CLASS_EVENT },
		{ "epoll_wait", S, WAIT_CLASS_EVENT },
		{ "epoll_pwait2", S, WAIT_CLASS_EVENT },
		{ "poll", S, WAIT_CLASS_EVENT },
		{ "pselect6", S, WAIT_CLASS_EVENT },
		{ "rt_sigtimedwait", S, WAIT_CLASS_EVENT },
		{ "io_uring_enter", S, WAIT_CLASS_EVENT },
		{ "io_getevents", S, WAIT_CLASS_EVENT },
		{ "io_getevents", D, WAIT_CLASS_IO },
		{ "futex", S, WAIT_CLASS_LOCK },
		{ "futex_waitv", S, WAIT_CLASS_LOCK },
		{ "flock", S, WAIT_CLASS_LOCK },
		{ "fcntl", S, WAIT_CLASS_LOCK },
		{ "clock_nanosleep", S, WAIT_CLASS_SLEEP },
		{ "nanosleep", S, WAIT_CLASS_SLEEP },
		{ "wait4", S, WAIT_CLASS_CHILD },
		{ "vfork", K, WAIT_CLASS_CHILD },
		{ "clone3", K, WAIT_CLASS_CHILD },
		{ "clone", D, WAIT_CLASS_OTHER },
		{ "fsync", D, WAIT_CLASS_IO },
		{ "openat", S, WAIT_CLASS_IO },
		{ "newfstatat", K, WAIT_CLASS_IO },
		{ "getdents64", K, WAIT_CLASS_IO },
		{ "ioctl", S, WAIT_CLASS_OTHER },
		{ "ioctl", D, WAIT_CLASS_IO },
		{ "mmap", D, WAIT_CLASS_OTHER },
		{ "page fault", D, WAIT_CLASS_IO },
		{ "page fault", K, WAIT_CLASS_IO },
		{ "page fault", S, WAIT_CLASS_OTHER },
		{ "kernel thread", S, WAIT_CLASS_EVENT },
		{ "kernel thread", WAIT_IDLE, WAIT_CLASS_EVENT },
		{ "kernel thread", D, WAIT_CLASS_IO },
		{ "preempted", WAIT_PREEMPTED, WAIT_CLASS_RUN_QUEUE },
		{ "read", WAIT_PREEMPTED, WAIT_CLASS_RUN_QUEUE },
		{ "clone", WAIT_NEW, WAIT_CLASS_RUN_QUEUE },
		{ "stopped", WAIT_STOPPED, WAIT_CLASS_STOPPED },
		{ "preempted", WAIT_STOPPED, WAIT_CLASS_STOPPED },
		{ "futex", WAIT_STOPPED, WAIT_CLASS_STOPPED },
		{ "read", WAIT_TRACED, WAIT_CLASS_TRACED },
		{ "clock_nanosleep", WAIT_FROZEN, WAIT_CLASS_FROZEN },
		/* of totals, which have no state */
		{ "stopped", WAIT_NONE, WAIT_CLASS_STOPPED },
		{ "traced", WAIT_NONE, WAIT_CLASS_TRACED },
		{ "frozen", WAIT_NONE, WAIT_CLASS_FROZEN },
		{ "preempted", WAIT_THROTTLED, WAIT_CLASS_THROTTLED },
		{ "return to user mode", S, WAIT_CLASS_OTHER },
		{ "return to user mode", D, WAIT_CLASS_OTHER },
		{ "exit_group", WAIT_EXITING, WAIT_CLASS_OTHER },
		{ "syscall 999", S, WAIT_CLASS_OTHER },
		{ "waitpid", S, WAIT_CLASS_CHILD },
	};

	for (int round = 0; round < 2; round++)  /* the second from the cache */
		for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
			if (class_of(want[i].call, want[i].state) != want[i].class)
				fail_msg("%s in %s", want[i].call, wait_state_name(want[i].state));
	assert_int_equal(wait_class_of(CALL_NONE, S, NULL), WAIT_CLASS_OTHER);
	assert_int_equal(wait_class_of(UINT32_MAX, D, NULL), WAIT_CLASS_OTHER);
	assert_int_equal(wait_class_of(CALL_SYSCALL + SYS_futex, 99, NULL), WAIT_CLASS_LOCK);
	assert_int_equal(wait_class_of(CALL_SYSCALL + 202, S, "aarch64"), WAIT_CLASS_EVENT);     /* accept there */
	assert_int_equal(wait_class_of(CALL_SYSCALL + 202, S, "x86_64"), WAIT_CLASS_LOCK);
}

/* Names are looked up and kept by many threads at once. */
static void *all_classes(void *ctx)
{
	const char *const *arch = ctx;
	uintptr_t wrong = 0;

	for (int round = 0; round < 20; round++)
		for (uint32_t nr = 0; nr < 450; nr++)
			for (int i = 0; i < 2; i++) {
				const uint32_t call = (i ? CALL_COMPAT : CALL_SYSCALL) + nr;
				char text[CALL_NAME_MAX];

				call_name(call, *arch, text);
				wrong += (wait_class_of(call, S, *arch) == WAIT_CLASS_SLEEP) !=
					!!strstr(text, "nanosleep");
				wrong += (wait_class_of(call, D, *arch) == WAIT_CLASS_LOCK) !=
					 (!!strstr(text, "futex") || !strncmp(text, "flock", 5) ||
					  !strncmp(text, "semop", 5) || !strncmp(text, "semtimedop", 10));
			}
	return (void *)wrong;
}

static void test_threads(void **state)
{
	static const char *arch[] = { "x86_64", "aarch64", "s390x", "ppc64le" };
	pthread_t thread[4];
	void *wrong;

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, all_classes, &arch[i]), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_int_equal((uintptr_t)wrong, 0);
	}
}

static void test_buckets(void **state)
{
	assert_int_equal(wait_bucket(0), 0);
	assert_int_equal(wait_bucket(999), 0);
	assert_int_equal(wait_bucket(1000), 1);
	assert_int_equal(wait_bucket(1999), 1);
	assert_int_equal(wait_bucket(2000), 2);
	assert_int_equal(wait_bucket(UINT64_MAX), WAIT_BUCKETS - 1);
	assert_int_equal(wait_bucket_from_ns(0), 0);
	for (unsigned int b = 1; b < WAIT_BUCKETS; b++) {
		assert_int_equal(wait_bucket(wait_bucket_from_ns(b)), b);
		assert_int_equal(wait_bucket(wait_bucket_from_ns(b) - 1), b - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_compat),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
