// SPDX-License-Identifier: BSD-2-Clause
/*
 * fsyncs.c - writes KB and waits until they are on the disk, in one function: fsyncs [S] [FILE]
 * [KB]. FILE is made and removed.
 */
#include "truth.h"

static char block[4u << 20];
static size_t block_bytes;

NOINLINE int write_through(int fd, uint64_t nr)
{
	block[0] = (char)nr;
	if (pwrite(fd, block, block_bytes, 0) < 0)
		return -1;
	return fsync(fd);
}

int main(int argc, char **argv)
{
	struct truth t = { .name = "write_through" };
	const char *path = argc > 2 ? argv[2] : "fsyncs.tmp";
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return 1;
	unlink(path);
	block_bytes = argument(argc, argv, 3, 4) << 10;
	if (block_bytes > sizeof(block))
		return 2;
	tell_after(argc, argv);
	ready();
	for (uint64_t i = 0; !time_is_over; i++) {
		truth_begin(&t);
		if (write_through(fd, i))
			return 1;
		truth_end(&t, 1);
	}
	truth_tell(&t);
	return 0;
}
