// SPDX-License-Identifier: BSD-2-Clause
/*
 * pingpong.c - two threads that send one byte to and fro through two pipes: pingpong [S] [ROUNDS].
 * Waits of microseconds.
 */
#include "truth.h"

#define BATCH 100u

static int to_pong[2], to_ping[2];
static uint64_t rounds;

NOINLINE void ping_rounds(unsigned int n)
{
	char c = 0;

	while (n--)
		if (write(to_pong[1], &c, 1) != 1 || read(to_ping[0], &c, 1) != 1)
			return;
	sink++;
}

/* False when ping has gone. */
NOINLINE bool pong_rounds(unsigned int n)
{
	char c;

	while (n--)
		if (read(to_pong[0], &c, 1) != 1 || write(to_ping[1], &c, 1) != 1)
			return false;
	return true;
}

static void *pong(void *arg)
{
	struct truth *t = arg;
	bool more;

	do {
		truth_begin(t);
		more = pong_rounds(BATCH);
		truth_end(t, BATCH);
	} while (more);
	return arg;
}

int main(int argc, char **argv)
{
	struct truth ping = { .name = "ping_rounds", .short_waits = true };
	struct truth pong_truth = { .name = "pong_rounds", .short_waits = true };
	pthread_t t;

	tell_after(argc, argv);
	rounds = argument(argc, argv, 2, 100000);
	if (pipe(to_pong) || pipe(to_ping))
		return 1;
	ready();
	t = start_thread("pong", pong, &pong_truth);
	for (uint64_t i = 0; i < rounds && !time_is_over; i += BATCH) {
		truth_begin(&ping);
		ping_rounds(BATCH);
		truth_end(&ping, BATCH);
	}
	close(to_pong[1]);
	pthread_join(t, NULL);
	truth_tell(&ping);
	truth_tell(&pong_truth);
	return 0;
}
