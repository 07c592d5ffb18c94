// SPDX-License-Identifier: BSD-2-Clause
/*
 * asked.c - for each number N that it reads from standard input, calls outer(), which calls
 * counted(), N times, and says "done": asked [fork]. With "fork" a child does so, 0.3 s after it
 * was born.
 */
#include "workload.h"

#include <string.h>
#include <sys/wait.h>

NOINLINE void counted(unsigned long i)
{
	sink += i;
	__asm__ volatile("");
}

NOINLINE void outer(unsigned long i)
{
	counted(i);
	sink++;
}

static void call(const char *line)
{
	const unsigned long n = strtoul(line, NULL, 10);

	for (unsigned long i = 0; i < n; i++)
		outer(i);
}

int main(int argc, char **argv)
{
	const int forks = argc > 1 && !strcmp(argv[1], "fork");
	char line[64];

	ready();
	while (fgets(line, sizeof(line), stdin)) {
		const pid_t pid = forks ? fork() : 0;

		if (pid > 0) {
			waitpid(pid, NULL, 0);
			continue;
		}
		if (forks)
			usleep(300000);
		call(line);
		if (forks)
			_exit(0);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
