/* SPDX-License-Identifier: BSD-2-Clause */
/* proclink.c - see proclink.h. */
#include "config.h"

#include "collector/proclink.h"

#include "base/cleanup.h"
#include "collector/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* By who may. */
static int proclink_ask(const char *path)
{
	uint64_t start, end;
	int pid, n = 0;

	if (sscanf(path, "/proc/%d/map_files/%" SCNx64 "-%" SCNx64 "%n", &pid, &start, &end, &n) == 3 && !path[n])
		return ask_mapped(pid, start, end);
	n = 0;
	if (sscanf(path, "/proc/%d/exe%n", &pid, &n) == 1 && n && !path[n])
		return ask_for(COLLECTOR_EXE, pid);
	return -EACCES;
}

int proclink_open(const char *path)
{
	int own, n = 0, fd;

	/* Who may not open a file may still have it open. */
	if (sscanf(path, "/proc/self/fd/%d%n", &own, &n) == 1 && !path[n])
		fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0)
		return fd;
	return (errno == EACCES || errno == EPERM) && collector_is_there() ? proclink_ask(path) : -errno;
}

bool proclink_is_there(const char *path)
{
	AUTO_FD int fd = -1;

	if (!access(path, F_OK))
		return true;
	if ((errno != EACCES && errno != EPERM) || !collector_is_there())
		return false;
	fd = proclink_ask(path);
	return fd >= 0;
}
