/* SPDX-License-Identifier: BSD-2-Clause */
/* find.c - the folder is "plugins" beside what else is installed. */
#include "config.h"

#include "plugin/find.h"

#include "base/cleanup.h"
#include "base/installed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x10u                   /* since Linux 6.3 */
#endif

/* May only root, or also whoever runs sberf, change what ST is of? */
static bool plugin_is_safe(const struct stat *st, uid_t also)
{
	return (st->st_uid == 0 || st->st_uid == also) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Copies the SIZE bytes of FD into memory. */
static int plugin_copy(int fd, off_t size)
{
	AUTO_FD int copy = memfd_create("sberf-plugin", MFD_CLOEXEC | MFD_EXEC);
	off_t at = 0;

	if (copy < 0 && errno == EINVAL)
		copy = memfd_create("sberf-plugin", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	while (at < size) {
		const ssize_t n = sendfile(copy, fd, &at, (size_t)(size - at));

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return n ? -errno : -EIO;
	}
	return take_fd(&copy);
}

int plugin_file_open(const char *path, bool safe, struct err *e)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st))
		return err_set(e, errno, "cannot open plug-in %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > PLUGIN_FILE_MAX)
		return err_set(e, EINVAL, "%s is no plug-in: it is %s", path,
			       S_ISREG(st.st_mode) ? "too large" : "no regular file");
	if (safe && !plugin_is_safe(&st, geteuid()))
		return err_set(e, EPERM, "plug-in %s can be changed by others: give it to root, and take the right to "
			       "write from its group and others (chmod go-w)", path);
	r = plugin_copy(fd, st.st_size);
	return r < 0 ? err_set(e, -r, "cannot read plug-in %s: %s", path, strerror(-r)) : r;
}

bool plugin_folder(char ret[PATH_MAX])
{
	return installed_find("plugins", ret);
}

static int plugin_is_library(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);

	return n > 3 && !strcmp(d->d_name + n - 3, ".so");
}

int plugin_folder_each(void (*each)(void *ctx, const char *path), void *ctx, struct err *e)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct dirent **entry;
	struct stat st;
	int n;

	if (!plugin_folder(folder) || stat(folder, &st) || !S_ISDIR(st.st_mode))
		return 0;
	if (!plugin_is_safe(&st, 0))
		return err_set(e, EPERM, "no plug-ins of %s are used: it is not root's, or others can write to it",
			       folder);
	n = scandir(folder, &entry, plugin_is_library, alphasort);
	for (int i = 0; i < n; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name) < PATH_MAX)
			each(ctx, path);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return 0;
}
