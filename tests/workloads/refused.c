// SPDX-License-Identifier: BSD-2-Clause
/*
 * refused.c - for each number N that it reads from standard input, makes each of these system calls N times, and says
 * "done": dup3() with a flag that there is not (EINVAL), to the same descriptor (EINVAL), of a descriptor that is not
 * open (EBADF), and one that is not refused.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <fcntl.h>
#include <unistd.h>

#define UNUSED 900

static void ask(void)
{
	if (dup3(0, UNUSED, 0x4d) != -1 || dup3(0, 0, 0) != -1 || dup3(UNUSED + 1, UNUSED, 0) != -1 ||
	    dup3(0, UNUSED, 0) != UNUSED)
		_exit(2);
}

int main(int argc, char **argv)
{
	char line[64];

	end_after(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	ready();
	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned long n = strtoul(line, NULL, 10); n; n--)
			ask();
		puts("done");
	}
	return 0;
}
