// SPDX-License-Identifier: BSD-2-Clause
/*
 * mixed.c - waits of about 10 us and of 50 ms, in one thread and in one system call: mixed [S]
 * [SHORTS], or mixed first COMMAND...
 *
 * A partner answers when the time that it was told is over. short_waits: after 8 us that it
 * computes, SHORTS times (1000); long_waits: after 50 ms that it sleeps, once. Then again. To be
 * pinned to one CPU, so that waits are what was asked for, and their switches can be followed
 * ("truth: clock switches 1"), without which short_waits are known within 7 % only. With "first" it
 * becomes COMMAND, of a profiler that runs it again, whose own following of switches then comes
 * after its.
 */
#include "truth.h"

#include <linux/futex.h>

#define SHORT_NS (8 * NSEC_PER_USEC)
#define LONG_NS (50 * NSEC_PER_MSEC)

enum { IDLE, ASKED, QUIT };

static uint32_t word;
static uint64_t answer_after_ns;

static inline __attribute__((always_inline)) void set(uint32_t to)
{
	__atomic_store_n(&word, to, __ATOMIC_RELEASE);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline __attribute__((always_inline)) void wait_while(uint32_t is)
{
	while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == is)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, is, NULL, NULL, 0);
}

static inline __attribute__((always_inline)) void ask(uint64_t ns, uint64_t times)
{
	while (times--) {
		answer_after_ns = ns;
		set(ASKED);
		wait_while(ASKED);
	}
	sink++;
}

NOINLINE void short_waits(uint64_t times) { ask(SHORT_NS, times); }
NOINLINE void long_waits(uint64_t times) { ask(LONG_NS, times); }

NOINLINE void partner_waits(void)
{
	wait_while(IDLE);
	sink++;
}

NOINLINE void *partner(void *arg)
{
	for (;;) {
		partner_waits();
		if (word == QUIT)
			return arg;
		if (answer_after_ns >= NSEC_PER_MSEC)
			sleep_ns(answer_after_ns);
		else
			spin_ns(answer_after_ns);
		set(IDLE);
	}
}

int main(int argc, char **argv)
{
	static struct switches switches;
	struct truth shorts = { .name = "short_waits", .short_waits = true }, longs = { .name = "long_waits" };
	struct truth all = { .name = "thread:mixed" };
	uint64_t n;
	pthread_t t;

	if (argc > 2 && !strcmp(argv[1], "first")) {
		switches_first();
		execvp(argv[2], argv + 2);
		return 127;
	}
	tell_after(argc, argv);
	n = argument(argc, argv, 2, 1000);
	if (switches_open(&switches))
		shorts.switches = longs.switches = all.switches = &switches;
	printf("truth: clock switches %d\n", all.switches != NULL);
	ready();
	t = start_thread("partner", partner, NULL);
	truth_begin(&all);
	do {
		truth_begin(&shorts);
		short_waits(n);
		truth_end(&shorts, n);
		truth_begin(&longs);
		long_waits(1);
		truth_end(&longs, 1);
	} while (!time_is_over);
	truth_end(&all, shorts.count + longs.count);
	set(QUIT);
	pthread_join(t, NULL);
	truth_tell(&shorts);
	truth_tell(&longs);
	truth_tell(&all);
	return 0;
}
