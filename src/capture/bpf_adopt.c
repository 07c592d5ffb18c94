/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_adopt.c - a kernel half that another process has loaded: the same skeleton, never loaded here, whose maps are
 * those that were handed over.
 */
#include "config.h"

#include "capture/bpf_side_private.h"

#include "base/cleanup.h"
#include "capture/hold_ask.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct hold *bpf_side_hold(const struct bpf_side *k)
{
	return k->hold;
}

void bpf_side_spare(struct bpf_side *k, uint32_t own)
{
	k->skel->bss->own_tgid = own;
}

void bpf_side_describe(const struct bpf_side *k, struct hold_reply *ret)
{
	ret->nr_rings = k->nr_rings;
	ret->first_copy = k->first_copy;
	ret->walks = k->walks;
	ret->features = k->features;
	ret->sizes = k->sizes;
	memcpy(ret->ring_bytes, k->ring_bytes, k->nr_rings * sizeof(*k->ring_bytes));
}

/* The map I of K, NULL = it has none. */
static struct bpf_map_skeleton *adopt_map_at(const struct bpf_side *k, uint32_t i)
{
	const struct bpf_object_skeleton *s = k->skel->skeleton;

	return i < (uint32_t)s->map_cnt ? (void *)((char *)s->maps + (size_t)i * (size_t)s->map_skel_sz) : NULL;
}

int bpf_side_map_fd(const struct bpf_side *k, uint32_t i)
{
	const struct bpf_map_skeleton *m = adopt_map_at(k, i);
	const int fd = m ? bpf_map__fd(*m->map) : -EINVAL;

	return fd < 0 ? -EINVAL : fd;
}

/* The variables of the programs take the place of the initial values of the map M, whose file is FD. */
static int adopt_variables(const struct bpf_map_skeleton *m, int fd, struct err *e)
{
	const bool constant = bpf_map__map_flags(*m->map) & BPF_F_RDONLY_PROG;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = bpf_map__value_size(*m->map);

	if (!m->mmaped || !*m->mmaped || !(bpf_map__map_flags(*m->map) & BPF_F_MMAPABLE))
		return 0;
	bytes = (bytes + page - 1) / page * page;
	if (mmap(*m->mmaped, bytes, PROT_READ | (constant ? 0 : PROT_WRITE), MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		return err_set(e, errno, "cannot map the variables of the BPF programs (%s): %s", m->name,
			       strerror(errno));
	return 0;
}

static int adopt_map(struct bpf_side *k, uint32_t i, struct err *e)
{
	const struct bpf_map_skeleton *m = adopt_map_at(k, i);
	AUTO_FD int fd = hold_file(k->hold, HOLD_MAP, i, 0, e);
	int r;

	if (fd < 0)
		return fd;
	r = bpf_map__reuse_fd(*m->map, fd);
	if (r)
		return err_set(e, -r, "cannot use the BPF map %s: %s", m->name, strerror(-r));
	return adopt_variables(m, fd, e);
}

static int adopt_rings(struct bpf_side *k, const struct hold_reply *has, struct err *e)
{
	k->ring_fd = malloc(has->nr_rings * sizeof(*k->ring_fd));
	k->ring_bytes = calloc(has->nr_rings, sizeof(*k->ring_bytes));
	if (!k->ring_fd || !k->ring_bytes)
		return err_nomem(e, "ring buffers");
	for (k->nr_rings = 0; k->nr_rings < has->nr_rings; k->nr_rings++) {
		const uint32_t i = k->nr_rings;

		k->ring_bytes[i] = has->ring_bytes[i];
		k->ring_fd[i] = hold_file(k->hold, HOLD_RING, i, 0, e);
		if (k->ring_fd[i] < 0)
			return k->ring_fd[i];
	}
	return 0;
}

int bpf_side_adopt(struct hold *h, struct bpf_side **ret, struct err *e)
{
	AUTO(bpf_side_free) struct bpf_side *k = calloc(1, sizeof(*k));
	const struct hold_reply *has = hold_reply(h);
	int r;

	if (!k)
		return err_nomem(e, "the capture");
	k->hold = h;
	k->stats_fd = k->cgroup_fd = -1;
	k->features = has->features;
	k->sizes = has->sizes;
	k->walks = has->walks;
	k->first_copy = has->first_copy;
	r = bpf_side_open_object(k, &k->skel);
	if (r)
		return err_set(e, -r, "cannot open the BPF programs: %s", strerror(-r));
	r = adopt_rings(k, has, e);
	for (uint32_t i = 0; !r && adopt_map_at(k, i); i++)
		r = adopt_map(k, i, e);
	if (r)
		return r;
	k->off_cpu = k->skel->rodata->off_cpu;
	k->probe_skel = k->sizes.probe_first == UINT32_MAX ? NULL : k->skel;
	r = bpf_side_map_all(k, e);
	if (r)
		return r;
	*ret = take_ptr(k);
	return 0;
}
