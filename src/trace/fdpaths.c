/* SPDX-License-Identifier: BSD-2-Clause */
/* fdpaths.c - see fdpaths.h. */
#include "config.h"

#include "trace/fdpaths.h"

#include "base/clock.h"
#include "base/keyed.h"
#include "base/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KNOWN_MAX 65536u                 /* files; beyond that all are forgotten */
#define AGAIN_NS NSEC_PER_SEC            /* before what was not found is looked for again */
#define FDINFO_MAX 512u                  /* bytes of /proc/PID/fdinfo/FD in which the inode stands */

/* A file of a process. */
struct known {
	uint64_t pid;
	struct hit_file file;
	char *path;              /* NULL: it was not found ... */
	uint64_t tried_ns;       /* ... then */
};

struct fdpaths {
	const char *proc;
	KEYED(struct known) known;
};

struct fdpaths *fdpaths_new(const char *proc)
{
	struct fdpaths *f = calloc(1, sizeof(*f));

	if (f)
		f->proc = proc;
	return f;
}

static void fdpaths_forget(struct fdpaths *f)
{
	for (size_t i = 0; i < f->known.n; i++)
		free(f->known.v[i].path);
	keyed_free(&f->known);
}

void fdpaths_free(struct fdpaths *f)
{
	if (!f)
		return;
	fdpaths_forget(f);
	free(f);
}

/* The entry of FILE of PID, made when there is none; NULL when out of memory. */
static struct known *fdpaths_entry(struct fdpaths *f, pid_t pid, const struct hit_file *file)
{
	const struct known want = { .pid = (uint64_t)pid, .file = *file };
	uint32_t id;

	if (f->known.n >= KNOWN_MAX)
		fdpaths_forget(f);
	id = keyed_get(&f->known, &want, path);
	return id == HIDX_NONE ? NULL : &f->known.v[id];
}

static bool fdpaths_readlink(const char *path, char dst[CALLTEXT_FILE_MAX])
{
	const ssize_t n = readlink(path, dst, CALLTEXT_FILE_MAX - 1);

	if (n <= 0)
		return false;
	dst[n] = '\0';
	return true;
}

/* Does descriptor FD of PID stand for a file with INODE? Since Linux 5.14 it is told (3845f256a8b5). */
static bool fdpaths_is(const struct fdpaths *f, pid_t pid, int fd, uint64_t inode)
{
	char path[128], text[FDINFO_MAX];
	const char *at;
	uint64_t got;
	ssize_t n;

	text_format(path, sizeof(path), "%s/%d/fdinfo/%d", f->proc, (int)pid, fd);
	AUTO_FD int info = open(path, O_RDONLY | O_CLOEXEC);
	n = info < 0 ? 0 : read(info, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "\nino:");
	return at && sscanf(at, " ino: %" SCNu64, &got) == 1 && got == inode;
}

/* What /proc says of FD, if it still stands for FILE. */
static bool fdpaths_ask(const struct fdpaths *f, pid_t pid, int fd, const struct hit_file *file,
			char dst[CALLTEXT_FILE_MAX])
{
	char path[128];

	text_format(path, sizeof(path), "%s/%d/fd/%d", f->proc, (int)pid, fd);
	return fdpaths_readlink(path, dst) && fdpaths_is(f, pid, fd, file->inode);
}

/* Keeps PATH, NULL = not found, for FILE. */
static void fdpaths_keep(struct fdpaths *f, const struct hit *h, const struct hit_file *file, const char *path)
{
	struct known *k = fdpaths_entry(f, h->pid, file);

	if (!k)
		return;
	free(k->path);
	k->path = path ? strdup(path) : NULL;
	k->tried_ns = h->time_ns;
}

bool fdpaths_name(void *ctx, const struct hit *h, int fd, const struct hit_file *file, char dst[CALLTEXT_FILE_MAX])
{
	struct fdpaths *f = ctx;
	const struct known want = { .pid = (uint64_t)h->pid, .file = *file };
	const uint32_t id = keyed_find(&f->known, &want, path);
	const struct known *k = id == HIDX_NONE ? NULL : &f->known.v[id];
	bool found;

	if (k && k->path) {
		text_format(dst, CALLTEXT_FILE_MAX, "%s", k->path);
		return true;
	}
	if (k && h->time_ns < k->tried_ns + AGAIN_NS)
		return false;
	found = fdpaths_ask(f, h->pid, fd, file, dst);
	fdpaths_keep(f, h, file, found ? dst : NULL);
	return found;
}

/* The folder that the relative name behind argument ARG of H begins in. */
static bool fdpaths_folder(struct fdpaths *f, const struct callargs *call, const struct hit *h, unsigned int arg,
			   char dst[CALLTEXT_FILE_MAX])
{
	char path[128];

	if (arg && call->arg[arg - 1].type == CALLARG_DIRFD && (int)h->arg[arg - 1] != AT_FDCWD)
		return h->file.inode && fdpaths_name(f, h, (int)h->arg[arg - 1], &h->file, dst);
	text_format(path, sizeof(path), "%s/%d/cwd", f->proc, (int)h->pid);
	return fdpaths_readlink(path, dst);
}

/* By the name that argument ARG of H has. */
static bool fdpaths_given(struct fdpaths *f, const struct callargs *call, const struct hit *h, unsigned int arg,
			  char dst[CALLTEXT_FILE_MAX])
{
	const struct hit_text *t = hit_text_of(h, arg);
	char folder[CALLTEXT_FILE_MAX];

	if (!t || t->cut || !t->len)
		return false;
	if (*t->bytes != '/' && fdpaths_folder(f, call, h, arg, folder))
		text_format(dst, CALLTEXT_FILE_MAX, "%s/%.*s", folder, (int)t->len, t->bytes);
	else
		text_format(dst, CALLTEXT_FILE_MAX, "%.*s", (int)t->len, t->bytes);
	return true;
}

void fdpaths_learn(struct fdpaths *f, const struct callargs *call, const struct hit *h)
{
	char path[CALLTEXT_FILE_MAX];
	bool found, opens = false;

	if (!call || call->result != CALLARG_FD || h->result < 0 || !h->made.inode)
		return;
	found = fdpaths_ask(f, h->pid, (int)h->result, &h->made, path);
	for (unsigned int i = 0; !found && i < callargs_count(call); i++) {
		opens |= call->arg[i].type == CALLARG_PATH;
		found = call->arg[i].type == CALLARG_PATH && fdpaths_given(f, call, h, i, path);
	}
	/* What only copies a descriptor (dup) is about a file that is known, if it is. */
	if (found || opens)
		fdpaths_keep(f, h, &h->made, found ? path : NULL);
}
