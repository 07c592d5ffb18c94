/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * truth.h - for programs that wait: they measure themselves and say at their end how long they were off the CPU, and where.
 *
 *	truth: nap off 4610239118 blocked 4608910034 runnable 1329084 count 200 longest 23101422
 *	truth: thread:naps off ... wall ... running ...
 *
 * All in ns. *off* is the time that passed less the time that the thread ran (CLOCK_MONOTONIC less CLOCK_THREAD_CPUTIME_ID).
 * *runnable* is the time in run queues as the kernel tells it (/proc/thread-self/schedstat), *blocked* is the rest. The
 * kernel's clocks and its tracepoints do not see the same moments: a thread that takes over a CPU at its waking is charged
 * from the waking on (scheduler: rq_clock_skip_update()), which is 1 to 5 us before the switch, and one that is woken on
 * another CPU joins the queue there when that CPU hears of it. So waits of 100 us and more can be compared within 3 %,
 * shorter ones where who wakes and who is woken share a CPU, as in mixed.c.
 *
 * A program measures around calls of the named function, or around many at once when they are short: what its caller does
 * between the two clocks is far below a microsecond.
 */
#ifndef SBERF_TESTS_TRUTH_H
#define SBERF_TESTS_TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE              /* included first, so it holds for all */
#endif

#include "workload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#define NSEC_PER_SEC 1000000000u
#define NSEC_PER_MSEC 1000000u
#define NSEC_PER_USEC 1000u

struct truth {
	const char *name;
	uint64_t off, runnable, running, wall, longest, count;
	uint64_t clock0, cpu0, queue0;           /* where the measurement under way began */
};

/* Set by SIGALRM and SIGTERM: loops end, and the program says what it measured. */
extern volatile sig_atomic_t time_is_over;
volatile sig_atomic_t time_is_over;

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* How long this thread has been in run queues so far; 0 where /proc is not that of its pid namespace. */
static inline uint64_t queue_ns(void)
{
	static __thread int fd = -1;
	char text[96], *end;
	ssize_t n;

	if (fd < 0)
		fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	strtoull(text, &end, 10);
	return strtoull(end, NULL, 10);
}

static inline void truth_begin(struct truth *t)
{
	t->queue0 = queue_ns();
	t->clock0 = clock_ns(CLOCK_MONOTONIC);
	t->cpu0 = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* COUNT waits are over since truth_begin(). */
static inline void truth_end(struct truth *t, uint64_t count)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->cpu0, wall = clock_ns(CLOCK_MONOTONIC) - t->clock0;
	uint64_t off = wall > cpu ? wall - cpu : 0;

	t->runnable += queue_ns() - t->queue0;
	t->off += off;
	t->wall += wall;
	t->running += cpu;
	t->count += count;
	if (off > t->longest)
		t->longest = off;
}

static inline void truth_tell(const struct truth *t)
{
	printf("truth: %s off %" PRIu64 " blocked %" PRIu64 " runnable %" PRIu64 " count %" PRIu64 " longest %" PRIu64
	       " wall %" PRIu64 " running %" PRIu64 "\n", t->name, t->off, t->off > t->runnable ? t->off - t->runnable : 0,
	       t->runnable, t->count, t->longest, t->wall, t->running);
	fflush(stdout);
}

static inline void on_time_is_over(int sig)
{
	time_is_over = sig;
}

/* In place of end_after(): the program ends its loops, and then itself. Waits in system calls return. */
static inline void tell_after(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_time_is_over };

	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	end_after(argc, argv);
}

/* Argument NR as a number, or OTHERWISE. */
static inline uint64_t argument(int argc, char **argv, int nr, uint64_t otherwise)
{
	return argc > nr ? strtoull(argv[nr], NULL, 10) : otherwise;
}

/* Inlined: the sleeping call is made by the function that is named. */
static inline __attribute__((always_inline)) void sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static inline __attribute__((always_inline)) void spin_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		burn(20);
}

/* Before the first wait of a thread whose waits are to be found by its name. */
static inline void name_thread(const char *name)
{
	pthread_setname_np(pthread_self(), name);
}

static inline pthread_t start_thread(const char *name, void *(*body)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, arg) != 0)
		exit(1);
	pthread_setname_np(thread, name);
	return thread;
}

/* Returns when thread TID of this process sleeps: it has reached the wait that it is to show. */
static inline void until_asleep(pid_t tid)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		const char *state;

		close(fd);
		text[n > 0 ? n : 0] = '\0';
		state = strrchr(text, ')');
		if (!state || state[2] == 'S' || state[2] == 'D')
			return;
		sleep_ns(NSEC_PER_MSEC);
	}
}

#endif
