/* SPDX-License-Identifier: BSD-2-Clause */
/* vdso_file.c - the kernel says where it is (AT_SYSINFO_EHDR), /proc/self/maps says how long. */
#include "config.h"

#include "process/vdso_file.h"

#include "base/cleanup.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

struct search {
	uint64_t at;
	size_t len;
};

static void vdso_file_look(void *ctx, const struct maps_line *m)
{
	struct search *s = ctx;

	if (m->start == s->at)
		s->len = (size_t)(m->end - m->start);
}

const void *vdso_find(size_t *ret_len)
{
	struct search s = { .at = getauxval(AT_SYSINFO_EHDR) };
	AUTO_FD int dir = proc_open(getpid());

	if (!s.at || dir < 0 || proc_read_maps(dir, vdso_file_look, &s) < 0 || !s.len)
		return NULL;
	*ret_len = s.len;
	return (const void *)(uintptr_t)s.at;
}

int vdso_open(void)
{
	AUTO_FD int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t len = 0, at = 0;
	const char *bytes = vdso_find(&len);

	if (fd < 0)
		return -errno;
	if (!bytes)
		return -ENOENT;
	while (at < len) {
		const ssize_t n = pwrite(fd, bytes + at, len - at, (off_t)at);

		if (n <= 0)
			return n ? -errno : -EIO;
		at += (size_t)n;
	}
	return take_fd(&fd);
}
