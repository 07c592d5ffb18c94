/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_root.c - see target_root.h. A thread may have a root of its own once it does not share it
 * with the others any more (unshare(2)).
 */
#include "config.h"

#include "symbol/target_root.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static int open_below(int root, const char *path)
{
	const struct open_how how = { .flags = READING, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	const int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	/*
	 * A seccomp filter may refuse openat2. Whoever looks for a file here compares what is found
	 * with what is wanted.
	 */
	return fd < 0 && (errno == ENOSYS || errno == EPERM) ? openat(root, path + strspn(path, "/"), READING) : fd;
}

static target_root_opener *left_to;      /* NULL = files are opened here */
static bool inside;                      /* of target_root_run(), if they are not */

void target_root_leave_to(target_root_opener *open)
{
	left_to = open;
}

int target_root_open(int root, const char *path)
{
	AUTO_FD int fd = left_to ? left_to(path, root >= 0 || inside) :
			 root >= 0 ? open_below(root, path) : open(path, READING);
	struct stat st;

	if (fd < 0 && left_to)
		return fd;
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? take_fd(&fd) : -EINVAL;
}

struct job {
	int root, error;
	void (*fn)(void *ctx);
	void *ctx;
};

static void *target_root_thread(void *arg)
{
	struct job *j = arg;

	if (unshare(CLONE_FS) || fchdir(j->root) || chroot("."))
		j->error = errno;
	else
		j->fn(j->ctx);
	return NULL;
}

int target_root_run(int root, void (*fn)(void *ctx), void *ctx)
{
	struct job j = { .root = root, .fn = fn, .ctx = ctx };
	pthread_t thread;
	int r;

	if (root < 0 || left_to) {
		inside = root >= 0;
		fn(ctx);
		inside = false;
		return 0;
	}
	r = pthread_create(&thread, NULL, target_root_thread, &j);
	if (r)
		return -r;
	pthread_join(thread, NULL);
	return -j.error;
}
