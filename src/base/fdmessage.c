/* SPDX-License-Identifier: BSD-2-Clause */
/* fdmessage.c - SCM_RIGHTS, with room for one descriptor: the kernel closes the others. */
#include "config.h"

#include "base/fdmessage.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union fdmessage_control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

int fdmessage_send(int socket, const void *m, size_t size, int fd)
{
	struct iovec io = { .iov_base = (void *)m, .iov_len = size };
	union fdmessage_control control = { .room = { 0 } };
	struct msghdr msg = { .msg_iov = &io, .msg_iovlen = 1 };

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	while (sendmsg(socket, &msg, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* The descriptor that came with MSG, -1 = none. More than one does not fit. */
static int fdmessage_fd(struct msghdr *msg)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

ssize_t fdmessage_take(int socket, void *m, size_t size, int *ret_fd)
{
	struct iovec io = { .iov_base = m, .iov_len = size };
	union fdmessage_control control;
	struct msghdr msg = {
		.msg_iov = &io, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	AUTO_FD int fd = -1;
	ssize_t n;

	do
		n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	fd = fdmessage_fd(&msg);
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	if (ret_fd)
		*ret_fd = take_fd(&fd);
	return n;
}
