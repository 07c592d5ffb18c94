/* SPDX-License-Identifier: BSD-2-Clause */
/* openfiles.c - see openfiles.h. */
#include "config.h"

#include "system/openfiles.h"

#include "base/cleanup.h"
#include "system/procfs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool openfiles_of(pid_t pid, bool (*see)(void *ctx, const struct openfile *f), void *ctx)
{
	AUTO_FD int proc = proc_open(pid);
	const int fds = proc < 0 ? -1 : openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_DIR DIR *dir = fds < 0 ? NULL : fdopendir(fds);
	const struct dirent *at;
	bool on = true;

	if (!dir && fds >= 0)
		close(fds);
	while (on && dir && (at = readdir(dir))) {
		struct openfile f = { .pid = pid, .proc = proc, .fd = (int)strtol(at->d_name, NULL, 10) };
		const ssize_t n = readlinkat(dirfd(dir), at->d_name, f.to, sizeof(f.to) - 1);

		if (n <= 0)
			continue;
		f.to[n] = '\0';
		on = see(ctx, &f);
	}
	return on;
}

bool openfiles_each(bool (*see)(void *ctx, const struct openfile *f), void *ctx)
{
	AUTO_DIR DIR *dir = opendir("/proc");
	const struct dirent *at;
	bool on = true;

	while (on && dir && (at = readdir(dir))) {
		const long pid = strtol(at->d_name, NULL, 10);

		if (pid > 0)
			on = openfiles_of((pid_t)pid, see, ctx);
	}
	return on;
}

bool openfile_number(const struct openfile *f, const char *key, int base, unsigned long *ret)
{
	char name[32], text[4096];
	const char *at;
	char *end;

	snprintf(name, sizeof(name), "fdinfo/%d", f->fd);
	if (!proc_read_start(f->proc, name, text, sizeof(text)))
		return false;
	for (at = strstr(text, key); at && at != text && at[-1] != '\n'; at = strstr(at + 1, key))
		;
	if (!at)
		return false;
	*ret = strtoul(at + strlen(key), &end, base);
	return end != at + strlen(key);
}
