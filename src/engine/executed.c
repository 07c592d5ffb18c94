/* SPDX-License-Identifier: BSD-2-Clause */
/* executed.c - see executed.h. */
#include "config.h"

#include "engine/executed.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "system/lookup.h"
#include "system/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct executed_reading {
	executed_files *files;
	pid_t pid; /* whose mappings are read */
	bool nomem;
};

bool executed_has(const executed_files *files, const char *shown)
{
	for (size_t i = 0; i < files->n; i++)
		if (!strcmp(files->v[i].shown, shown))
			return true;
	return false;
}

static void executed_take(struct executed_reading *r, const char *path, const char *shown)
{
	struct executed_file f;
	struct executed_file *at;

	if (executed_has(r->files, shown))
		return;
	f = (struct executed_file){ strdup(path), strdup(shown), NULL };
	at = f.path && f.shown ? vec_push(r->files) : NULL;
	if (at) {
		*at = f;
		return;
	}
	free(f.path);
	free(f.shown);
	r->nomem = true;
}

static void executed_see(void *ctx, const struct maps_line *m)
{
	struct executed_reading *r = ctx;
	char path[64 + PROC_PATH_MAX], shown[PROC_PATH_MAX];
	bool deleted;
	size_t len;

	if (!m->exec || map_what(m->name, m->name_len) != WHAT_FILE || m->name_len >= sizeof(shown))
		return;
	len = map_name_len(m->name, m->name_len, &deleted);
	text_format(shown, sizeof(shown), "%.*s", (int)len, m->name);
	if (deleted)
		text_format(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, r->pid, m->start, m->end);
	else
		text_format(path, sizeof(path), "/proc/%d/root%s", r->pid, shown);
	executed_take(r, path, shown);
}

/* redis-server of Debian is a link to redis-check-rdb: who runs by that name is known by it. */
static void executed_name(executed_files *files, pid_t pid, int dir)
{
	char exe[PROC_PATH_MAX], comm[64];
	const ssize_t n = readlinkat(dir, "exe", exe, sizeof(exe) - 1);
	const char *slash;

	if (n <= 0)
		return;
	exe[n] = '\0';
	lookup_comm(pid, comm, sizeof(comm));
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && i < files->n; i++)
		if (!files->v[i].called && comm[0] && !strcmp(files->v[i].shown, exe) && strcmp(slash + 1, comm) &&
		    !strpbrk(comm, ":/ "))
			files->v[i].called = strdup(comm);
}

int executed_add(executed_files *files, pid_t pid, struct err *e)
{
	struct executed_reading r = { files, pid, false };
	AUTO_FD int dir = proc_open(pid);
	const ssize_t n = dir < 0 ? dir : proc_read_maps(dir, executed_see, &r);

	if (n < 0)
		return err_set(e, (int)-n, "the mappings of process %d cannot be read: %s", pid, strerror((int)-n));
	executed_name(files, pid, dir);
	return r.nomem ? err_nomem(e, "the files of a process") : 0;
}

void executed_free(executed_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->v[i].path);
		free(files->v[i].shown);
		free(files->v[i].called);
	}
	vec_free(files);
}
