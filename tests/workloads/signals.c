// SPDX-License-Identifier: BSD-2-Clause
/* signals.c - works in a signal handler that interrupted work; second argument "alt": on an alternate stack. */
#include "workload.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#define ALT_SIZE (64u << 10)

static volatile sig_atomic_t in_handler;

NOINLINE void handler_work(void)
{
	ready();
	for (;;)
		burn(1000000);
}

void handler(int sig)
{
	(void)sig;
	in_handler = 1;
	handler_work();
	sink++;
}

/* The signal comes from a timer, so that it interrupts an ordinary instruction. */
NOINLINE void interrupted_work(void)
{
	while (!in_handler)
		burn(1000);
}

NOINLINE void caller_of_work(void)
{
	interrupted_work();
	sink++;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = handler };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec in = { .it_value = { .tv_nsec = 20000000 } };
	timer_t timer;

	end_after(argc, argv);
	if (argc > 2 && strcmp(argv[2], "alt") == 0) {
		stack_t ss = { .ss_size = ALT_SIZE };

		ss.ss_sp = mmap(NULL, ALT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ss.ss_sp == MAP_FAILED || sigaltstack(&ss, NULL) < 0)
			return 1;
		sa.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGUSR1, &sa, NULL);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) < 0 || timer_settime(timer, 0, &in, NULL) < 0)
		return 1;
	caller_of_work();
	return 0;
}
