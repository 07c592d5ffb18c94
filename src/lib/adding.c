// SPDX-License-Identifier: BSD-2-Clause
/*
 * adding.c - files that the caller names by places in them, without a process: at a path, or by a build-id, which
 * is looked for among those that are here already, in the caller's folders, and where debug files are.
 *
 * Of the files of a folder only path and build-id are kept: one is opened when it is asked for.
 */
#include "config.h"

#include <sberf/symbolize.h>
#include "lib/handle.h"

#include "symbol/debugfile.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

#define FOLDER_FILES_MAX (1u << 20)

static void forget_file(struct added_file *f)
{
	elf_file_free(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
}

void lib_added_clear(struct sberf *s)
{
	for (size_t i = 0; i < s->added.n; i++)
		forget_file(&s->added.v[i]);
	for (size_t i = 0; i < s->folder.n; i++)
		free(s->folder.v[i].path);
	vec_free(&s->added);
	vec_free(&s->folder);
	hidx_free(&s->added_ids);
	hidx_free(&s->folder_ids);
}

const struct added_file *lib_added(const struct sberf *s, module_id module)
{
	for (size_t i = 0; i < s->added.n; i++)
		if (s->added.v[i].module == module)
			return &s->added.v[i];
	return NULL;
}

static uint64_t added_rehash(const void *ctx, uint32_t i)
{
	const struct sberf *s = ctx;

	return hash_bytes(s->added.v[i].id, s->added.v[i].id_len);
}

static uint64_t folder_rehash(const void *ctx, uint32_t i)
{
	const struct sberf *s = ctx;

	return hash_bytes(s->folder.v[i].id, s->folder.v[i].id_len);
}

static const struct added_file *added_by_id(const struct sberf *s, const uint8_t *id, size_t len)
{
	uint32_t i;

	hidx_each(&s->added_ids, hash_bytes(id, len), i)
		if (s->added.v[i].id_len == len && !memcmp(s->added.v[i].id, id, len))
			return &s->added.v[i];
	return NULL;
}

static const struct folder_file *folder_by_id(const struct sberf *s, const uint8_t *id, size_t len)
{
	uint32_t i;

	hidx_each(&s->folder_ids, hash_bytes(id, len), i)
		if (s->folder.v[i].id_len == len && !memcmp(s->folder.v[i].id, id, len))
			return &s->folder.v[i];
	return NULL;
}

/* Opens the file with the build-id of *RET, or that at PATH (if any), whose build-id *RET then has. */
static int open_file_to_add(struct sberf *s, const char *path, struct added_file *ret)
{
	const struct debug_places where = { .symfs = s->symfs, .root = -1 };
	int rc;

	ret->path = path ? strdup(path) : NULL;
	if (path && !ret->path)
		return err_nomem(&s->err, "a file");
	ret->fd = path ? regular_open(path) : debugfile_open_build_id(ret->id, ret->id_len, &where);
	if (ret->fd < 0)
		return err_set(&s->err, -ret->fd, "cannot open %s: %s", path ? path : "a file with that build-id",
			       strerror(-ret->fd));
	rc = elf_file_open(ret->fd, &ret->elf, &s->err);
	if (!rc && path)
		ret->id_len = elf_file_build_id(ret->elf, ret->id);
	return rc;
}

/* Keeps F, which has been opened, unless it is there already. */
static int keep_file(struct sberf *s, struct added_file *f, uint32_t *ret)
{
	struct module m = { .kind = MODULE_FILE, .build_id_len = f->id_len };

	memcpy(m.build_id, f->id, f->id_len);
	m.path = strtab_adds(dict_strings(s->dict), f->path ? f->path : "");
	f->module = m.path == STR_NONE ? ID_NONE : dict_module(s->dict, &m);
	if (f->module == ID_NONE)
		return err_nomem(&s->err, "a file");
	*ret = f->module;
	if (lib_added(s, f->module)) {
		forget_file(f);
		return 0;
	}
	if (!vec_reserve(&s->added, 1))
		return err_nomem(&s->err, "a file");
	*vec_push(&s->added) = *f;
	/* Without it in the index the file is opened again when it is asked for by its build-id. */
	if (f->id_len && !added_by_id(s, f->id, f->id_len))
		(void)hidx_add(&s->added_ids, hash_bytes(f->id, f->id_len), (uint32_t)(s->added.n - 1), added_rehash,
			       s);
	return 0;
}

static int add_file(struct sberf *s, const char *path, struct added_file *f, uint32_t *ret)
{
	int rc = open_file_to_add(s, path, f);

	if (!rc)
		rc = keep_file(s, f, ret);
	if (rc)
		forget_file(f);
	return rc;
}

int sberf_file_add(struct sberf *s, const char *path, uint32_t *ret)
{
	struct added_file f = { .fd = -1 };

	lib_begin(s);
	return add_file(s, path, &f, ret);
}

int sberf_build_id_add(struct sberf *s, const uint8_t *id, size_t length, uint32_t *ret)
{
	struct added_file f = { .fd = -1, .id_len = (uint8_t)length };
	const struct added_file *known;
	const struct folder_file *file;

	lib_begin(s);
	if (length < 2 || length > BUILD_ID_MAX)
		return err_set(&s->err, EINVAL, "a build-id has 2 to %u bytes, not %zu", BUILD_ID_MAX, length);
	known = added_by_id(s, id, length);
	if (known) {
		*ret = known->module;
		return 0;
	}
	file = folder_by_id(s, id, length);
	memcpy(f.id, id, length);
	return add_file(s, file ? file->path : NULL, &f, ret);
}

/* Notes the file at PATH if it is an ELF file with a build-id. False when out of memory. */
static bool note_file(struct sberf *s, const char *path)
{
	struct err ignored = ERR_INIT;
	struct folder_file f = { 0 };
	struct elf_file *elf = NULL;
	AUTO_FD int fd = regular_open(path);

	if (fd < 0 || elf_file_open(fd, &elf, &ignored))
		return true;
	f.id_len = elf_file_build_id(elf, f.id);
	elf_file_free(elf);
	if (f.id_len < 2 || folder_by_id(s, f.id, f.id_len))
		return true;
	f.path = strdup(path);
	if (!f.path || !vec_reserve(&s->folder, 1)) {
		free(f.path);
		return false;
	}
	*vec_push(&s->folder) = f;
	if (hidx_add(&s->folder_ids, hash_bytes(f.id, f.id_len), (uint32_t)(s->folder.n - 1), folder_rehash, s))
		return true;
	free(s->folder.v[--s->folder.n].path);
	return false;
}

int sberf_folder_add(struct sberf *s, const char *path)
{
	char *paths[] = { strdup(path), NULL };
	const size_t before = s->folder.n;
	int rc = 0;
	FTSENT *at;
	FTS *tree;

	lib_begin(s);
	if (!paths[0])
		return err_nomem(&s->err, "a folder");
	/* Links are not followed: they may lead around in a circle, or out of the folder. */
	tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	while (!rc && tree && (at = fts_read(tree))) {
		if (!at->fts_level && (at->fts_info == FTS_NS || at->fts_info == FTS_DNR))
			rc = err_set(&s->err, at->fts_errno, "cannot read %s: %s", path, strerror(at->fts_errno));
		else if (at->fts_info == FTS_F && (s->folder.n >= FOLDER_FILES_MAX || !note_file(s, at->fts_path)))
			rc = err_nomem(&s->err, "the files of a folder");
	}
	if (!tree)
		rc = err_nomem(&s->err, "a folder");
	else
		fts_close(tree);
	free(paths[0]);
	return rc ? rc : (int)(s->folder.n - before);
}

int sberf_file_place(struct sberf *s, uint32_t module, uint64_t address, struct sberf_frame *ret)
{
	const struct added_file *f = lib_added(s, module);
	uint64_t offset;

	lib_begin(s);
	if (!f)
		return err_set(&s->err, ENOENT, "module %u is no file that was added", module);
	if (!elf_file_offset(f->elf, address, &offset))
		return err_set(&s->err, ENOENT, "nothing of the file is loaded at 0x%llx", (unsigned long long)address);
	*ret = (struct sberf_frame){ .address = address, .offset = offset, .module = module };
	return 0;
}
