/* SPDX-License-Identifier: BSD-2-Clause */
/* debugfile.c - each candidate is a path and a test; the first that passes wins. */
#include "config.h"

#include "symbol/debugfile.h"

#include "symbol/target_root.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"
#define LINK_MAX_BYTES 4096u

/* What a debug file must be. */
struct wanted {
	uint8_t id[BUILD_ID_MAX];
	uint8_t id_len;          /* 0 = go by crc */
	uint32_t crc;
	const char *path;        /* of the file that it belongs to */
	int root;                /* in which it is looked for; -1 = ours */
};

int regular_open(const char *path)
{
	return target_root_open(-1, path);
}

static bool same_build_id(int fd, const struct wanted *w)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint8_t id[BUILD_ID_MAX];

	return !elf_file_open(fd, &f, NULL) && elf_file_build_id(f, id) == w->id_len && !memcmp(id, w->id, w->id_len);
}

static bool same_crc(int fd, uint32_t want)
{
	AUTO_FREE uint8_t *buf = malloc(1u << 16);
	uLong crc = crc32(0, Z_NULL, 0);
	ssize_t n = 1;

	for (off_t at = 0; buf && n > 0; at += n) {
		n = pread(fd, buf, 1u << 16, at);
		if (n < 0)
			return false;
		crc = crc32(crc, buf, (uInt)n);
	}
	return buf && (uint32_t)crc == want;
}

static int try_path(const char *path, const struct wanted *w)
{
	AUTO_FD int fd = target_root_open(w->root, path);

	if (fd < 0)
		return -ENOENT;
	return (w->id_len ? same_build_id(fd, w) : same_crc(fd, w->crc)) ? take_fd(&fd) : -ENOENT;
}

/* A + B + C, tried when it fits in a path. */
static int try_joined(const char *a, const char *b, const char *c, const struct wanted *w)
{
	char path[PATH_MAX];
	const int n = snprintf(path, sizeof(path), "%s%s%s", a, b, c);

	return n > 0 && (size_t)n < sizeof(path) ? try_path(path, w) : -ENOENT;
}

/* Looks with TRY below symfs, in the root that the target sees, and in ours. */
static int in_places(const struct debug_places *where, struct wanted *w,
		     int (*try)(const char *root, const char *name, const struct wanted *w), const char *name)
{
	int fd = -ENOENT;

	w->root = -1;
	if (where->symfs)
		fd = try(where->symfs, name, w);
	if (fd < 0 && where->root >= 0) {
		w->root = where->root;
		fd = try("", name, w);
		w->root = -1;
	}
	return fd >= 0 ? fd : try("", name, w);
}

/* Below a directory of the user's, debug files may also lie without the directories above them. */
static int try_build_id(const char *root, const char *name, const struct wanted *w)
{
	const int fd = try_joined(root, DEBUG_ROOT, name, w);

	return fd >= 0 || !root[0] ? fd : try_joined(root, "", name, w);
}

static int by_build_id(struct wanted *w, const struct debug_places *where)
{
	char name[2 * BUILD_ID_MAX + 32];
	int n;

	if (w->id_len < 2)
		return -ENOENT;
	n = snprintf(name, sizeof(name), "/.build-id/%02x/", w->id[0]);
	for (uint8_t i = 1; i < w->id_len; i++)
		n += snprintf(name + n, sizeof(name) - (size_t)n, "%02x", w->id[i]);
	snprintf(name + n, sizeof(name) - (size_t)n, ".debug");
	return in_places(where, w, try_build_id, name);
}

/* The NUL-terminated file name at the start of section SECTION; the caller frees ret->data. */
static bool link_section(const struct elf_file *f, const char *section, struct elf_bytes *ret)
{
	const Elf64_Shdr *sh = elf_file_section(f, section);
	struct elf_bytes b;

	if (!sh || !elf_file_bytes(f, sh, LINK_MAX_BYTES, &b))
		return false;
	if (!b.data[0] || !memchr(b.data, '\0', b.len)) {
		free(b.data);
		return false;
	}
	*ret = b;
	return true;
}

/* The directory of PATH with its last slash into DIR; "" when PATH has none. */
static void debugfile_directory_of(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	const size_t len = slash ? (size_t)(slash - path) + 1 : 0;

	snprintf(dir, PATH_MAX, "%.*s", len < PATH_MAX ? (int)len : 0, path);
}

/* NAME beside the file at w->path, and where distributions put debug files. */
static int try_beside(const char *root, const char *name, const struct wanted *w)
{
	char dir[PATH_MAX], base[PATH_MAX], below[PATH_MAX];
	int fd;

	debugfile_directory_of(w->path, dir);
	if (snprintf(base, sizeof(base), "%s%s", root, dir) >= PATH_MAX)
		return -ENOENT;
	fd = try_joined(base, "", name, w);
	if (fd < 0)
		fd = try_joined(base, ".debug/", name, w);
	if (fd < 0 && dir[0] == '/' && snprintf(below, sizeof(below), "%s%s", root, DEBUG_ROOT) < PATH_MAX)
		fd = try_joined(below, dir, name, w);
	return fd;
}

static int by_debuglink(const struct elf_file *f, const struct debug_places *where, struct wanted *w)
{
	AUTO_FREE uint8_t *data = NULL;
	struct elf_bytes link;
	const char *name;
	size_t crc_at;

	if (!link_section(f, ".gnu_debuglink", &link))
		return -ENOENT;
	data = link.data;
	name = (const char *)data;
	crc_at = (strlen(name) + 4) & ~(size_t)3;
	if (strchr(name, '/') || crc_at + sizeof(w->crc) > link.len)
		return -ENOENT;
	memcpy(&w->crc, data + crc_at, sizeof(w->crc));
	return in_places(where, w, try_beside, name);
}

int debugfile_open_build_id(const uint8_t *id, uint8_t len, const struct debug_places *where)
{
	struct wanted w = { .path = "", .id_len = len <= BUILD_ID_MAX ? len : BUILD_ID_MAX };

	memcpy(w.id, id, w.id_len);
	return by_build_id(&w, where);
}

int debugfile_open(const struct elf_file *f, const char *path, const struct debug_places *where)
{
	struct wanted w = { .path = path };
	int fd;

	w.id_len = elf_file_build_id(f, w.id);
	fd = by_build_id(&w, where);
	return fd >= 0 ? fd : by_debuglink(f, where, &w);
}

/* The file that is called NAME where w->path is. */
static int try_named(const char *root, const char *name, const struct wanted *w)
{
	char dir[PATH_MAX];

	if (name[0] == '/')
		return try_joined(root, "", name, w);
	debugfile_directory_of(w->path, dir);
	return root[0] ? -ENOENT : try_joined(dir, "", name, w);
}

int debugfile_open_alt(const struct elf_file *debug, const char *path, const struct debug_places *where)
{
	AUTO_FREE uint8_t *data = NULL;
	struct elf_bytes link;
	struct wanted w = { .path = path };
	const char *name;
	size_t id_len;
	int fd;

	if (!link_section(debug, ".gnu_debugaltlink", &link))
		return -ENOENT;
	data = link.data;
	name = (const char *)data;
	id_len = link.len - strlen(name) - 1;
	if (!id_len || id_len > BUILD_ID_MAX)
		return -ENOENT;
	w.id_len = (uint8_t)id_len;
	memcpy(w.id, data + strlen(name) + 1, id_len);
	fd = by_build_id(&w, where);
	return fd >= 0 ? fd : in_places(where, &w, try_named, name);
}
