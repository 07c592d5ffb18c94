/* SPDX-License-Identifier: BSD-2-Clause */
/* bpfprogs.c - see bpfprogs.h. */
#include "config.h"

#include "system/bpfprogs.h"

#include "base/cleanup.h"
#include "system/openfiles.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fts.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PINS_MAX 65536u          /* files that are looked at on file systems of BPF */

/* ---- programs ---- */

/* Makes NAME whole where bpf_prog_info has a part: that of the main function in the type information BTF_ID. */
static void bpfprogs_whole_name(int fd, uint32_t btf_id, char *name)
{
	struct bpf_func_info func = { 0 };
	struct bpf_prog_info info = { .nr_func_info = 1, .func_info_rec_size = sizeof(func),
				      .func_info = (uint64_t)(uintptr_t)&func };
	uint32_t len = sizeof(info);
	const struct btf_type *t;
	const char *whole;
	struct btf *btf;

	if (!btf_id || strlen(name) < BPF_OBJ_NAME_LEN - 1 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	btf = btf__load_from_kernel_by_id(btf_id);
	if (!btf)
		return;
	t = btf__type_by_id(btf, func.type_id);
	whole = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
	if (whole && !strncmp(whole, name, strlen(name)))
		snprintf(name, BPF_PROG_NAME_MAX, "%s", whole);
	btf__free(btf);
}

static int bpfprogs_read(uint32_t id, struct bpf_prog *ret)
{
	AUTO_FD int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	*ret = (struct bpf_prog){ .id = id, .type = info.type, .uid = info.created_by_uid,
				  .btf_id = info.btf_id, .jited_bytes = info.jited_prog_len, .runs = info.run_cnt,
				  .run_ns = info.run_time_ns, .missed = info.recursion_misses };
	_Static_assert(sizeof(ret->tag) == sizeof(info.tag), "a tag is as long as the kernel's");
	memcpy(ret->tag, info.tag, sizeof(ret->tag));
	memcpy(ret->name, info.name, sizeof(info.name));
	ret->name[sizeof(info.name) - 1] = '\0';
	bpfprogs_whole_name(fd, info.btf_id, ret->name);
	return 0;
}

/* Appends the names of the N functions INFO, of BTF. */
static int bpfprogs_named(const struct btf *btf, const struct bpf_func_info *info, uint32_t n, bpf_function_vec *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct btf_type *t = btf__type_by_id(btf, info[i].type_id);
		const char *name = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
		struct bpf_function *at = name ? vec_push(ret) : NULL;

		if (at)
			snprintf(at->name, sizeof(at->name), "%s", name);
		else if (name)
			return -ENOMEM;
	}
	return 0;
}

int bpfprogs_functions(const struct bpf_prog *p, bpf_function_vec *ret)
{
	AUTO_FD int fd = bpf_prog_get_fd_by_id(p->id);
	AUTO_FREE struct bpf_func_info *func = calloc(BPF_FUNCTIONS_MAX, sizeof(*func));
	struct bpf_prog_info info = { .nr_func_info = BPF_FUNCTIONS_MAX, .func_info_rec_size = sizeof(*func),
				      .func_info = (uint64_t)(uintptr_t)func };
	uint32_t len = sizeof(info);
	struct btf *btf;
	int rc;

	if (fd < 0 || !func)
		return fd < 0 ? -errno : -ENOMEM;
	if (!p->btf_id || bpf_obj_get_info_by_fd(fd, &info, &len))
		return p->btf_id ? -errno : 0;
	btf = btf__load_from_kernel_by_id(p->btf_id);
	rc = btf ? bpfprogs_named(btf, func, info.nr_func_info < BPF_FUNCTIONS_MAX ? info.nr_func_info :
				  BPF_FUNCTIONS_MAX, ret) : 0;
	btf__free(btf);
	return rc;
}

static int bpfprogs_refused(struct err *e)
{
	return err_set(e, EPERM, "BPF programs may not be listed: that takes root, or CAP_SYS_ADMIN in the first user "
		       "namespace");
}

int bpfprogs_list(bpf_prog_vec *ret, struct err *e)
{
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog p;
		const int rc = bpfprogs_read(id, &p);

		if (rc == -EPERM || rc == -EACCES)
			return bpfprogs_refused(e);
		if (rc)
			continue;
		if (!vec_reserve(ret, 1))
			return err_nomem(e, "the BPF programs");
		*vec_push(ret) = p;
	}
	if (errno == EPERM || errno == EACCES)
		return bpfprogs_refused(e);
	return errno == ENOENT ? 0 : err_set(e, errno, "BPF programs cannot be listed: %s", strerror(errno));
}

int bpfprogs_count_runs(void)
{
	const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}

bool bpfprogs_counted(void)
{
	FILE *f = fopen("/proc/sys/kernel/bpf_stats_enabled", "re");
	const int c = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	return c == '1';
}

const char *bpfprogs_type(uint32_t type, char dst[32])
{
	const char *name = libbpf_bpf_prog_type_str((enum bpf_prog_type)type);

	if (name)
		snprintf(dst, 32, "%s", name);
	else
		snprintf(dst, 32, "type %u", type);
	return dst;
}

/* ---- who keeps them ---- */

static bool add_keeper(bpf_keeper_vec *ret, uint32_t prog, pid_t pid, const char *path)
{
	struct bpf_keeper k = { .prog = prog, .pid = pid, .path = path ? strdup(path) : NULL };

	if (!prog)
		return true;
	if ((path && !k.path) || !vec_reserve(ret, 1)) {
		free(k.path);
		return false;
	}
	*vec_push(ret) = k;
	return true;
}

/* The program at the perf event F; 0 = none. */
static uint32_t prog_of_event(const struct openfile *f)
{
	uint32_t prog = 0, type = 0, len = 0;
	__u64 offset, address;

	if (bpf_task_fd_query((int)f->pid, f->fd, 0, NULL, &len, &prog, &type, &offset, &address))
		return 0;
	return prog;
}

/* False when out of memory. */
static bool bpfprogs_see(void *ret, const struct openfile *f)
{
	unsigned long prog = 0;

	if (!strcmp(f->to, "anon_inode:bpf-prog") || !strncmp(f->to, "anon_inode:bpf_link", 19) ||
	    !strncmp(f->to, "anon_inode:bpf-link", 19))
		openfile_number(f, "prog_id:", 10, &prog);
	else if (!strcmp(f->to, "anon_inode:[perf_event]"))
		prog = prog_of_event(f);
	return add_keeper(ret, (uint32_t)prog, f->pid, NULL);
}

uint32_t bpfprogs_at_path(const char *path)
{
	AUTO_FD int fd = bpf_obj_get(path);
	struct bpf_link_info link = { 0 };
	struct bpf_prog_info prog = { 0 };
	char name[64], to[64];
	uint32_t len;
	ssize_t n;

	if (fd < 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, to, sizeof(to) - 1);
	to[n > 0 ? n : 0] = '\0';
	if (!strcmp(to, "anon_inode:bpf-prog")) {
		len = sizeof(prog);
		return bpf_obj_get_info_by_fd(fd, &prog, &len) ? 0 : prog.id;
	}
	len = sizeof(link);
	return strstr(to, "link") && !bpf_obj_get_info_by_fd(fd, &link, &len) ? link.prog_id : 0;
}

static bool bpfprogs_pinned_below(bpf_keeper_vec *ret, char *path)
{
	char *paths[] = { path, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	unsigned int files = 0;
	const FTSENT *at;
	bool ok = true;

	while (ok && tree && files < PINS_MAX && (at = fts_read(tree))) {
		if (at->fts_info != FTS_F && at->fts_info != FTS_DEFAULT)
			continue;
		files++;
		ok = add_keeper(ret, bpfprogs_at_path(at->fts_path), 0, at->fts_path);
	}
	if (tree)
		fts_close(tree);
	return ok;
}

static bool bpfprogs_pinned(bpf_keeper_vec *ret)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	bool ok = true;

	while (ok && mounts && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "bpf"))
			ok = bpfprogs_pinned_below(ret, m->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return ok;
}

static int bpfprogs_compare_keepers(const void *a, const void *b)
{
	const struct bpf_keeper *x = a, *y = b;

	if (x->prog != y->prog)
		return x->prog < y->prog ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->path && y->path ? strcmp(x->path, y->path) : 0;
}

int bpfprogs_keepers(bpf_keeper_vec *ret, struct err *e)
{
	size_t n = 0;

	if (!bpfprogs_pinned(ret) || !openfiles_each(bpfprogs_see, ret))
		return err_nomem(e, "who keeps BPF programs");
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(ret->v[0]), bpfprogs_compare_keepers);
	/* A process often has both a program and a link of it. */
	for (size_t i = 0; i < ret->n; i++) {
		if (n && !bpfprogs_compare_keepers(&ret->v[n - 1], &ret->v[i]))
			free(ret->v[i].path);
		else
			ret->v[n++] = ret->v[i];
	}
	ret->n = n;
	return 0;
}

void bpfprogs_keepers_free(bpf_keeper_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->v[i].path);
	vec_free(v);
}
