/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sandbox.c - what a process that reads what is foreign can still do, tried in one that has given up the rest. */
#include "config.h"

#include "cmocka_all.h"

#include "plugin/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process can do, a bit each. */
enum {
	CAN_OPEN = 1 << 0,       /* a file that everybody may read */
	CAN_WRITE_HERE = 1 << 1, /* a new file in the folder, and rename it there */
	CAN_WRITE_BESIDE = 1 << 2,       /* a new file in the folder beside it */
	CAN_CONNECT = 1 << 3,
	CAN_EXECUTE = 1 << 4,
	CAN_FORK = 1 << 5,
	CAN_TRACE = 1 << 6,
	CAN_KILL = 1 << 7,       /* another process */
	CAN_READ = 1 << 8,       /* what is open */
	GAVE_UP_NOTHING = 1 << 9,
};

static char here[] = "/tmp/sberf-sandbox-XXXXXX", beside[] = "/tmp/sberf-sandbox-XXXXXX";

static bool can_make(const char *dir)
{
	char path[128], other[128];
	int fd;

	snprintf(path, sizeof(path), "%s/made", dir);
	snprintf(other, sizeof(other), "%s/renamed", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd >= 0 && !close(fd) && !rename(path, other) && !unlink(other);
}

static bool can_connect(void)
{
	static const struct sockaddr nobody = { .sa_family = AF_UNSPEC };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd >= 0 && !connect(fd, &nobody, sizeof(nobody));
}

static bool can_fork(void)
{
	const pid_t child = fork();

	if (!child)
		_exit(0);
	return child > 0 && waitpid(child, NULL, 0) == child;
}

/* execve() of what is no program fails by another error where it may be tried. */
static bool can_execute(int file)
{
	char *const none[] = { NULL };

	syscall(SYS_execveat, file, "", none, none, AT_EMPTY_PATH);
	return errno != EPERM;
}

static int can_do(int file)
{
	const int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	char c;

	return (fd >= 0 ? CAN_OPEN : 0) | (can_make(here) ? CAN_WRITE_HERE : 0) |
	       (can_make(beside) ? CAN_WRITE_BESIDE : 0) | (can_connect() ? CAN_CONNECT : 0) |
	       (can_execute(file) ? CAN_EXECUTE : 0) | (can_fork() ? CAN_FORK : 0) |
	       (syscall(SYS_ptrace, 0, 0, 0, 0) != -1 || errno != EPERM ? CAN_TRACE : 0) |
	       (!kill(getppid(), 0) ? CAN_KILL : 0) | (pread(file, &c, 1, 0) == 1 ? CAN_READ : 0);
}

/* What a child can do that GIVES_UP, by a pipe. */
static int after(bool (*gives_up)(const void *what), const void *what)
{
	int pipes[2], can = GAVE_UP_NOTHING;
	const int data = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	pid_t child;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		can = gives_up(what) ? can_do(data) : GAVE_UP_NOTHING;
		_exit(write(pipes[1], &can, sizeof(can)) != sizeof(can));
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &can, sizeof(can)), sizeof(can));
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(pipes[0]);
	close(data);
	return can;
}

static bool reads_a_recording(const void *what)
{
	return !sandbox_reading(what, NULL);
}

static bool nothing(const void *what)
{
	return true;
}

static bool is_worker(const void *what)
{
	return !sandbox_enter(what, NULL) && !sandbox_close(what, NULL);
}

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

static void all_can_be_done_before(void **state)
{
	assert_int_equal(after(nothing, NULL), CAN_OPEN | CAN_WRITE_HERE | CAN_WRITE_BESIDE | CAN_CONNECT |
			 CAN_EXECUTE | CAN_FORK | CAN_TRACE | CAN_KILL | CAN_READ);
}

static void a_worker_reads_what_is_open(void **state)
{
	struct sandbox_needs needs = { .memory_bytes = 1ull << 40, .stack_bytes = 8u << 20, .files = 64,
				       .cpu_seconds = 60 };

	assert_int_equal(after(is_worker, &needs), CAN_READ);
	needs.reads_files = true;
	assert_int_equal(after(is_worker, &needs), CAN_READ);
}

static void who_reads_a_recording_has_what_it_says(void **state)
{
	char output[128];
	struct sandbox_reading keeps = { .opens = false };
	const int unknown = has_landlock() ? 0 : CAN_WRITE_BESIDE | CAN_OPEN;

	snprintf(output, sizeof(output), "%s/output", here);
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ);
	keeps.writes[0] = "-";
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ);
	keeps.writes[0] = output;
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ | CAN_WRITE_HERE | unknown);
	keeps.writes[1] = beside;
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ | CAN_WRITE_HERE | CAN_WRITE_BESIDE |
			 (unknown & CAN_OPEN));
	keeps = (struct sandbox_reading){ .opens = true };
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ | CAN_OPEN);
	keeps = (struct sandbox_reading){ .stays = true };
	assert_int_equal(after(reads_a_recording, &keeps), CAN_READ | CAN_OPEN | CAN_WRITE_HERE | CAN_WRITE_BESIDE |
			 CAN_KILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_can_be_done_before),
		cmocka_unit_test(a_worker_reads_what_is_open),
		cmocka_unit_test(who_reads_a_recording_has_what_it_says),
	};
	int failed;

#ifdef __SANITIZE_ADDRESS__
	return 0;                        /* nothing is given up for it */
#endif
	if (!mkdtemp(here) || !mkdtemp(beside))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(here);
	rmdir(beside);
	return failed;
}
