/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * split.c - the paths are those that libdw tries, in its order (elfutils,
 * libdw/libdw_find_split_unit.c).
 */
#include "config.h"

#include "symbol/split.h"

#include "symbol/debugfile.h"
#include "symbol/dwarf.h"
#include "symbol/target_root.h"
#include "symbol/unpack.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	const char *s = dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;

	return s ? s : "";
}

static const char *dwo_name(Dwarf_Die *unit)
{
	const char *name = string_of(unit, DW_AT_dwo_name);

	return name[0] ? name : string_of(unit, DW_AT_GNU_dwo_name);
}

bool split_is(Dwarf_Die *unit)
{
	return dwo_name(unit)[0];
}

/* Where the file at FD is, and its name cut off into DIR, with its slash. */
static void own_path(int fd, char path[PATH_MAX], char dir[PATH_MAX])
{
	char link[40];
	ssize_t n;
	char *slash;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	snprintf(dir, PATH_MAX, "%s", path);
	slash = strrchr(dir, '/');
	dir[slash ? slash + 1 - dir : 0] = '\0';
}

/*
 * What a path leads to: 0 for a file that may be opened, of *RET_BYTES; -ENOENT, or another
 * negative errno with a sentence.
 */
static int split_look_at(const char *path, uint64_t max, uint64_t *ret_bytes, struct err *e)
{
	AUTO_FD int fd = regular_open(path);
	AUTO(elf_file_free) struct elf_file *f = NULL;
	uint64_t bytes;

	if (fd == -ENOENT || fd == -ENOTDIR)
		return -ENOENT;
	if (fd < 0)
		return err_set(e, -fd, "%s", strerror(-fd));
	if (elf_file_open(fd, &f, e))
		return -EBADMSG;
	/* libdw reads all of it, and unpacks what is compressed. */
	bytes = dwarf_debug_bytes(f);
	if (f->size > max || bytes > max - f->size)
		return err_set(e, EFBIG, "with it, it would be more than %llu MiB of debug information",
			       DWARF_BYTES_MAX >> 20);
	*ret_bytes = f->size + bytes;
	return 0;
}

/* Tries DIR + NAME. */
static int look_in(const char *dir, const char *name, uint64_t max, uint64_t *ret_bytes,
		   char path[PATH_MAX], struct err *e)
{
	const char *between = dir[0] && dir[strlen(dir) - 1] != '/' ? "/" : "";

	if (name[0] == '/')
		dir = between = "";
	return snprintf(path, PATH_MAX, "%s%s%s", dir, between, name) < PATH_MAX ?
		split_look_at(path, max, ret_bytes, e)
										 : -ENOENT;
}

/* The file of UNIT in one of the places where libdw looks for it, the second one being relative to the first. */
static int split_find_file(Dwarf_Die *unit, const char *dir, uint64_t max, uint64_t *ret_bytes, char path[PATH_MAX],
			   struct err *e)
{
	const char *comp_dir = string_of(unit, DW_AT_comp_dir), *name = dwo_name(unit);
	int r = look_in(dir, name, max, ret_bytes, path, e);
	char base[PATH_MAX];

	if (r != -ENOENT || !comp_dir[0] || snprintf(base, sizeof(base), "%s%s", comp_dir[0] == '/' ? "" : dir,
						     comp_dir) >= PATH_MAX)
		return r;
	return look_in(base, name, max, ret_bytes, path, e);
}

/* Why libdw could not use the file at PATH. */
static int split_refused(const char *path, struct err *e)
{
	AUTO_FD int fd = regular_open(path);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	int r = elf ? unpack_debug(elf, e) : 0;

	elf_end(elf);
	return r ? r : err_set(e, ESTALE, "it is of another build, or damaged");
}

static bool get_half(Dwarf_Die *unit, Dwarf_Die *ret)
{
	memset(ret, 0, sizeof(*ret));
	return !dwarf_cu_info(unit->cu, NULL, NULL, NULL, ret, NULL, NULL, NULL) && ret->addr;
}

/* One look for the other half of UNIT, in whatever root the thread has. */
struct looking {
	Dwarf_Die *unit;
	const char *own, *dir;
	uint64_t max;
	int r;                   /* -ENOENT: it is not there; else 0, or a negative errno with a sentence in WHY */
	char path[PATH_MAX];
	uint64_t bytes;
	Dwarf_Die half;
	struct err why;
};

static void split_look(void *ctx)
{
	struct looking *l = ctx;
	bool packed = false;

	l->r = split_find_file(l->unit, l->dir, l->max, &l->bytes, l->path, &l->why);
	if (l->r == -ENOENT && snprintf(l->path, sizeof(l->path), "%s.dwp", l->own) < PATH_MAX) {
		l->r = split_look_at(l->path, l->max, &l->bytes, &l->why);
		packed = true;
	}
	/* libdw looks once, for good: so only where there is something. */
	if (l->r || get_half(l->unit, &l->half))
		return;
	l->r = packed ? err_set(&l->why, ENOTSUP, "this libdw cannot use it: packages need elfutils 0.191 or newer") :
	       split_refused(l->path, &l->why);
}

int split_open(Dwarf_Die *unit, int fd, int root, uint64_t max, Dwarf_Die *ret, uint64_t *ret_bytes, struct err *e)
{
	char own[PATH_MAX], dir[PATH_MAX];
	struct looking l = { .unit = unit, .own = own, .dir = dir, .max = max, .r = -ENOENT };

	own_path(fd, own, dir);
	if (root >= 0)
		(void)target_root_run(root, split_look, &l);
	if (l.r == -ENOENT)
		split_look(&l);
	if (l.r == -ENOENT)
		return err_set(e, ENOENT, "inlined calls are not known: they are in %s, which is neither beside the "
			       "program nor where it was "
			       "compiled", dwo_name(unit));
	if (l.r)
		return err_set(e, -l.r, "inlined calls are not known: they are in %s: %s", l.path, l.why.text);
	*ret = l.half;
	*ret_bytes = l.bytes;
	return 0;
}
