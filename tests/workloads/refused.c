// SPDX-License-Identifier: BSD-2-Clause
/*
 * refused.c - for each number N that it reads from standard input, makes each of these system calls N times, and says
 * "done": dup3() with a flag that there is not (EINVAL), to the same descriptor (EINVAL), of a descriptor that is not
 * open (EBADF), and one that is not refused. With "open N" these instead: openat() of a file that there is not
 * (ENOENT), below one that is no directory (ENOTDIR), and of one that there is. With "read N" it reads /proc/self/stat
 * N times. With "time N" it calls dup3() of the same descriptor N times, and says how many ns one of them took.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNUSED 900

static void ask(void)
{
	if (dup3(0, UNUSED, 0x4d) != -1 || dup3(0, 0, 0) != -1 || dup3(UNUSED + 1, UNUSED, 0) != -1 ||
	    dup3(0, UNUSED, 0) != UNUSED)
		_exit(2);
}

static void ask_open(void)
{
	int fd;

	if (open("/absent", O_RDONLY) != -1 || open("/proc/self/stat/below", O_RDONLY) != -1)
		_exit(2);
	fd = open("/proc/self/stat", O_RDONLY);
	if (fd < 0 || close(fd))
		_exit(2);
}

static void ask_read(void)
{
	char text[512];
	const int fd = open("/proc/self/stat", O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text)) <= 0 || close(fd))
		_exit(2);
}

static void time_calls(unsigned long n)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (unsigned long i = 0; i < n; i++)
		if (dup3(0, 0, 0) != -1)
			_exit(2);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("took %ld\n", n ? ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec) / (long)n : 0);
}

int main(int argc, char **argv)
{
	char line[64];

	end_after(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	ready();
	while (fgets(line, sizeof(line), stdin)) {
		const bool opens = !strncmp(line, "open ", 5), reads = !strncmp(line, "read ", 5);
		const char *number = opens || reads ? line + 5 : line;

		if (!strncmp(line, "time ", 5)) {
			time_calls(strtoul(line + 5, NULL, 10));
			puts("done");
			continue;
		}
		for (unsigned long n = strtoul(number, NULL, 10); n; n--)
			if (opens)
				ask_open();
			else if (reads)
				ask_read();
			else
				ask();
		puts("done");
	}
	return 0;
}
