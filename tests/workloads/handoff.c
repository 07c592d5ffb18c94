// SPDX-License-Identifier: BSD-2-Clause
/*
 * handoff.c - two threads that take turns by futex, each computes for MS in its turn: handoff [S] [MS] [COUNT]
 *
 * What one waits is what the other works, and it is the other that wakes it, and knows when.
 */
#include "truth.h"

#include <linux/futex.h>

enum { PING, PONG };

static uint32_t turn = PING;
static uint64_t work_ns, count;
static uint64_t handed_ns[2];            /* by side: when it was woken last */

static inline __attribute__((always_inline)) void wait_for(uint32_t side)
{
	uint32_t now;

	while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != side)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
	sink++;
}

static inline __attribute__((always_inline)) void hand_to(uint32_t side)
{
	handed_ns[side] = now_ns();
	__atomic_store_n(&turn, side, __ATOMIC_RELEASE);
	syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	sink++;
}

NOINLINE void ping_waits(void) { wait_for(PING); }
NOINLINE void ping_works(void) { spin_ns(work_ns); }
NOINLINE void ping_wakes(void) { hand_to(PONG); }
NOINLINE void pong_waits(void) { wait_for(PONG); }
NOINLINE void pong_works(void) { spin_ns(work_ns); }
NOINLINE void pong_wakes(void) { hand_to(PING); }

struct side {
	const char *thread;
	void (*waits)(void), (*works)(void), (*wakes)(void);
	struct truth waited, all;
};

static struct side sides[] = {
	{ "ping", ping_waits, ping_works, ping_wakes, { .name = "ping_waits" }, { .name = "thread:ping" } },
	{ "pong", pong_waits, pong_works, pong_wakes, { .name = "pong_waits" }, { .name = "thread:pong" } },
};

NOINLINE void *play(void *arg)
{
	struct side *s = arg;

	name_thread(s->thread);
	truth_begin(&s->all);
	for (uint64_t i = 0; i < count && !time_is_over; i++) {
		truth_begin(&s->waited);
		s->waits();
		truth_end(&s->waited, 1);
		truth_woken(&s->waited, handed_ns[s - sides]);
		s->works();
		s->wakes();
	}
	truth_end(&s->all, count);
	/* Stopped by the clock: the other side must not wait for ever. */
	if (time_is_over)
		s->wakes();
	return arg;
}

int main(int argc, char **argv)
{
	uint64_t begin, life[2];
	pthread_t t[2];

	tell_after(argc, argv);
	work_ns = argument(argc, argv, 2, 4) * NSEC_PER_MSEC;
	count = argument(argc, argv, 3, 250);
	ready();
	begin = now_ns();
	for (int i = 0; i < 2; i++)
		t[i] = start_thread(sides[i].thread, play, &sides[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], NULL);
		life[i] = now_ns() - begin;
	}
	for (int i = 0; i < 2; i++) {
		truth_tell(&sides[i].waited);
		truth_tell(&sides[i].all);
		printf("truth: thread:%s life %" PRIu64 "\n", sides[i].thread, life[i]);
	}
	return 0;
}
