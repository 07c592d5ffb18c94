// SPDX-License-Identifier: BSD-2-Clause
/*
 * never.c - threads that sleep from before "ready" on and are never woken: an eventfd, a futex, a
 * pipe; main() in pause().
 */
#include "truth.h"

#include <linux/futex.h>
#include <sys/eventfd.h>

static pid_t tids[3];
static int pipe_fd[2];

NOINLINE void waits_for_eventfd(void)
{
	uint64_t n;

	sink += (uint64_t)read(eventfd(0, EFD_CLOEXEC), &n, sizeof(n));
}

NOINLINE void waits_for_futex(void)
{
	static uint32_t word;

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	sink++;
}

NOINLINE void waits_for_pipe(void)
{
	char c;

	sink += (uint64_t)read(pipe_fd[0], &c, 1);
}

NOINLINE void *on_eventfd(void *arg)
{
	tids[0] = gettid();
	waits_for_eventfd();
	return arg;
}

NOINLINE void *on_futex(void *arg)
{
	tids[1] = gettid();
	waits_for_futex();
	return arg;
}

NOINLINE void *on_pipe(void *arg)
{
	tids[2] = gettid();
	waits_for_pipe();
	return arg;
}

NOINLINE void main_pauses(void)
{
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	if (pipe(pipe_fd))
		return 1;
	start_thread("on_eventfd", on_eventfd, NULL);
	start_thread("on_futex", on_futex, NULL);
	start_thread("on_pipe", on_pipe, NULL);
	for (int i = 0; i < 3; i++) {
		while (!__atomic_load_n(&tids[i], __ATOMIC_ACQUIRE))
			sleep_ns(NSEC_PER_MSEC);
		until_asleep(tids[i]);
	}
	ready();
	main_pauses();
}
