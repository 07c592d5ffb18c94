/* SPDX-License-Identifier: BSD-2-Clause */
/* find_tracepoints.c - looks through tracefs for what a probe means. See tracepoint.h. */
#include "config.h"

#include "probe/tracepoint.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/find_match.h"
#include "probe/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_MAX (256u << 10) /* bytes of a format file */

/* Whether DIR has events that can be read: 0 or a negative errno. */
static int tracefs_usable(const char *dir, char dst[PATH_MAX])
{
	char events[PATH_MAX];

	if (text_format(events, sizeof(events), "%s/events/sched", dir) + 1 == sizeof(events))
		return -ENAMETOOLONG;
	if (access(events, R_OK | X_OK))
		return -errno;
	snprintf(dst, PATH_MAX, "%s", dir);
	return 0;
}

int tracefs_find(char dst[PATH_MAX], struct err *e)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	bool denied = false;
	int rc = -ENOENT;

	while (mounts && rc && (m = getmntent(mounts))) {
		if (strcmp(m->mnt_type, "tracefs"))
			continue;
		rc = tracefs_usable(m->mnt_dir, dst);
		denied |= rc == -EACCES;
	}
	if (mounts)
		endmntent(mounts);
	if (!rc)
		return 0;
	if (denied)
		return err_set(e, EACCES,
			       "the list of tracepoints cannot be read: run sberf as root, or mount tracefs with "
			       "-o gid=GROUP,mode=0750");
	return err_set(e, ENOENT,
		       "tracefs is not mounted, and lists the tracepoints: mount -t tracefs tracefs "
		       "/sys/kernel/tracing");
}

/* What is looked for, and what was found. */
struct search {
	struct find_match category, name;
	tracepoint_names *found;
	struct nearest near;
	size_t before;
	bool any_category; /* one whose name matches was there */
};

static int search_event(struct search *s, const char *category, const char *name, struct err *e)
{
	struct tracepoint_name *slot;

	if (!find_match_is(&s->name, name)) {
		nearest_offer(&s->near, name);
		return 0;
	}
	if (s->found->n - s->before == TRACEPOINTS_MAX)
		return err_set(e, E2BIG, "more than %u tracepoints match: name fewer", TRACEPOINTS_MAX);
	slot = vec_push(s->found);
	if (!slot)
		return err_nomem(e, "the tracepoints to probe");
	snprintf(slot->category, sizeof(slot->category), "%s", category);
	snprintf(slot->name, sizeof(slot->name), "%s", name);
	return 0;
}

static bool is_tracefs_entry(const struct dirent *d)
{
	return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN) &&
	       strlen(d->d_name) < TRACEPOINT_NAME_MAX;
}

static int search_category(struct search *s, DIR *events, const char *category, struct err *e)
{
	AUTO_FD int fd = openat(dirfd(events), category, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_DIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	int rc = 0;

	if (!dir)
		return 0;
	take_fd(&fd);
	s->any_category = true;
	while (!rc && (d = readdir(dir)))
		if (is_tracefs_entry(d))
			rc = search_event(s, category, d->d_name, e);
	return rc;
}

static int cmp_tracepoint_name(const void *va, const void *vb)
{
	const struct tracepoint_name *a = va, *b = vb;
	const int c = strcmp(a->category, b->category);

	return c ? c : strcmp(a->name, b->name);
}

static int refuse_tracepoint(const struct spec_point *p, const struct search *s, struct err *e)
{
	if (p->kind == PROBE_TRACEPOINT && !s->any_category)
		return err_set(e, ENOENT,
			       "this kernel has no tracepoints '%s:...': see the output of perf list tracepoint",
			       p->provider);
	return err_set(e, ENOENT, "this kernel has no tracepoint %s%s%s%s%s%s", *p->provider ? p->provider : "",
		       *p->provider ? ":" : "", p->name, *s->near.best ? ": did you mean '" : "", s->near.best,
		       *s->near.best ? "'?" : "");
}

int find_tracepoints(const char *tracefs, const struct spec_point *p, tracepoint_names *ret, struct err *e)
{
	static const struct spec_point all = { .kind = PROBE_RAW_TRACEPOINT, .match = SPEC_ANY };
	struct search s = { .found = ret, .before = ret->n };
	char path[PATH_MAX];
	const struct dirent *d;
	int rc;

	p = p ? p : &all;
	text_format(path, sizeof(path), "%s/events", tracefs);
	AUTO_DIR DIR *events = opendir(path);
	if (!events)
		return err_set(e, errno, "the tracepoints in %s cannot be read: %s", path, strerror(errno));
	s.near = nearest_begin(p->name, p->match == SPEC_EXACT ? strlen(p->name) : 0);
	rc = find_match_init(&s.category, p->kind == PROBE_TRACEPOINT ? p->provider_match : SPEC_ANY, p->provider, e);
	if (!rc)
		rc = find_match_init(&s.name, p->match, p->name, e);
	while (!rc && (d = readdir(events)))
		if (is_tracefs_entry(d) && find_match_is(&s.category, d->d_name))
			rc = search_category(&s, events, d->d_name, e);
	find_match_free(&s.name);
	find_match_free(&s.category);
	if (rc < 0)
		return rc;
	if (ret->n == s.before)
		return refuse_tracepoint(p, &s, e);
	qsort(ret->v + s.before, ret->n - s.before, sizeof(*ret->v), cmp_tracepoint_name);
	return (int)(ret->n - s.before);
}

int tracepoint_read(const char *tracefs, const struct tracepoint_name *name, struct tracepoint *ret, struct err *e)
{
	char path[PATH_MAX];
	AUTO_FREE char *text = malloc(FORMAT_MAX);
	size_t len = 0;
	int rc;

	if (!text)
		return err_nomem(e, "the format of a tracepoint");
	text_format(path, sizeof(path), "%s/events/%s/%s/format", tracefs, name->category, name->name);
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, errno, "the fields of tracepoint %s:%s cannot be read: %s", name->category,
			       name->name, strerror(errno));
	while (len < FORMAT_MAX) {
		const ssize_t n = read(fd, text + len, FORMAT_MAX - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	rc = tracepoint_parse(text, len, ret, e);
	if (rc < 0)
		return err_prefix(e, "%s", path);
	snprintf(ret->category, sizeof(ret->category), "%s", name->category);
	return 0;
}

int tracepoint_read_call(const char *tracefs, const char *name, struct tracepoint *ret, struct err *e)
{
	/* Called by what the kernel's source calls them. */
	static const char *const others[][2] = {
		{ "stat", "newstat" }, { "lstat", "newlstat" }, { "fstat", "newfstat" }, { "uname", "newuname" },
		{ "sendfile", "sendfile64" }, { "umount2", "umount" },
	};
	struct tracepoint_name entry = { .category = "syscalls" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i][0]))
			name = others[i][1];
	text_format(entry.name, sizeof(entry.name), "sys_enter_%s", name);
	return tracepoint_read(tracefs, &entry, ret, e);
}
