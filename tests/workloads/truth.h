/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * truth.h - for programs that wait: they measure themselves and say at their end how long they were
 * off the CPU, and where.
 *
 *	truth: nap off 4610239118 blocked 4608910034 runnable 1329084 count 200 longest 23101422
 *	truth: thread:naps off ... wall ... running ...
 *
 * All in ns. *off* is the time that passed less the time that the thread was on a CPU, from switch
 * to switch (perf's task clock). CLOCK_THREAD_CPUTIME_ID would not do: the scheduler charges a
 * thread that takes over an idle CPU from its waking on, since it does not read its clock again for
 * the switch (rq_clock_skip_update()). In between the CPU finishes its interrupt and leaves its
 * idle state, which takes 5 to 40 us in a virtual machine; it made waits of 200 us look 5 % too
 * short. Where perf_event_open(2) is not allowed, that clock is taken all the same. It is taken for
 * waits of microseconds on one CPU, too: perf's is some 0.3 us late at each end, and there the
 * scheduler's has no fault. What needs to be more exact follows its switches one by one
 * (switches.h). *blocked* is the time until it is woken, *runnable* the rest. Of a wait that
 * another thread ends, that one knows when (truth_woken()). Else *runnable* is what the kernel
 * tells of run queues (/proc/thread-self/schedstat), which does have that fault: a part of the run
 * queue counts as blocked, so it is for waits of some milliseconds that timers end.
 *
 * A program measures around calls of the named function, or around many at once when they are
 * short: what its caller does between the two clocks is far below a microsecond.
 */
#ifndef SBERF_TESTS_TRUTH_H
#define SBERF_TESTS_TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE              /* included first, so it holds for all */
#endif

#include "switches.h"
#include "workload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
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
	/* set before: they are of microseconds, on a CPU shared with who ends them */
	bool short_waits;
	struct switches *switches;               /* set before: followed; NULL: not */
	uint64_t clock0, cpu0, queue0, off0;     /* where the measurement under way began */
	bool knows_blocked;                      /* from those who ended its waits, */
	uint64_t blocked;                        /* so long in all */
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

/*
 * How long this thread has been on a CPU, since some moment of its own. Its counter is left to the
 * end of the process.
 */
static inline uint64_t running_ns(const struct truth *t)
{
	static __thread int fd = -1;
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK };
	uint64_t ns;

	if (t->short_waits)
		return clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (fd == -1)
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fd = -2;         /* not again */
	return fd >= 0 && read(fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : clock_ns(CLOCK_THREAD_CPUTIME_ID);
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
	t->off0 = t->switches ? switches_off_ns(t->switches) : 0;
	t->cpu0 = running_ns(t);
	t->clock0 = clock_ns(CLOCK_MONOTONIC);
}

/* COUNT waits are over since truth_begin(). */
static inline void truth_end(struct truth *t, uint64_t count)
{
	uint64_t cpu = running_ns(t) - t->cpu0, wall = clock_ns(CLOCK_MONOTONIC) - t->clock0;
	uint64_t off = t->switches ? switches_off_ns(t->switches) - t->off0 : wall > cpu ? wall - cpu : 0;

	t->runnable += queue_ns() - t->queue0;
	t->off += off;
	t->wall += wall;
	t->running += wall > off ? wall - off : 0;
	t->count += count;
	if (off > t->longest)
		t->longest = off;
}

/* The wait that truth_begin() was called for was ended at WOKEN_NS; 0, or before it began: it was not blocked. */
static inline void truth_woken(struct truth *t, uint64_t woken_ns)
{
	t->knows_blocked = true;
	t->blocked += woken_ns > t->clock0 ? woken_ns - t->clock0 : 0;
}

static inline void truth_tell(const struct truth *t)
{
	/* Two clocks: each may run ahead of the time that there was. */
	const uint64_t known = t->knows_blocked ? t->blocked : t->off > t->runnable ? t->off - t->runnable : 0;
	const uint64_t blocked = known < t->off ? known : t->off;

	printf("truth: %s off %" PRIu64 " blocked %" PRIu64 " runnable %" PRIu64 " count %" PRIu64 " longest %" PRIu64
	       " wall %" PRIu64 " running %" PRIu64 "\n", t->name, t->off, blocked, t->off - blocked,
	       t->count, t->longest, t->wall, t->running);
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

/* Returns when thread TID, of this process or another one, sleeps: it has reached the wait that it is to show. */
static inline void until_asleep(pid_t tid)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
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
