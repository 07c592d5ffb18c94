/* SPDX-License-Identifier: BSD-2-Clause */
/* root.c - the table holds one reference to each root and lets go of those that nobody else holds when it needs room. */
#include "config.h"

#include "process/root.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct root *root_ref(struct root *r)
{
	if (r)
		atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
	return r;
}

void root_unref(struct root *r)
{
	if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
		return;
	close(r->fd);
	free(r);
}

/* Neither call asks a file system that might not answer: nsfs is the kernel's, and statx is told not to synchronise. */
static bool identify(int dir, int fd, struct root *ret)
{
	struct statx st;
	struct stat ns;

	if (fstatat(dir, "ns/mnt", &ns, 0) || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st))
		return false;
	ret->mnt_ns = ns.st_ino;
	ret->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	ret->ino = st.stx_ino;
	return true;
}

void roots_trim(struct roots *rs)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rs->n; i++) {
		if (atomic_load_explicit(&rs->v[i]->refs, memory_order_acquire) == 1)
			root_unref(rs->v[i]);
		else
			rs->v[kept++] = rs->v[i];
	}
	rs->n = kept;
}

struct root *roots_get(struct roots *rs, int dir)
{
	AUTO_FD int fd = openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct root want = { .fd = -1 }, *r;

	if (fd < 0 || !identify(dir, fd, &want))
		return NULL;
	for (uint32_t i = 0; i < rs->n; i++)
		if (rs->v[i]->mnt_ns == want.mnt_ns && rs->v[i]->dev == want.dev && rs->v[i]->ino == want.ino)
			return root_ref(rs->v[i]);
	if (rs->n == ROOTS_MAX)
		roots_trim(rs);
	if (rs->n == ROOTS_MAX)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->fd = take_fd(&fd);
	r->mnt_ns = want.mnt_ns;
	r->dev = want.dev;
	r->ino = want.ino;
	atomic_init(&r->refs, 2);
	rs->v[rs->n++] = r;
	return r;
}

void roots_free(struct roots *rs)
{
	for (uint32_t i = 0; i < rs->n; i++)
		root_unref(rs->v[i]);
	rs->n = 0;
}
