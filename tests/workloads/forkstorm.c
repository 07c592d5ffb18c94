// SPDX-License-Identifier: BSD-2-Clause
/*
 * forkstorm.c - like a compile: two children at a time, each a new program (itself) that works 50
 * to 100 ms of CPU time, and exits.
 */
#include "workload.h"

#include <string.h>
#include <sys/wait.h>

/* CPU time of this process: a child has its work to do, however long that takes beside others. */
static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

NOINLINE void child_burn(double ms)
{
	double end = now_ms() + ms;

	while (now_ms() < end)
		burn(100000);
}

static void start_child(char *self, unsigned int nr)
{
	char ms[16];
	char *argv[] = { self, (char *)"child", ms, NULL };

	snprintf(ms, sizeof(ms), "%u", 50 + nr * 7 % 51);
	if (fork() == 0) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
}

int main(int argc, char **argv)
{
	unsigned int nr = 0;

	if (argc > 2 && strcmp(argv[1], "child") == 0) {
		child_burn(atoi(argv[2]));
		return 0;
	}
	end_after(argc, argv);
	ready();
	start_child(argv[0], nr++);
	for (;;) {
		start_child(argv[0], nr++);
		wait(NULL);
	}
}
