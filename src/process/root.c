/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * root.c - the table holds one reference to each root and lets go of those that nobody else holds
 * when it needs room.
 */
#include "config.h"

#include "process/root.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define NS_KEPT_NS (30 * NSEC_PER_SEC)     /* time for loads and symbols of processes that have ended */

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
	if (r->ns_fd >= 0)
		close(r->ns_fd);
	free(r);
}

struct root *root_use(struct root *r)
{
	if (r)
		r->users++;
	return root_ref(r);
}

void root_leave(struct root *r)
{
	if (r && !--r->users)
		r->left_ns = clock_mono_ns();
	root_unref(r);
}

/* Neither call asks a file system that might not answer: nsfs is the kernel's, and statx is told not to synchronise. */
static bool root_identify(int ns_fd, int fd, struct root *ret)
{
	struct statx st;
	struct stat ns;

	if (fstat(ns_fd, &ns) || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st))
		return false;
	ret->mnt_ns = ns.st_ino;
	ret->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	ret->ino = st.stx_ino;
	return true;
}

void roots_trim(struct roots *rs, uint64_t now_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rs->n; i++) {
		struct root *r = rs->v[i];

		if (atomic_load_explicit(&r->refs, memory_order_acquire) == 1) {
			root_unref(r);
			continue;
		}
		if (!r->users && r->ns_fd >= 0 && now_ns - r->left_ns >= NS_KEPT_NS)
			close(take_fd(&r->ns_fd));
		rs->v[kept++] = r;
	}
	rs->n = kept;
}

struct root *roots_get(struct roots *rs, int dir)
{
	AUTO_FD int fd = openat(dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD int ns_fd = openat(dir, "ns/mnt", O_RDONLY | O_CLOEXEC);
	struct root want = { .fd = -1 }, *r;

	if (fd < 0 || ns_fd < 0 || !root_identify(ns_fd, fd, &want))
		return NULL;
	for (uint32_t i = 0; i < rs->n; i++) {
		r = rs->v[i];
		if (r->mnt_ns != want.mnt_ns || r->dev != want.dev || r->ino != want.ino)
			continue;
		if (r->ns_fd < 0)
			r->ns_fd = take_fd(&ns_fd);
		return root_use(r);
	}
	if (rs->n == ROOTS_MAX)
		roots_trim(rs, clock_mono_ns());
	if (rs->n == ROOTS_MAX)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->fd = take_fd(&fd);
	r->ns_fd = take_fd(&ns_fd);
	r->users = 1;
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
