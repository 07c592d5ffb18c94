/* SPDX-License-Identifier: BSD-2-Clause */
/* deadfs.c - the few requests of the FUSE protocol (linux/fuse.h) that come before the first read. */
#include "config.h"

#include "tests/unit/deadfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_ID 2                /* FUSE_ROOT_ID is 1 */
#define FILE_BYTES 65536

static void reply(int fd, const struct fuse_in_header *in, int code, void *body, size_t len)
{
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + len), .error = -code, .unique = in->unique };
	const struct iovec iov[] = { { &out, sizeof(out) }, { body, len } };

	if (writev(fd, iov, 2) < 0)
		_exit(1);
}

static struct fuse_attr attr_of(uint64_t id)
{
	const bool dir = id == FUSE_ROOT_ID;

	return (struct fuse_attr){ .ino = id, .mode = dir ? S_IFDIR | 0755 : S_IFREG | 0444, .nlink = 1,
				   .size = dir ? 0 : FILE_BYTES, .blksize = 4096 };
}

static void serve(int fd, const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
				      .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = FILE_ID, .entry_valid = 60, .attr_valid = 60,
					.attr = attr_of(FILE_ID) };
	struct fuse_attr_out attr = { .attr_valid = 60, .attr = attr_of(in->nodeid) };
	struct fuse_open_out open = { .open_flags = FOPEN_KEEP_CACHE };  /* or opening waits for pages being read */

	switch (in->opcode) {
	case FUSE_INIT:
		return reply(fd, in, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return reply(fd, in, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return reply(fd, in, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return reply(fd, in, 0, &open, sizeof(open));
	case FUSE_READ:
	case FUSE_INTERRUPT:
	case FUSE_FORGET:
		return;
	default:
		return reply(fd, in, ENOSYS, NULL, 0);
	}
}

/* Mounts, says so on READY, and serves. */
static _Noreturn void run(const char *dir, int ready)
{
	static union {
		struct fuse_in_header head;
		char bytes[FUSE_MIN_READ_BUFFER + 4096];
	} in;
	const int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || mount("deadfs", dir, "fuse", MS_NOSUID | MS_NODEV, options) || write(ready, "y", 1) != 1)
		_exit(1);
	close(ready);
	for (;;) {
		const ssize_t n = read(fd, &in, sizeof(in));

		if (n >= (ssize_t)sizeof(in.head))
			serve(fd, &in.head);
		else if (n < 0 && errno != EINTR && errno != ENOENT)
			_exit(0);
	}
}

pid_t deadfs_start(const char *dir)
{
	int fds[2];
	pid_t pid;
	char c;
	bool mounted;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || pipe2(fds, O_CLOEXEC))
		return 0;
	pid = fork();
	if (!pid)
		run(dir, fds[1]);
	close(fds[1]);
	mounted = pid > 0 && read(fds[0], &c, 1) == 1;
	close(fds[0]);
	return mounted ? pid : 0;
}
