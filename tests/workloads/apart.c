// SPDX-License-Identifier: BSD-2-Clause
/*
 * apart.c - one call of read(2), of a pipe or of a socket by chance: apart [S]
 *
 * The waits of the reader differ in nothing but the kernel's stack, and in how long they are:
 * another thread answers after 200 us in the pipe, and after 600 us in the socket.
 */
#include "truth.h"

#include <sys/socket.h>

enum { PIPE, SOCKET };

static const uint64_t answer_ns[] = { 200 * NSEC_PER_USEC, 600 * NSEC_PER_USEC };
static int from[2], to[2];               /* by kind: where the reader reads, and where it is answered */
static int ask[2];
static struct truth waited[] = { { .name = "pipe" }, { .name = "socket" } };

NOINLINE void waits(int kind)
{
	char c;

	if (read(from[kind], &c, 1) != 1)
		time_is_over = 1;
	sink++;
}

NOINLINE void *read_both(void *arg)
{
	unsigned int seed = 1;

	while (!time_is_over) {
		const char kind = (char)(rand_r(&seed) & 1);

		if (write(ask[1], &kind, 1) != 1)
			break;
		truth_begin(&waited[(int)kind]);
		waits(kind);
		truth_end(&waited[(int)kind], 1);
	}
	close(ask[1]);
	return arg;
}

NOINLINE void *answer_both(void *arg)
{
	char kind;

	while (read(ask[0], &kind, 1) == 1) {
		spin_ns(answer_ns[(int)kind]);
		if (write(to[(int)kind], &kind, 1) != 1)
			break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	int fds[2], pair[2];
	pthread_t t[2];

	tell_after(argc, argv);
	if (pipe(fds) || pipe(ask) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	from[PIPE] = fds[0];
	to[PIPE] = fds[1];
	from[SOCKET] = pair[0];
	to[SOCKET] = pair[1];
	ready();
	t[0] = start_thread("reader", read_both, NULL);
	t[1] = start_thread("answerer", answer_both, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		truth_tell(&waited[i]);
	return 0;
}
