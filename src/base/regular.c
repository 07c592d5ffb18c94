/* SPDX-License-Identifier: BSD-2-Clause */
/* regular.c - see regular.h. */
#include "config.h"

#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

int reopen_fd(int fd)
{
	char path[40];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return r < 0 ? -errno : r;
}

int regular_reopen(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISLNK(st.st_mode) ? -ELOOP : -ENOTSUP;
	return reopen_fd(fd);
}
