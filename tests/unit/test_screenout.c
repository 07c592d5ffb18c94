/* SPDX-License-Identifier: BSD-2-Clause */
/* test_screenout.c - what is drawn arrives in one piece, all of it, and in order with what is written in between. */
#include "config.h"

#include "ui/screenout.h"

#include "base/cleanup.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void put(int fd, const char *s)
{
	assert_int_equal(write(fd, s, strlen(s)), strlen(s));
}

/* A socket of this kind tells writes apart. */
static void one_piece(void **state)
{
	struct screenout o;
	char got[64];
	int end[2];
	AUTO_FD int lib = -1;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end), 0);
	lib = fcntl(end[0], F_DUPFD_CLOEXEC, 3);
	screenout_open(&o, lib, end[0]);
	for (int round = 0; round < 3; round++) {
		put(lib, "at once");
		assert_int_equal(recv(end[1], got, sizeof(got), 0), 7);
		screenout_begin(&o);
		put(lib, "in ");
		put(lib, round ? "one" : "one, and longer");
		put(lib, " piece");
		assert_int_equal(recv(end[1], got, sizeof(got), MSG_DONTWAIT), -1);
		assert_int_equal(errno, EAGAIN);
		screenout_end(&o);
		assert_int_equal(recv(end[1], got, sizeof(got), 0), round ? 12 : 24);
		assert_memory_equal(got, round ? "in one piece" : "in one, and longer piece", round ? 12 : 24);
		screenout_begin(&o);
		screenout_end(&o);
		assert_int_equal(recv(end[1], got, sizeof(got), MSG_DONTWAIT), -1);
	}
	assert_int_not_equal(fcntl(lib, F_GETFD) & FD_CLOEXEC, 0);
	screenout_close(&o);
	/* As where there are no files in memory. */
	screenout_begin(&o);
	put(lib, "a");
	assert_int_equal(recv(end[1], got, sizeof(got), 0), 1);
	screenout_end(&o);
	close(end[0]);
	close(end[1]);
}

#define MUCH 300000u

/* Begins when nothing more fits. */
static void *read_full_pipe(void *arg)
{
	const int fd = *(int *)arg, room = fcntl(fd, F_GETPIPE_SZ);
	char *got = malloc(MUCH);
	size_t n = 0;
	int held = 0;

	while (got && ioctl(fd, FIONREAD, &held) == 0 && held < room)
		sched_yield();
	for (ssize_t r; got && n < MUCH && (r = read(fd, got + n, MUCH - n < 1000 ? MUCH - n : 1000)) > 0;
	     n += (size_t)r)
		;
	return got;
}

/* More than fits, into something that does not block. */
static void all_of_it(void **state)
{
	struct screenout o;
	AUTO_FREE char *text = malloc(MUCH);
	AUTO_FREE char *got = NULL;
	AUTO_FD int lib = -1;
	pthread_t reader;
	void *ret;
	int end[2];

	assert_non_null(text);
	for (size_t i = 0; i < MUCH; i++)
		text[i] = (char)('a' + i * i % 23);
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	assert_int_equal(fcntl(end[1], F_SETFL, O_NONBLOCK), 0);
	lib = fcntl(end[1], F_DUPFD_CLOEXEC, 3);
	screenout_open(&o, lib, end[1]);
	screenout_begin(&o);
	for (size_t i = 0; i < MUCH; i += 100)
		assert_int_equal(write(lib, text + i, 100), 100);
	assert_int_equal(pthread_create(&reader, NULL, read_full_pipe, &end[0]), 0);
	screenout_end(&o);
	assert_int_equal(pthread_join(reader, &ret), 0);
	got = ret;
	assert_non_null(got);
	assert_memory_equal(got, text, MUCH);
	screenout_close(&o);
	close(end[0]);
	close(end[1]);
}

static void nobody_there(void **state)
{
	struct screenout o;
	AUTO_FD int lib = -1;
	int end[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	lib = fcntl(end[1], F_DUPFD_CLOEXEC, 3);
	screenout_open(&o, lib, end[1]);
	screenout_begin(&o);
	put(lib, "lost");
	close(end[0]);
	screenout_end(&o);
	assert_int_equal(write(lib, "x", 1), -1);
	assert_int_equal(errno, EPIPE);
	screenout_close(&o);
	close(end[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_piece),
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
