/* SPDX-License-Identifier: BSD-2-Clause */
/* lookup.c - small readers of /proc. */
#include "config.h"

#include "system/lookup.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/text.h"
#include "system/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What fits of the beginning of /proc/ID/FILE, NUL-terminated; the length, 0 when it cannot be read. */
static size_t lookup_read(pid_t id, const char *file, char *dst, size_t size)
{
	AUTO_FD int dir = proc_open(id);

	dst[0] = '\0';
	return dir < 0 ? 0 : proc_read_start(dir, file, dst, size);
}

/* What /proc/ID/status says. */
struct status {
	char state;
	long tgid, ppid;
	long threads;            /* of the process; a zombie that nobody has waited for counts as one */
};

/* The number behind NAME in TEXT, or -1. */
static long lookup_field(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtol(p + strlen(name), NULL, 10) : -1;
}

static bool read_status(pid_t id, struct status *ret)
{
	char text[4096];
	const char *p;

	if (id <= 0 || !lookup_read(id, "status", text, sizeof(text)))
		return false;
	p = strstr(text, "\nState:\t");
	*ret = (struct status){ .state = p ? p[8] : 'X',
				.tgid = lookup_field(text, "\nTgid:\t"),
				.ppid = lookup_field(text, "\nPPid:\t"),
				.threads = lookup_field(text, "\nThreads:\t") };
	return ret->state != 'X';
}

bool lookup_process_exists(pid_t pid)
{
	struct status st;

	/* A process goes on without its first thread as long as it has others. */
	return read_status(pid, &st) && st.tgid == pid && (st.state != 'Z' || st.threads > 1);
}

bool lookup_thread_exists(pid_t tid)
{
	struct status st;

	return read_status(tid, &st) && st.tgid > 0 && st.state != 'Z';
}

pid_t lookup_process_of(pid_t tid)
{
	struct status st;

	return read_status(tid, &st) && st.tgid > 0 ? (pid_t)st.tgid : 0;
}

bool lookup_zombie(pid_t id, pid_t *ret_parent)
{
	struct status st;

	if (!read_status(id, &st) || st.state != 'Z')
		return false;
	*ret_parent = (pid_t)st.ppid;
	return true;
}

char *lookup_comm(pid_t id, char *dst, size_t dst_size)
{
	char raw[64];
	size_t n = lookup_read(id, "comm", raw, sizeof(raw));

	if (n > 0 && raw[n - 1] == '\n')
		n--;
	text_sanitise(dst, dst_size, raw, n);
	return dst;
}

static bool lookup_has_name(pid_t pid, const char *name)
{
	char comm[64], link[PATH_MAX], path[64];
	const char *base;
	const size_t len = lookup_read(pid, "comm", comm, sizeof(comm));
	ssize_t n;

	if (len > 0 && comm[len - 1] == '\n')
		comm[len - 1] = '\0';
	if (!strcmp(comm, name))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return false;
	link[n] = '\0';
	base = strrchr(link, '/');
	return base && !strcmp(base + 1, name);
}

static int compare_ids(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_numbers(x, y);
}

static DIR *open_processes(struct err *e)
{
	DIR *dir = opendir("/proc");

	if (!dir)
		err_set(e, errno, "cannot read /proc: %s; mount it with `mount -t proc proc /proc`", strerror(errno));
	return dir;
}

/* The next process of DIR; 0 when there are no more. */
static pid_t next_process(DIR *dir)
{
	const struct dirent *d;

	while ((d = readdir(dir))) {
		const long pid = isdigit((unsigned char)d->d_name[0]) ? strtol(d->d_name, NULL, 10) : 0;

		if (pid > 0 && pid <= INT_MAX)
			return (pid_t)pid;
	}
	return 0;
}

int lookup_by_name(const char *name, u32_vec *ret, struct err *e)
{
	AUTO_DIR DIR *dir = open_processes(e);
	pid_t pid;

	if (!dir)
		return -ENOENT;
	while ((pid = next_process(dir))) {
		uint32_t *id;

		if (pid == getpid() || (name && !lookup_has_name(pid, name)) || !lookup_process_exists(pid))
			continue;
		id = vec_push(ret);
		if (!id)
			return err_nomem(e, "the list of processes");
		*id = (uint32_t)pid;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), compare_ids);
	return 0;
}

/* A process and its parent. */
struct kin {
	uint32_t pid, ppid;
	bool named;              /* it is among those whose descendants are sought */
};

typedef VEC(struct kin) kin_vec;

static int compare_kin(const void *a, const void *b)
{
	return compare_ids(&((const struct kin *)a)->pid, &((const struct kin *)b)->pid);
}

static struct kin *find_kin(const kin_vec *all, uint32_t pid)
{
	const struct kin key = { .pid = pid };

	return all->n ? bsearch(&key, all->v, all->n, sizeof(*all->v), compare_kin) : NULL;
}

/* All processes that have not ended, by pid. */
static int list_kin(kin_vec *ret, struct err *e)
{
	AUTO_DIR DIR *dir = open_processes(e);
	pid_t pid;

	if (!dir)
		return -ENOENT;
	while ((pid = next_process(dir))) {
		struct status st;
		struct kin *k;

		if (!read_status(pid, &st) || (st.state == 'Z' && st.threads <= 1) || st.ppid < 0)
			continue;
		k = vec_push(ret);
		if (!k)
			return err_nomem(e, "the list of processes");
		*k = (struct kin){ .pid = (uint32_t)pid, .ppid = (uint32_t)st.ppid };
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), compare_kin);
	return 0;
}

/* Processes come and go while they are listed, so what is listed may be a circle: it ends after as many steps. */
static bool descends(const kin_vec *all, const struct kin *k)
{
	for (size_t steps = 0; k && steps < all->n; steps++) {
		k = find_kin(all, k->ppid);
		if (k && k->named)
			return true;
	}
	return false;
}

int lookup_descendants(const u32_vec *pids, u32_vec *ret, struct err *e)
{
	kin_vec all = { 0 };
	int r = list_kin(&all, e);

	for (size_t i = 0; i < pids->n; i++) {
		struct kin *k = find_kin(&all, pids->v[i]);

		if (k)
			k->named = true;
	}
	for (size_t i = 0; !r && i < all.n; i++) {
		uint32_t *id;

		if (all.v[i].named || !descends(&all, &all.v[i]))
			continue;
		id = vec_push(ret);
		if (id)
			*id = all.v[i].pid;
		else
			r = err_nomem(e, "the list of processes");
	}
	vec_free(&all);
	return r;
}
