/* SPDX-License-Identifier: BSD-2-Clause */
/* oomkills.c - memory.events of cgroup v2 (5.2), memory.oom_control of version 1 (4.13). */
#include "config.h"

#include "system/oomkills.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEY "oom_kill "
#define MOUNT_OF_MEMORY "/sys/fs/cgroup/memory"  /* where every distribution has it */

uint64_t oomkills_parse(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		uint64_t n;

		line += *line == '\n';
		if (strncmp(line, KEY, strlen(KEY)))
			continue;
		line += strlen(KEY);
		return parse_dec(&line, line + strlen(line), &n) ? n : 0;
	}
	return 0;
}

/* The path behind WHAT in a line of TEXT, "N:WHAT:PATH", to RET. */
static bool oomkills_find(const char *text, const char *what, char ret[PROC_PATH_MAX])
{
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		const char *colon;

		line += *line == '\n';
		colon = strchr(line, ':');
		if (!colon || strncmp(colon + 1, what, strlen(what)) || colon[1 + strlen(what)] != ':')
			continue;
		snprintf(ret, PROC_PATH_MAX, "%.*s", (int)strcspn(colon + 2 + strlen(what), "\n"),
			 colon + 2 + strlen(what));
		return true;
	}
	return false;
}

static uint64_t oomkills_read(const char *mount, const char *path, const char *name)
{
	char file[2 * PROC_PATH_MAX], text[1024];
	AUTO_FD int fd = -1;
	ssize_t n;

	snprintf(file, sizeof(file), "%s%s/%s", mount, path, name);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return 0;
	text[n] = '\0';
	return oomkills_parse(text);
}

uint64_t oomkills_count(void)
{
	char text[2 * PROC_PATH_MAX], path[PROC_PATH_MAX], mount[PROC_PATH_MAX];
	AUTO_FD int dir = proc_open(getpid());
	AUTO_FD int fd = -1;

	if (dir < 0 || proc_read_text(dir, "cgroup", text, sizeof(text)) <= 0)
		return 0;
	if (oomkills_find(text, "memory", path))
		return oomkills_read(MOUNT_OF_MEMORY, path, "memory.oom_control");
	fd = cgroup_mount(mount);
	return fd >= 0 && oomkills_find(text, "", path) ? oomkills_read(mount, path, "memory.events") : 0;
}
