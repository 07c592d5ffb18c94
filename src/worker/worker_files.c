/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker_files.c - open(2) of libraries in sberf-worker, where nothing can be opened: libdw opens the other halves of
 * split units by itself. What the filter of system calls refuses is asked of sberf.
 */
#include "config.h"

#include "symbol/target_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
	static bool asking;              /* target_root_open() may come back here */
	mode_t mode = 0;
	va_list args;
	int fd;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (fd >= 0 || errno != EPERM || (flags & O_ACCMODE) != O_RDONLY || asking)
		return fd;
	asking = true;
	fd = target_root_open(-1, path);
	asking = false;
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}
