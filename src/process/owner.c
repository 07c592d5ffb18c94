/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * owner.c - a locked list, and the names under which run-time compilers tell what they made:
 * /tmp/perf-PID.map with the PID they see, or jit-PID.dump in a directory of their choice, which
 * they map executable as a mark for profilers.
 */
#include "config.h"

#include "process/owner.h"

#include "base/regular.h"
#include "base/thread.h"
#include "base/vec.h"
#include "collector/ask.h"
#include "process/open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define KEPT_MAX 64u                     /* files kept open; the one not asked for longest goes */

struct owners {
	pthread_mutex_t lock;
	VEC(struct owner) v;
	VEC(uint32_t) by_module; /* index + 1, 0 = none */
	uint32_t kept;
	uint64_t kept_seq;
};

struct owners *owners_new(void)
{
	struct owners *os = calloc(1, sizeof(*os));

	if (os)
		thread_mutex_init(&os->lock);
	return os;
}

void owners_free(struct owners *os)
{
	if (!os)
		return;
	for (size_t i = 0; i < os->v.n; i++) {
		root_unref(os->v.v[i].root);
		if (os->v.v[i].kept_fd >= 0)
			close(os->v.v[i].kept_fd);
	}
	vec_free(&os->v);
	vec_free(&os->by_module);
	pthread_mutex_destroy(&os->lock);
	free(os);
}

void owners_add(struct owners *os, module_id module, const struct owner *o)
{
	struct owner *slot;

	pthread_mutex_lock(&os->lock);
	while (os->by_module.n <= module) {
		uint32_t *none = vec_push(&os->by_module);

		if (!none)
			break;
		*none = 0;
	}
	if (module < os->by_module.n && !os->by_module.v[module] && (slot = vec_push(&os->v))) {
		*slot = *o;
		slot->kept_fd = -1;
		root_ref(slot->root);
		os->by_module.v[module] = (uint32_t)os->v.n;
	}
	pthread_mutex_unlock(&os->lock);
}

/* The owner of MODULE, under the lock; NULL when there is none. */
static struct owner *find_owner(struct owners *os, module_id module)
{
	return module < os->by_module.n && os->by_module.v[module] ? &os->v.v[os->by_module.v[module] - 1] : NULL;
}

/* A copy of the owner of MODULE with a root reference of its own; what is kept open is not copied. */
static bool copy_owner(struct owners *os, module_id module, struct owner *ret)
{
	const struct owner *o;

	pthread_mutex_lock(&os->lock);
	o = find_owner(os, module);
	if (o) {
		*ret = *o;
		ret->kept_fd = -1;
		root_ref(ret->root);
	}
	pthread_mutex_unlock(&os->lock);
	return o;
}

void owners_set_dump(struct owners *os, module_id module, const char *dump)
{
	struct owner *o;

	pthread_mutex_lock(&os->lock);
	o = find_owner(os, module);
	if (o)
		o->dump = dump;
	pthread_mutex_unlock(&os->lock);
}

/* Closes what was kept for longest; under the lock. */
static void drop_eldest(struct owners *os)
{
	struct owner *eldest = NULL;

	for (size_t i = 0; i < os->v.n; i++)
		if (os->v.v[i].kept_fd >= 0 && (!eldest || os->v.v[i].kept_at < eldest->kept_at))
			eldest = &os->v.v[i];
	if (eldest) {
		close(take_fd(&eldest->kept_fd));
		os->kept--;
	}
}

/* Keeps what FD is open on for MODULE, in place of what was kept before. */
static void owner_keep(struct owners *os, module_id module, int fd)
{
	AUTO_FD int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	struct owner *o;

	pthread_mutex_lock(&os->lock);
	o = find_owner(os, module);
	if (o && copy >= 0) {
		if (o->kept_fd < 0 && os->kept >= KEPT_MAX)
			drop_eldest(os);
		os->kept += o->kept_fd < 0;
		if (o->kept_fd >= 0)
			close(o->kept_fd);
		o->kept_fd = take_fd(&copy);
		o->kept_at = ++os->kept_seq;
	}
	pthread_mutex_unlock(&os->lock);
}

/* Opens what is kept for MODULE again; -ENOENT when that is nothing. */
static int open_kept(struct owners *os, module_id module)
{
	AUTO_FD int copy = -1;
	struct owner *o;

	pthread_mutex_lock(&os->lock);
	o = find_owner(os, module);
	if (o && o->kept_fd >= 0) {
		copy = fcntl(o->kept_fd, F_DUPFD_CLOEXEC, 3);
		o->kept_at = ++os->kept_seq;
	}
	pthread_mutex_unlock(&os->lock);
	return copy >= 0 ? reopen_fd(copy) : -ENOENT;
}

/* The directory of O in /proc, as long as it is the same process; -ESRCH when it is not. */
static int open_owner(const struct owner *o)
{
	AUTO_FD int dir = proc_open(o->pid);
	struct proc_stat st;

	if (dir < 0 || proc_read_stat(dir, &st) || (o->start_ticks && st.start_ticks != o->start_ticks))
		return -ESRCH;
	return take_fd(&dir);
}

/* What /proc says now replaces what was known. */
static void owner_refresh(struct owner *o)
{
	AUTO_FD int dir = open_owner(o);

	if (dir >= 0)
		proc_read_status(dir, &o->status);
}

struct dump_search {
	char name[32];           /* "/jit-PID.dump" */
	char path[PATH_MAX];     /* "" = not found */
};

static void look_for_dump(void *ctx, const struct maps_line *m)
{
	struct dump_search *s = ctx;
	const size_t len = strlen(s->name);

	if (!m->exec || m->name_len < len || m->name_len >= sizeof(s->path) ||
	    memcmp(m->name + m->name_len - len, s->name, len))
		return;
	memcpy(s->path, m->name, m->name_len);
	s->path[m->name_len] = '\0';
}

/* Does PATH end with NAME? */
static bool ends_with(const char *path, const char *name)
{
	const size_t len = strlen(path), n = strlen(name);

	return len >= n && !strcmp(path + len - n, name);
}

/* PATH below the root of O; when that is refused to us, by who may do OP. */
static int owner_open_in_root(const struct owner *o, const char *path, enum collector_op op)
{
	const int fd = o->root ? open_in_root(o->root, path, true) : -EACCES;

	if ((fd != -EACCES && fd != -EPERM) || !collector_is_there())
		return fd;
	return op == COLLECTOR_PERF_MAP ? ask_for(op, o->pid) : ask_path(op, o->pid, path);
}

/* The jitdump file that O maps, or was seen to map while it lived; -ENOENT when there is none. */
static int open_jitdump(const struct owner *o)
{
	AUTO_FD int dir = open_owner(o);
	struct dump_search s = { .path = "" };

	snprintf(s.name, sizeof(s.name), "/jit-%d.dump", (int)o->status.ns_pid);
	if (dir >= 0)
		proc_read_maps(dir, look_for_dump, &s);
	if (!s.path[0] && o->dump && ends_with(o->dump, s.name))
		snprintf(s.path, sizeof(s.path), "%s", o->dump);
	if (!s.path[0])
		return -ENOENT;
	return owner_open_in_root(o, s.path, COLLECTOR_JITDUMP);
}

int owners_open_map(struct owners *os, module_id module, uid_t *ret_uid, struct err *e)
{
	struct owner o;
	char path[48];
	int fd;

	if (!copy_owner(os, module, &o))
		return err_set(e, ENOENT, "module %u is not the memory of a known process", module);
	owner_refresh(&o);
	if (!o.status.ns_pid || (!o.root && !collector_is_there())) {
		root_unref(o.root);
		return err_set(e, ESRCH, "process %d ended before its namespaces were read", (int)o.pid);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)o.status.ns_pid);
	fd = owner_open_in_root(&o, path, COLLECTOR_PERF_MAP);
	if (fd == -ENOENT)
		fd = open_jitdump(&o);
	root_unref(o.root);
	if (fd >= 0)
		owner_keep(os, module, fd);
	else if (fd != -ELOOP && fd != -ENOTSUP)
		fd = open_kept(os, module);
	if (fd < 0)
		return err_set(e, -fd, "cannot open %s of process %d: %s", path, (int)o.pid, strerror(-fd));
	*ret_uid = o.status.uid;
	return fd;
}

int owners_open_process(struct owners *os, module_id module)
{
	struct owner o;
	int dir;

	if (!copy_owner(os, module, &o))
		return -ESRCH;
	/* The root of one of another time, of a replay, is not known. */
	dir = o.root ? open_owner(&o) : -ESRCH;
	root_unref(o.root);
	return dir;
}

int owners_open_memory(struct owners *os, module_id module, struct err *e)
{
	AUTO_FD int dir = -1;
	struct owner o;
	int fd;

	if (!copy_owner(os, module, &o))
		return err_set(e, ENOENT, "module %u is not the memory of a known process", module);
	root_unref(o.root);
	dir = open_owner(&o);
	if (dir < 0)
		return err_set(e, -dir, "process %d has ended", (int)o.pid);
	fd = openat(dir, "mem", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? err_set(e, errno, "cannot read the memory of process %d: %s", (int)o.pid, strerror(errno)) : fd;
}
