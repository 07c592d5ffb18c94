/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screenout.c - collects what the terminal library writes during one drawing in a file in memory,
 * and then sends all of it at once.
 */
#include "config.h"

#include "ui/screenout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#define FULL_MS 1000

void screenout_open(struct screenout *o, int fd, int tty)
{
	o->fd = fd;
	o->tty = tty;
	o->mem = memfd_create("sberf screen", MFD_CLOEXEC);
}

void screenout_close(struct screenout *o)
{
	if (o->mem >= 0)
		close(o->mem);
	o->mem = -1;
}

/* Makes o->fd mean what FROM does. EBUSY: another thread is just opening something. */
static int screenout_become(const struct screenout *o, int from)
{
	int r;

	do
		r = dup3(from, o->fd, O_CLOEXEC);
	while (r < 0 && (errno == EINTR || errno == EBUSY));
	return r;
}

void screenout_begin(struct screenout *o)
{
	if (o->mem < 0)
		return;
	if (lseek(o->mem, 0, SEEK_SET) == 0 && ftruncate(o->mem, 0) == 0 && screenout_become(o, o->mem) >= 0)
		return;
	close(o->mem);
	o->mem = -1;
}

static void send_all(int fd, const char *at, size_t n)
{
	while (n) {
		const ssize_t done = write(fd, at, n);

		if (done > 0) {
			at += done;
			n -= (size_t)done;
		} else if (done < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			if (poll(&p, 1, FULL_MS) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL))
				return;
		} else if (!done || errno != EINTR) {
			return;
		}
	}
}

void screenout_end(struct screenout *o)
{
	off_t n, at = 0;
	ssize_t got;

	if (o->mem < 0)
		return;
	(void)screenout_become(o, o->tty);
	n = lseek(o->mem, 0, SEEK_CUR);
	while (at < n && (got = pread(o->mem, o->text, sizeof(o->text), at)) > 0) {
		send_all(o->tty, o->text, (size_t)got);
		at += got;
	}
}
