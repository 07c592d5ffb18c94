/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmread.c - process_vm_readv(2): "partial transfers apply at the granularity of iovec elements. These system
 * calls won't perform a partial transfer that splits a single iovec element." So the remote side is cut at
 * page borders, and the result ends exactly where what can be read does.
 */
#include "config.h"

#include "system/vmread.h"

#include <errno.h>
#include <sys/uio.h>

#define PAGES_AT_ONCE 256u               /* of one system call, which takes IOV_MAX (1024) at most */

/* The first of the WANT bytes at FROM, up to PAGES_AT_ONCE pages of them. *RET_ASKED: how many that is. */
static ssize_t vmread_some(pid_t pid, uint64_t from, uint32_t want, uint64_t page_size, uint8_t *dst,
			   uint32_t *ret_asked)
{
	struct iovec remote[PAGES_AT_ONCE], local = { dst, 0 };
	unsigned long n = 0;
	ssize_t got;

	for (; local.iov_len < want && n < PAGES_AT_ONCE; n++) {
		const uint64_t at = from + local.iov_len, to_border = page_size - (at & (page_size - 1));
		const size_t left = want - local.iov_len, len = to_border < left ? (size_t)to_border : left;

		remote[n] = (struct iovec){ (void *)(uintptr_t)at, len };
		local.iov_len += len;
	}
	*ret_asked = (uint32_t)local.iov_len;
	got = process_vm_readv(pid, &local, 1, remote, n, 0);
	return got < 0 ? -errno : got;
}

ssize_t vmread(pid_t pid, uint64_t from, uint32_t want, uint64_t page_size, uint8_t *dst)
{
	uint32_t done = 0, asked;

	while (done < want) {
		const ssize_t got = vmread_some(pid, from + done, want - done, page_size, dst + done, &asked);

		if (got < 0)
			return done ? (ssize_t)done : got;
		done += (uint32_t)got;
		if ((uint32_t)got < asked)
			break;
	}
	return (ssize_t)done;
}
