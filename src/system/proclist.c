/* SPDX-License-Identifier: BSD-2-Clause */
/* proclist.c - see proclist.h. */
#include "config.h"

#include "system/proclist.h"

#include "base/clock.h"
#include "base/order.h"
#include "base/text.h"
#include "system/cgroup.h"
#include "system/container.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PASSWD_BYTES 16384

/* ---- users ---- */

static struct proc_user *find_user(struct proc_users *u, uid_t uid)
{
	for (size_t i = 0; i < u->n; i++) {
		if (u->v[i].uid == uid)
			return &u->v[i];
	}
	return NULL;
}

/* Notes UID, when it is new, to be looked up. */
static const char *user_name(struct proc_users *u, uid_t uid)
{
	struct proc_user *user = find_user(u, uid);

	if (!user && u->n < PROCLIST_USERS && (u->n < u->cap ||
					       vec_grow_((void **)&u->v, &u->cap, u->n, 1, sizeof(*u->v)))) {
		user = &u->v[u->n++];
		*user = (struct proc_user){ .uid = uid };
	}
	return user && user->known ? user->name : "";
}

bool proc_users_learn(struct proc_users *u)
{
	AUTO_FREE char *buf = malloc(PASSWD_BYTES);
	bool learnt = false;

	for (size_t i = 0; buf && i < u->n; i++) {
		struct passwd pw, *found = NULL;

		if (u->v[i].known)
			continue;
		getpwuid_r(u->v[i].uid, &pw, buf, PASSWD_BYTES, &found);
		if (found)
			text_sanitise(u->v[i].name, sizeof(u->v[i].name), pw.pw_name, strlen(pw.pw_name));
		else
			snprintf(u->v[i].name, sizeof(u->v[i].name), "%u", (unsigned int)u->v[i].uid);
		u->v[i].known = learnt = true;
	}
	return learnt;
}

void proc_users_free(struct proc_users *u)
{
	free(u->v);
	for (size_t i = 0; i < u->container.n; i++) {
		free(u->container.v[i].path);
		free(u->container.v[i].label);
	}
	vec_free(&u->container);
	*u = (struct proc_users){ 0 };
}

/* ---- containers ---- */

/* What files of its runtime say that the container at P is called; else what its PATH says. */
static char *container_text(const struct proc_users *u, const struct container_place *p, const char *path)
{
	char label[CONTAINER_LABEL_MAX];
	struct container c;

	if (u->root)
		container_read(u->root, p, &c);
	else
		container_read_here(p, 0, &c);
	if (!strncmp(c.name, p->id, CGROUP_ID_SHOWN) && !*c.pod)
		return strdup(proc_group_name(path, label, sizeof(label)));
	return strdup(container_label(&c, label));
}

/* What the container is called in which the cgroup PATH is, if it has an id. NULL: it is in none, or out of memory. */
static const char *container_of_path(struct proc_users *u, const char *path)
{
	struct container_place p;
	struct proc_container *c;

	if (!container_parse(path, &p) || p.runtime == CONTAINER_UNIT || p.runtime == CONTAINER_LXC)
		return NULL;
	for (size_t i = 0; i < u->container.n; i++)
		if (strlen(u->container.v[i].path) == p.len && !memcmp(u->container.v[i].path, path, p.len))
			return u->container.v[i].label;
	c = u->container.n < PROCLIST_CONTAINERS ? vec_push(&u->container) : NULL;
	if (!c)
		return NULL;
	*c = (struct proc_container){ .path = strndup(path, p.len), .label = container_text(u, &p, path) };
	if (c->path && c->label)
		return c->label;
	free(c->path);
	free(c->label);
	u->container.n--;
	return NULL;
}

/* ---- texts ---- */

static size_t without_kind(const char *part, size_t len)
{
	static const char *const kinds[] = { ".service", ".scope", ".slice" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t n = strlen(kinds[i]);

		if (len > n && !memcmp(part + len - n, kinds[i], n))
			return len - n;
	}
	return len;
}

char *proc_group_name(const char *path, char *dst, size_t size)
{
	const char *last = "", *last_end = last, *id = NULL, *id_part = NULL;
	size_t len;

	for (const char *p = path; *p;) {
		const char *end = strchrnul(p, '/'), *found = cgroup_container_id(p, (size_t)(end - p), NULL);

		if (found)
			id = found, id_part = p;
		if (end > p)
			last = p, last_end = end;
		p = *end ? end + 1 : end;
	}
	len = id ? (size_t)(id - id_part) + CGROUP_ID_SHOWN : without_kind(last, (size_t)(last_end - last));
	text_sanitise(dst, size, id ? id_part : last, len);
	return dst;
}

static const char *proclist_keep(struct proclist *l, const char *s, size_t len)
{
	char clean[3 * PROCLIST_COMMAND + 1];
	const size_t n = text_sanitise(clean, sizeof(clean), s, len);

	return n ? arena_strndup(&l->texts, clean, n) : "";
}

/* Arguments are parted by NULs; what follows the last one is none. */
static const char *read_command(struct proclist *l, int dir)
{
	char buf[PROCLIST_COMMAND];
	size_t n = proc_read_start(dir, "cmdline", buf, sizeof(buf));

	while (n && (buf[n - 1] == '\0' || buf[n - 1] == ' '))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (buf[i] == '\0')
			buf[i] = ' ';
	}
	return proclist_keep(l, buf, n);
}

static const char *read_group(struct proclist *l, struct proc_users *users, int dir)
{
	char path[PROC_PATH_MAX], name[128];
	const char *text;

	if (!cgroup_find_container(dir, path, sizeof(path), NULL))
		return "";
	text = container_of_path(users, path);
	text = text ? text : proc_group_name(path, name, sizeof(name));
	return *text ? arena_strndup(&l->texts, text, strlen(text)) : "";
}

/* What can be searched for, in lower case. */
static const char *proclist_find_text(struct proclist *l, const struct proc_row *r)
{
	char text[6 * PROCLIST_COMMAND], inside[16] = "";
	const int m = r->inside ? snprintf(inside, sizeof(inside), "\n%d", (int)r->inside) : 0;
	const int n = m < 0 ? m : snprintf(text, sizeof(text), "%d\n%s\n%s\n%s%s", (int)r->pid, r->name, r->command,
					   r->group, inside);
	char *find = n < 0 ? NULL : arena_strndup(&l->texts, text,
						  (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);

	for (char *p = find; p && *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + ('a' - 'A')) : *p;
	return find;
}

static void read_texts(struct proclist *l, struct proc_users *users, int dir, struct proc_row *r)
{
	struct proc_status status;

	if (!proc_read_status(dir, &status)) {
		r->uid = status.uid;
		r->inside = status.root_ns ? 0 : status.ns_pid;
	}
	r->command = read_command(l, dir);
	r->group = read_group(l, users, dir);
	r->find = proclist_find_text(l, r);
}

/* They are those of before when nothing can have changed. */
static void copy_texts(struct proclist *l, struct proc_row *r, const struct proc_row *was)
{
	r->uid = was->uid;
	r->inside = was->inside;
	r->command = *was->command ? arena_strndup(&l->texts, was->command, strlen(was->command)) : "";
	r->group = *was->group ? arena_strndup(&l->texts, was->group, strlen(was->group)) : "";
	r->find = arena_strndup(&l->texts, was->find, strlen(was->find));
}

static const char *user_text(struct proclist *l, struct proc_users *users, uid_t uid)
{
	const char *name = user_name(users, uid);
	char number[16];

	if (!*name)
		snprintf(number, sizeof(number), "%u", (unsigned int)uid);
	return arena_strndup(&l->texts, *name ? name : number, strlen(*name ? name : number));
}

/* ---- the list ---- */

static int by_pid(const void *pa, const void *pb)
{
	const pid_t a = ((const struct proc_row *)pa)->pid, b = ((const struct proc_row *)pb)->pid;

	return compare_numbers(a, b);
}

static const struct proc_row *row_before(const struct proclist *before, pid_t pid, uint64_t start_ticks)
{
	const struct proc_row key = { .pid = pid };
	const struct proc_row *was = NULL;

	if (before && before->row.n)
		was = bsearch(&key, before->row.v, before->row.n, sizeof(key), by_pid);
	return was && was->start_ticks == start_ticks ? was : NULL;
}

static uint64_t ticks_ns(uint64_t ticks)
{
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);

	return ticks / hz * NSEC_PER_SEC + ticks % hz * NSEC_PER_SEC / hz;
}

/* What it took, and in which time: since it was seen before, else since it began. */
static void proclist_measure(struct proc_row *r, const struct proc_row *was, const struct proclist *before,
			     uint64_t now_ns)
{
	const uint64_t from_ns = was ? before->time_ns : ticks_ns(r->start_ticks), from = was ? was->ticks : 0;

	r->over_ns = now_ns > from_ns ? now_ns - from_ns : 0;
	r->cpu_ns = r->ticks > from ? ticks_ns(r->ticks - from) : 0;
}

/* 1 = *RET is a process that runs, 0 = it is none, or not any more, or a negative errno: out of memory. */
static int read_process(struct proclist *l, int proc, const char *number, const struct proclist *before,
			struct proc_users *users, struct proc_row *ret)
{
	AUTO_FD int dir = openat(proc, number, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct proc_row r = { .pid = (pid_t)strtol(number, NULL, 10) };
	const struct proc_row *was;
	struct proc_stat st;

	if (dir < 0 || proc_read_stat(dir, &st) || st.zombie)
		return 0;
	r.kthread = st.kthread;
	r.start_ticks = st.start_ticks;
	r.ticks = st.ticks;
	r.threads = st.threads < UINT32_MAX ? (uint32_t)st.threads : UINT32_MAX;
	r.rss_bytes = st.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	r.name = proclist_keep(l, st.comm, strlen(st.comm));
	was = row_before(before, r.pid, r.start_ticks);
	proclist_measure(&r, was, before, l->time_ns);
	if (!r.name)
		return -ENOMEM;
	if (was && was->ticks == r.ticks && !strcmp(was->name, r.name))
		copy_texts(l, &r, was);
	else
		read_texts(l, users, dir, &r);
	r.user = user_text(l, users, r.uid);
	if (!r.command || !r.group || !r.find || !r.user)
		return -ENOMEM;
	*ret = r;
	return 1;
}

static bool is_number(const char *s)
{
	const size_t n = strspn(s, "0123456789");

	return n && n < 10 && !s[n];
}

static int proclist_read_all(struct proclist *l, DIR *d, const struct proclist *before,
			     struct proc_users *users, pid_t self, const atomic_bool *stop, struct err *e)
{
	const struct dirent *entry;

	while ((entry = readdir(d)) && !l->cut) {
		struct proc_row r, *slot;
		int got;

		if (stop && atomic_load(stop))
			return -ECANCELED;
		if (!is_number(entry->d_name) || strtol(entry->d_name, NULL, 10) == self)
			continue;
		got = read_process(l, dirfd(d), entry->d_name, before, users, &r);
		if (!got)
			continue;
		l->cut = l->row.n == PROCLIST_MAX;
		slot = got < 0 || l->cut ? NULL : vec_push(&l->row);
		if (!slot && !l->cut)
			return err_nomem(e, "the list of processes");
		if (slot)
			*slot = r;
		l->inside |= slot && r.inside;
	}
	return 0;
}

struct sort_item {
	uint32_t row;
	double value;            /* the larger ones first */
	uint64_t then;           /* among equals, the same */
	const char *name;        /* or by name */
};

static int proclist_by_rank(const void *pa, const void *pb)
{
	const struct sort_item *a = pa, *b = pb;
	const int c = a->name ? strcmp(a->name, b->name) : 0;

	if (c)
		return c;
	if (a->value != b->value)
		return compare_numbers(b->value, a->value);
	if (a->then != b->then)
		return compare_numbers(b->then, a->then);
	return compare_numbers(a->row, b->row);
}

static struct sort_item item_of(const struct proclist *l, uint32_t row, enum proc_order order)
{
	const struct proc_row *r = &l->row.v[row];
	struct sort_item it = { .row = row };

	switch (order) {
	case PROC_BY_CPU:
		it.value = r->over_ns ? (double)r->cpu_ns / (double)r->over_ns : 0;
		it.then = r->ticks;
		break;
	case PROC_BY_MEMORY:
		it.value = (double)r->rss_bytes;
		break;
	case PROC_BY_NAME:
		it.name = r->name;
		break;
	default:
		break;
	}
	return it;
}

int proclist_sort(struct proclist *l, struct err *e)
{
	AUTO_FREE struct sort_item *item = calloc(l->row.n + 1, sizeof(*item));

	for (enum proc_order order = 0; order < PROC_ORDERS; order++) {
		if (!l->order[order])
			l->order[order] = calloc(l->row.n + 1, sizeof(*l->order[order]));
		if (!item || !l->order[order])
			return err_nomem(e, "the list of processes");
		for (uint32_t i = 0; i < l->row.n; i++)
			item[i] = item_of(l, i, order);
		if (order != PROC_BY_PID)
			qsort(item, l->row.n, sizeof(*item), proclist_by_rank);
		for (size_t i = 0; i < l->row.n; i++)
			l->order[order][i] = item[i].row;
	}
	return 0;
}

int proclist_read(int proc, const struct proclist *before, struct proc_users *users, uint64_t now_ns, pid_t self,
		  const atomic_bool *stop, struct proclist **ret, struct err *e)
{
	AUTO(proclist_unref) struct proclist *l = calloc(1, sizeof(*l));
	AUTO_DIR DIR *d = NULL;
	int fd, r;

	if (!l)
		return err_nomem(e, "the list of processes");
	atomic_init(&l->refs, 1);
	l->time_ns = now_ns;
	l->over_ns = before && now_ns > before->time_ns ? now_ns - before->time_ns : 0;
	fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		r = errno;
		if (fd >= 0)
			close(fd);
		return err_set(e, r, "cannot read /proc: %s; mount it with `mount -t proc proc /proc`", strerror(r));
	}
	r = proclist_read_all(l, d, before, users, self, stop, e);
	if (r < 0)
		return r;
	if (l->row.n)
		qsort(l->row.v, l->row.n, sizeof(*l->row.v), by_pid);
	r = proclist_sort(l, e);
	if (r < 0)
		return r;
	*ret = take_ptr(l);
	return 0;
}

struct proclist *proclist_ref(struct proclist *l)
{
	if (l)
		atomic_fetch_add(&l->refs, 1);
	return l;
}

void proclist_unref(struct proclist *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) != 1)
		return;
	free(l->row.v);
	for (enum proc_order order = 0; order < PROC_ORDERS; order++)
		free(l->order[order]);
	arena_reset(&l->texts);
	free(l);
}
