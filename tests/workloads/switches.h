/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switches.h - when a thread left its CPU and when it was back, by the kernel's own trace of it
 * (sched:sched_switch, read by way of perf_event_open(2)), for programs whose waits are of
 * microseconds. There it matters where within a switch a clock stops: the scheduler's and perf's,
 * which truth.h takes otherwise, tell waits of 10 us 7 % apart. The trace is of the same moments as
 * those that a profiler sees, and has a clock of its own to tell them by.
 *
 * The thread stays on its CPU, and must be followed often: what has not been read finds no room
 * after some 5,000 switches.
 *
 * Whoever follows switches is called in turn, and what one does takes the time of those behind him:
 * a profiler's work made waits of 15 us look 0.6 us longer here. So switches_first() takes the
 * place in front, before the profiler begins.
 */
#ifndef SBERF_TESTS_SWITCHES_H
#define SBERF_TESTS_SWITCHES_H

#include "workload.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define SWITCH_PAGES 64u         /* of the ring; a power of 2 */
#define SWITCH_RING (SWITCH_PAGES * 4096u)

struct switches {
	int fd;
	uint32_t tid;
	struct perf_event_mmap_page *page;       /* NULL: there is no trace for this program */
	uint64_t out_ns, off_ns;
	bool off;
};

struct switch_record {
	struct perf_event_header h;
	uint32_t pid, tid;       /* of who leaves */
	uint64_t ns;
};

/* The number of the trace point; 0 when it cannot be read. */
static inline uint64_t switch_id(void)
{
	char text[32] = "";
	int fd = open("/sys/kernel/tracing/events/sched/sched_switch/id", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strtoull(text, NULL, 10);
}

/* The event of this CPU, switched off. */
static inline int switch_event(unsigned long flags)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = switch_id(), .sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.disabled = 1, .watermark = 1, .wakeup_watermark = SWITCH_RING,
	};

	return attr.config ? (int)syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1, flags) : -1;
}

/* Traces of this kind are in front of those that begin from now on, while this process lives or what it executes. */
static inline void switches_first(void)
{
	(void)switch_event(0);
}

/* Follows the calling thread from now on; false where that is not possible, or it may go to another CPU. */
static inline bool switches_open(struct switches *s)
{
	cpu_set_t cpus;
	char mine[64];
	void *page;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) != 1)
		return false;
	*s = (struct switches){ .tid = (uint32_t)gettid(), .fd = switch_event(PERF_FLAG_FD_CLOEXEC) };
	if (s->fd < 0)
		return false;
	snprintf(mine, sizeof(mine), "prev_pid == %u || next_pid == %u", s->tid, s->tid);
	page = mmap(NULL, SWITCH_RING + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (page == MAP_FAILED || ioctl(s->fd, PERF_EVENT_IOC_SET_FILTER, mine) ||
	    ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	s->page = page;
	return true;
}

static inline void switch_copy(const struct switches *s, uint64_t at, void *dst, size_t n)
{
	const char *ring = (const char *)s->page + s->page->data_offset;

	for (size_t i = 0; i < n; i++)
		((char *)dst)[i] = ring[(at + i) % SWITCH_RING];
}

static inline void switch_count(struct switches *s, const struct switch_record *r)
{
	if (r->tid == s->tid) {
		s->off = true;
		s->out_ns = r->ns;
	} else if (s->off) {
		s->off = false;
		s->off_ns += r->ns - s->out_ns;
	}
}

/* How long the thread has been off its CPU so far. Ends the program when the trace has gaps. */
static inline uint64_t switches_off_ns(struct switches *s)
{
	const uint64_t head = __atomic_load_n(&s->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = s->page->data_tail;

	while (at < head) {
		struct switch_record r;

		switch_copy(s, at, &r.h, sizeof(r.h));
		if (r.h.type == PERF_RECORD_LOST) {
			fprintf(stderr, "the trace of switches has gaps\n");
			exit(3);
		}
		if (r.h.type == PERF_RECORD_SAMPLE) {
			switch_copy(s, at, &r, sizeof(r));
			switch_count(s, &r);
		}
		at += r.h.size;
	}
	__atomic_store_n(&s->page->data_tail, head, __ATOMIC_RELEASE);
	return s->off_ns;
}

#endif
