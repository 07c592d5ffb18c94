/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_peek.c - bytes of another process up to the very border of what can be read, and one that
 * makes its reader hang: it is given up, and nobody else waits for it.
 *
 * A page that never comes is made with userfaultfd(2), which needs CAP_SYS_PTRACE or
 * vm.unprivileged_userfaultfd = 1; one that keeps even the dead waiting with a file system of our
 * own (deadfs.h), which takes root.
 */
#include "config.h"

#include "base/clock.h"
#include "capture/peek.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/deadfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
#define RED_ZONE 128u            /* of x86-64 */
#define PAGES 8u                 /* readable, between two that are not */
#define NOBODY 65534u

/* The same in this process and in the targets: mapped before the fork. */
static uint8_t *stack;

static void map_stack(void)
{
	uint8_t *all = mmap(NULL, (PAGES + 2) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(all, MAP_FAILED);
	/* Not unmapped: something else might be put there. To a reader it is the same. */
	assert_int_equal(mprotect(all, PAGE, PROT_NONE), 0);
	assert_int_equal(mprotect(all + (PAGES + 1) * PAGE, PAGE, PROT_NONE), 0);
	stack = all + PAGE;
	for (size_t i = 0; i < PAGES * PAGE; i++)
		stack[i] = (uint8_t)(i * 7 + i / PAGE);
}

static uint64_t address(size_t offset)
{
	return (uint64_t)(uintptr_t)stack + offset;
}

/* Makes LEN bytes at OFFSET wait for ever for whoever touches them. False when that is not allowed. */
static bool block_pages(size_t offset, size_t len)
{
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { address(offset), len }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	return fd >= 0 && !madvise(stack + offset, len, MADV_DONTNEED) && !ioctl(fd, UFFDIO_API, &api) &&
	       !ioctl(fd, UFFDIO_REGISTER, &reg);
}

struct target {
	pid_t pid;
	bool blocks;
};

/*
 * Puts page NR of the file PATH there. It is not read before it is asked for, and for itself:
 * MADV_RANDOM, no reading ahead.
 */
static bool map_file(size_t offset, const char *path, uint32_t nr)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && mmap(stack + offset, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, nr * PAGE) != MAP_FAILED &&
	       !madvise(stack + offset, PAGE, MADV_RANDOM);
}

/*
 * A process that waits; the page at BLOCKED, if that is not 0, makes its readers hang, when the
 * result says so: it is page NR of the file PATH, or nobody's.
 */
static struct target start_with(size_t blocked, const char *path, uint32_t nr)
{
	struct target t = { 0 };
	int fds[2];
	char ok;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	t.pid = fork();
	assert_true(t.pid >= 0);
	if (!t.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ok = blocked && (path ? map_file(blocked, path, nr) : block_pages(blocked, PAGE));
		if (write(fds[1], &ok, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &ok, 1), 1);
	close(fds[0]);
	t.blocks = ok;
	return t;
}

static struct target start_target(size_t blocked)
{
	return start_with(blocked, NULL, 0);
}

static void end_target(const struct target *t)
{
	kill(t->pid, SIGKILL);
	assert_int_equal(waitpid(t->pid, NULL, 0), t->pid);
}

/* One whose fourth page makes its readers hang. */
static struct target start_hanging(void)
{
	struct target t = start_target(3 * PAGE);

	if (!t.blocks) {
		end_target(&t);
		skip();
	}
	return t;
}

/* Waits on the fd, as an event loop does; fails the test when nothing comes for 30 s. */
static struct peek_answer take(struct peek *p)
{
	const uint64_t end = clock_mono_ns() + 30 * NSEC_PER_SEC;
	struct peek_answer a;

	while (!peek_take(p, &a)) {
		struct pollfd pfd = { .fd = peek_fd(p), .events = POLLIN };

		assert_true(clock_mono_ns() < end);
		assert_true(poll(&pfd, 1, 30000) >= 0);
	}
	return a;
}

static struct peek_answer ask(struct peek *p, pid_t pid, uint64_t sp, uint32_t want)
{
	struct peek_answer a;

	assert_int_equal(peek_ask(p, 77, pid, sp, want), 0);
	a = take(p);
	assert_int_equal(a.cookie, 77);
	assert_int_equal(peek_pending(p), 0);
	return a;
}

static struct peek *new_peek(void)
{
	struct peek *p = NULL;
	struct err e = ERR_INIT;

	if (peek_new(&p, &e))
		fail_msg("%s", e.text);
	return p;
}

static void check_bytes(const struct peek_answer *a, size_t offset, uint32_t len, bool unreadable)
{
	assert_int_equal(a->status, PEEK_OK);
	assert_int_equal(a->addr, address(offset));
	assert_int_equal(a->len, len);
	assert_int_equal(a->unreadable, unreadable);
	assert_memory_equal(a->bytes, stack + offset, len);
}

static void bytes_end_where_the_memory_does(void **state)
{
	const uint32_t all = PAGES * PAGE;
	struct target t = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	struct peek_answer a;

	/* From the red zone up, sp rounded down to a word. */
	a = ask(p, t.pid, address(PAGE + 203), 1000);
	check_bytes(&a, PAGE + 200 - RED_ZONE, 1000, false);
	a = ask(p, t.pid, address(200), 3 * PAGE);
	check_bytes(&a, 200 - RED_ZONE, 3 * PAGE, false);

	/* Wanted to the very end, and one byte more. */
	a = ask(p, t.pid, address(RED_ZONE), all);
	check_bytes(&a, 0, all, false);
	a = ask(p, t.pid, address(RED_ZONE), all + 1);
	check_bytes(&a, 0, all, true);
	a = ask(p, t.pid, address(all - 8), UINT32_MAX);
	check_bytes(&a, all - 8 - RED_ZONE, 8 + RED_ZONE, true);

	/* The red zone reaches into the page before, which is not there; or, exactly, does not. */
	a = ask(p, t.pid, address(RED_ZONE - 1), PAGE);
	check_bytes(&a, 0, PAGE - 8, false);
	a = ask(p, t.pid, address(0), 2 * all);
	check_bytes(&a, 0, all, true);
	a = ask(p, t.pid, address(16), 64);
	assert_int_equal(a.status, PEEK_OK);
	assert_int_equal(a.len, 0);

	/* Nothing there at all. */
	a = ask(p, t.pid, address(all + PAGE / 2), PAGE);
	assert_int_equal(a.status, PEEK_OK);
	assert_int_equal(a.len, 0);
	assert_true(a.unreadable);
	a = ask(p, t.pid, 0, PAGE);
	assert_int_equal(a.status, PEEK_OK);
	assert_int_equal(a.len, 0);
	a = ask(p, t.pid, UINT64_MAX, UINT32_MAX);
	assert_int_equal(a.status, PEEK_OK);
	assert_int_equal(a.len, 0);
	end_target(&t);
}

/* More pages than one system call takes, and one in the midst of them that cannot be read. */
static void a_deep_stack_is_read_in_pieces(void **state)
{
	const uint32_t pages = 2100, len = pages * PAGE;
	uint8_t *deep = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t at = (uint64_t)(uintptr_t)deep;
	AUTO(peek_free) struct peek *p = new_peek();
	struct peek_answer a;
	struct target t;

	assert_ptr_not_equal(deep, MAP_FAILED);
	for (uint32_t i = 0; i < len; i += 1000)
		deep[i] = (uint8_t)(i / 1000 * 7);
	assert_int_equal(mprotect(deep + 1300 * PAGE, PAGE, PROT_NONE), 0);
	t = start_target(0);
	assert_int_equal(mprotect(deep + 1300 * PAGE, PAGE, PROT_READ), 0);
	a = ask(p, t.pid, at + RED_ZONE, len);
	assert_int_equal(a.status, PEEK_OK);
	assert_true(a.unreadable);
	assert_int_equal(a.addr, at);
	assert_int_equal(a.len, 1300 * PAGE);
	assert_memory_equal(a.bytes, deep, a.len);

	/* What comes next is as it was, and smaller than what was there. */
	a = ask(p, t.pid, at + 1301 * PAGE + RED_ZONE, 799 * PAGE);
	assert_int_equal(a.len, 799 * PAGE);
	assert_memory_equal(a.bytes, deep + 1301 * PAGE, a.len);
	a = ask(p, t.pid, at + 512 * PAGE + 8 + RED_ZONE, 100 * PAGE);
	assert_int_equal(a.len, 100 * PAGE);
	assert_false(a.unreadable);
	assert_memory_equal(a.bytes, deep + 512 * PAGE + 8, a.len);
	end_target(&t);
	munmap(deep, len);
}

/* The top of the main stack of PID. */
static uint64_t main_stack_end(pid_t pid)
{
	char path[64], line[512];
	unsigned long long end = 0;
	AUTO_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]"))
			assert_int_equal(sscanf(line, "%*x-%llx", &end), 1);
	assert_true(end > 0);
	return end;
}

static void a_main_stack_ends_at_its_top(void **state)
{
	struct target t = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	const uint64_t end = main_stack_end(t.pid);
	const struct peek_answer a = ask(p, t.pid, end - 2000, PEEK_BYTES_MAX);

	assert_int_equal(a.status, PEEK_OK);
	assert_true(a.unreadable);
	assert_int_equal(a.addr + a.len, end);
	/* What stands there: the program's name with its NUL, and eight bytes of nothing (fs/exec.c). */
	assert_memory_equal(a.bytes + a.len - 9, "\0\0\0\0\0\0\0\0", 9);
	assert_int_equal(a.bytes[a.len - 10], program_invocation_name[strlen(program_invocation_name) - 1]);
	end_target(&t);
}

static void the_dead_are_gone(void **state)
{
	struct target t = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	siginfo_t info;

	kill(t.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)t.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(ask(p, t.pid, address(0), PAGE).status, PEEK_GONE);     /* a zombie */
	end_target(&t);
	assert_int_equal(ask(p, t.pid, address(0), PAGE).status, PEEK_GONE);
	assert_int_equal(ask(p, 0, address(0), PAGE).status, PEEK_GONE);
	assert_int_equal(ask(p, -1, address(0), PAGE).status, PEEK_GONE);
}

/* Reads a process of root as nobody. */
static enum peek_status read_as_nobody(pid_t pid)
{
	struct peek_answer a = { .status = PEEK_FAILED };
	struct peek *p = NULL;

	if (!geteuid() && setresuid(NOBODY, NOBODY, NOBODY))
		return PEEK_FAILED;
	if (peek_new(&p, NULL) || peek_ask(p, 1, pid, address(0), PAGE))
		return PEEK_FAILED;
	while (!peek_take(p, &a)) {
		struct pollfd pfd = { .fd = peek_fd(p), .events = POLLIN };

		poll(&pfd, 1, 30000);
	}
	peek_free(p);
	return a.status;
}

static void others_processes_are_denied(void **state)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(read_as_nobody(1));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), PEEK_DENIED);
}

/*
 * P buries its helpers when it is asked for something, here for answers that there are none of.
 * Without P, one that took long to die is nobody's but ours.
 */
static void wait_gone(struct peek *p, pid_t pid)
{
	struct peek_answer a;

	for (const uint64_t end = clock_mono_ns() + 120 * NSEC_PER_SEC; !kill(pid, 0);) {
		assert_true(clock_mono_ns() < end);
		if (p)
			assert_false(peek_take(p, &a));
		else
			waitpid(pid, NULL, WNOHANG);
		poll(NULL, 0, 1);
	}
	assert_int_equal(errno, ESRCH);
}

static void a_read_that_hangs_is_given_up(void **state)
{
	struct target good = start_target(0), bad = start_hanging();
	AUTO(peek_free) struct peek *p = new_peek();
	const pid_t helper = peek_pid(p);
	struct peek_stats stats;
	struct peek_answer a;

	/* Up to the page that blocks it reads as any other. */
	a = ask(p, bad.pid, address(PAGE), PAGE);
	check_bytes(&a, PAGE - RED_ZONE, PAGE, false);

	assert_int_equal(peek_ask(p, 1, bad.pid, address(2 * PAGE), 4 * PAGE), 0);
	assert_int_equal(peek_ask(p, 2, bad.pid, address(PAGE), PAGE), 0);
	assert_int_equal(peek_ask(p, 3, good.pid, address(2 * PAGE), 4 * PAGE), 0);
	assert_false(peek_take(p, &a));
	a = take(p);
	assert_int_equal(a.cookie, 1);
	assert_int_equal(a.status, PEEK_HUNG);
	assert_int_equal(a.len, 0);
	a = take(p);
	assert_int_equal(a.cookie, 2);
	assert_int_equal(a.status, PEEK_HUNG);
	a = take(p);
	assert_int_equal(a.cookie, 3);
	check_bytes(&a, 2 * PAGE - RED_ZONE, 4 * PAGE, false);

	/* From now on nothing is asked of it; its reader is dead and buried. */
	assert_int_equal(peek_ask(p, 4, bad.pid, address(PAGE), PAGE), -ETIMEDOUT);
	assert_int_not_equal(peek_pid(p), helper);
	wait_gone(p, helper);
	peek_stats(p, &stats);
	assert_int_equal(stats.asked, 4);
	assert_int_equal(stats.refused, 1);
	assert_int_equal(stats.answered[PEEK_OK], 2);
	assert_int_equal(stats.answered[PEEK_HUNG], 2);
	assert_int_equal(stats.abandoned, 0);
	end_target(&good);
	end_target(&bad);
}

static uint32_t abandoned(const struct peek *p)
{
	struct peek_stats stats;

	peek_stats(p, &stats);
	return stats.abandoned;
}

/* A read in a file system that does not answer cannot even be killed: helpers are left behind, but not many. */
static void what_cannot_be_killed_is_abandoned(void **state)
{
	char dir[] = "/tmp/test_peek.XXXXXX", path[64];
	struct target t[PEEK_ABANDONED_MAX], good = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	struct peek_answer a;
	pid_t server;

	assert_non_null(mkdtemp(dir));
	server = deadfs_start(dir);
	if (!server) {
		rmdir(dir);
		end_target(&good);
		peek_free(take_ptr(p));
		skip();
	}
	snprintf(path, sizeof(path), "%s/%s", dir, DEADFS_FILE);
	for (uint32_t i = 0; i < PEEK_ABANDONED_MAX; i++) {
		t[i] = start_with(3 * PAGE, path, i);
		assert_true(t[i].blocks);
		assert_int_equal(ask(p, t[i].pid, address(2 * PAGE), 4 * PAGE).status, PEEK_HUNG);
		assert_int_equal(abandoned(p), i + 1);
		if (i + 1 < PEEK_ABANDONED_MAX)
			assert_int_equal(ask(p, good.pid, address(PAGE), PAGE).status, PEEK_OK);
	}
	assert_int_equal(peek_ask(p, 1, good.pid, address(PAGE), PAGE), -EIO);
	assert_int_equal(peek_pid(p), 0);

	/* The server ends, those who wait get an error and die of their signal: reading goes on. */
	kill(server, SIGKILL);
	assert_int_equal(waitpid(server, NULL, 0), server);
	for (const uint64_t end = clock_mono_ns() + 30 * NSEC_PER_SEC; abandoned(p); poll(NULL, 0, 1)) {
		assert_false(peek_take(p, &a));
		assert_true(clock_mono_ns() < end);
	}
	assert_int_equal(ask(p, good.pid, address(PAGE), PAGE).status, PEEK_OK);
	for (uint32_t i = 0; i < PEEK_ABANDONED_MAX; i++)
		end_target(&t[i]);
	end_target(&good);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
}

/* Freed in the middle of a read that hangs: the helper does not stay. */
static void ending_does_not_wait_for_a_read(void **state)
{
	struct target bad = start_hanging();
	struct peek *p = new_peek();
	const pid_t helper = peek_pid(p);
	struct peek_answer a;

	assert_int_equal(peek_ask(p, 1, bad.pid, address(2 * PAGE), 4 * PAGE), 0);
	assert_false(peek_take(p, &a));
	peek_free(p);
	wait_gone(NULL, helper);
	end_target(&bad);
}

static void the_queue_is_bounded(void **state)
{
	struct target t = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	struct peek_answer a;
	struct peek_stats stats;

	for (uint32_t i = 0; i < PEEK_QUEUE_MAX; i++)
		assert_int_equal(peek_ask(p, i, t.pid, address(PAGE + 8 * i), 64), 0);
	assert_int_equal(peek_ask(p, 1000, t.pid, address(PAGE), 64), -EAGAIN);
	assert_int_equal(peek_pending(p), PEEK_QUEUE_MAX);
	for (uint32_t i = 0; i < PEEK_QUEUE_MAX; i++) {
		a = take(p);
		assert_int_equal(a.cookie, i);
		check_bytes(&a, PAGE + 8 * i - RED_ZONE, 64, false);
	}
	assert_false(peek_take(p, &a));
	peek_stats(p, &stats);
	assert_int_equal(stats.asked, PEEK_QUEUE_MAX);
	assert_int_equal(stats.refused, 1);
	end_target(&t);
}

static void a_helper_that_is_killed_is_replaced(void **state)
{
	struct target t = start_target(0);
	AUTO(peek_free) struct peek *p = new_peek();
	pid_t helper;

	for (int i = 0; i < 10; i++) {
		struct peek_answer a;

		/* Before, after and while it works. */
		if (i & 1)
			assert_int_equal(peek_ask(p, 5, t.pid, address(PAGE), 64), 0);
		helper = peek_pid(p);
		assert_true(helper > 0);
		assert_int_equal(kill(helper, SIGKILL), 0);
		if (!(i & 1))
			assert_int_equal(peek_ask(p, 5, t.pid, address(PAGE), 64), 0);
		a = take(p);
		assert_int_equal(a.cookie, 5);
		check_bytes(&a, PAGE - RED_ZONE, 64, false);
		a = ask(p, t.pid, address(PAGE), 64);
		check_bytes(&a, PAGE - RED_ZONE, 64, false);
		assert_int_not_equal(peek_pid(p), 0);
	}
	end_target(&t);
}

/* The value of KEY in /proc/PID/status. */
static void status_line(pid_t pid, const char *key, char *ret, size_t size)
{
	char path[64], line[256];
	AUTO_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	ret[0] = '\0';
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			snprintf(ret, size, "%.*s", (int)strcspn(line + strlen(key) + 2, "\n"), line + strlen(key) + 2);
	assert_true(ret[0]);
}

static unsigned int count_fds(pid_t pid)
{
	char path[64];
	AUTO_DIR DIR *d = NULL;
	unsigned int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	return n;
}

static void handler(int sig)
{
}

static void the_helper_inherits_nothing(void **state)
{
	static const char *const masks[] = { "SigBlk", "SigIgn", "SigCgt" };
	struct target t = start_target(0);
	struct peek *p;
	sigset_t some, old;
	char text[64];

	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, &old);
	signal(SIGINT, handler);
	signal(SIGHUP, SIG_IGN);
	p = new_peek();
	assert_int_equal(sigismember(&old, SIGUSR1), 0);
	sigprocmask(SIG_SETMASK, NULL, &some);
	assert_int_equal(sigismember(&some, SIGUSR1), 1);
	assert_int_equal(sigismember(&some, SIGUSR2), 0);
	ask(p, t.pid, address(PAGE), PAGE);      /* it is ready, then */
	assert_int_equal(count_fds(peek_pid(p)), 1);
	status_line(peek_pid(p), "Name", text, sizeof(text));
	assert_string_equal(text, SB_HELPER_NAME);
	assert_int_equal(prctl(PR_GET_NAME, text), 0);
	assert_string_equal(text, "test_peek");
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		status_line(peek_pid(p), masks[i], text, sizeof(text));
		assert_int_equal(strspn(text, "0"), strlen(text));
	}
	assert_int_equal(getsid(peek_pid(p)), peek_pid(p));
	peek_free(p);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	end_target(&t);
}

/* sberf dies without a word; its helper, in the middle of a read that hangs, must not outlive it. */
static void the_helper_dies_with_its_parent(void **state)
{
	struct target bad = start_hanging();
	int fds[2];
	pid_t pid, helper;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		struct peek *p = NULL;

		if (peek_new(&p, NULL) || peek_ask(p, 1, bad.pid, address(2 * PAGE), 4 * PAGE))
			_exit(1);
		helper = peek_pid(p);
		if (write(fds[1], &helper, sizeof(helper)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &helper, sizeof(helper)), sizeof(helper));
	assert_int_equal(kill(helper, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	wait_gone(NULL, helper);
	close(fds[0]);
	close(fds[1]);
	end_target(&bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_end_where_the_memory_does),
		cmocka_unit_test(a_deep_stack_is_read_in_pieces),
		cmocka_unit_test(a_main_stack_ends_at_its_top),
		cmocka_unit_test(the_dead_are_gone),
		cmocka_unit_test(others_processes_are_denied),
		cmocka_unit_test(a_read_that_hangs_is_given_up),
		cmocka_unit_test(what_cannot_be_killed_is_abandoned),
		cmocka_unit_test(ending_does_not_wait_for_a_read),
		cmocka_unit_test(the_queue_is_bounded),
		cmocka_unit_test(a_helper_that_is_killed_is_replaced),
		cmocka_unit_test(the_helper_inherits_nothing),
		cmocka_unit_test(the_helper_dies_with_its_parent),
	};

	map_stack();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
