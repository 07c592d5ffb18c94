// SPDX-License-Identifier: BSD-2-Clause
/*
 * retprobe.c - return probes, as tracers set them, at offsets of a file: retprobe FILE OFFSET...
 * Prints "ready" and keeps them until stdin ends.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int number_in(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int n = 0;

	if (!f || fscanf(f, "%u", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config = 1 };    /* bit 0: at the return */
	char end;

	if (argc < 3)
		return 2;
	attr.type = number_in("/sys/bus/event_source/devices/uprobe/type");
	attr.config1 = (uintptr_t)argv[1];
	for (int i = 2; i < argc; i++) {
		attr.config2 = strtoull(argv[i], NULL, 16);
		if (!attr.type || syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0ul) < 0) {
			perror("a return probe");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	return read(0, &end, 1) < 0;
}
