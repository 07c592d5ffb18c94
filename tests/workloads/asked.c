// SPDX-License-Identifier: BSD-2-Clause
/*
 * asked.c - for each number N that it reads from standard input, calls outer(), which calls
 * counted(), N times, and says "done": asked [fork]. With "fork" a child does so, 0.3 s after it
 * was born. "probed N" first waits until counted() has a breakpoint, 20 s at most.
 */
#include "workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOKED_AT 16u            /* bytes of counted() in which a breakpoint may be */

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

/* Where in the file of this program the code at ADDR is. */
static long offset_of(unsigned long addr)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset;
	long ret = -1;
	char line[512];

	while (maps && ret < 0 && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && addr >= from && addr < to)
			ret = (long)(addr - from + offset);
	if (maps)
		fclose(maps);
	return ret;
}

/* A breakpoint is in the memory of the process, and not in its file. */
static void wait_for_probe(void)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	unsigned char code[LOOKED_AT];

	if (fd >= 0 && pread(fd, code, sizeof(code), offset_of((unsigned long)counted)) == (ssize_t)sizeof(code))
		for (int i = 0; i < 20000 && !memcmp((const void *)counted, code, sizeof(code)); i++)
			usleep(1000);
	close(fd);
}

static void call(const char *line)
{
	const char *number = strncmp(line, "probed ", 7) ? line : line + 7;
	const unsigned long n = strtoul(number, NULL, 10);

	if (number != line)
		wait_for_probe();
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

		if (forks && !pid) {
			usleep(300000);
			call(line);
			_exit(0);
		}
		if (forks)
			waitpid(pid, NULL, 0);
		else
			call(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
