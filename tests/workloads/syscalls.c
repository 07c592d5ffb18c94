// SPDX-License-Identifier: BSD-2-Clause
/* syscalls.c - nearly all time in the kernel: read() of /dev/zero, 64 KB at a time. */
#include "workload.h"

#include <fcntl.h>

static char buffer[64u << 10];

NOINLINE void read_zeros(int fd)
{
	for (int i = 0; i < 100; i++)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			_exit(1);
	sink++;
}

int main(int argc, char **argv)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 1;
	end_after(argc, argv);
	ready();
	for (;;)
		read_zeros(fd);
}
