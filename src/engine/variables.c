/* SPDX-License-Identifier: BSD-2-Clause */
/* variables.c - the mappings of a process, each with the file that it belongs to. */
#include "config.h"

#include "engine/variables.h"

#include "base/text.h"
#include "base/vec.h"
#include "symbol/debugfile.h"
#include "symbol/demangle.h"
#include "symbol/elfdata.h"
#include "symbol/members.h"
#include "symbol/params.h"
#include "system/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AREA_NONE SIZE_MAX

struct area {
	uint64_t start, end, pgoff;
	uint32_t maj, min;
	uint64_t ino;
	size_t first;            /* the first area of its file; AREA_NONE = of none */
	bool shared;
	char *name;              /* owned, of the first area of a file and of special ones; NULL */
};

struct variables {
	pid_t pid;
	VEC(struct area) area;
	bool nomem;
};

void variables_free(struct variables *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->area.n; i++)
		free(v->area.v[i].name);
	vec_free(&v->area);
	free(v);
}

/* The first area of the file that M, which follows the last area of V, belongs to. */
static size_t area_first(const struct variables *v, const struct maps_line *m)
{
	const size_t n = v->area.n;
	const struct area *last = n ? &v->area.v[n - 1] : NULL;
	const struct area *first = last && last->first != AREA_NONE ? &v->area.v[last->first] : NULL;

	if (map_what(m->name, m->name_len) == WHAT_FILE)
		return first && first->ino == m->ino && first->maj == m->maj && first->min == m->min ? last->first : n;
	return first && !m->name_len && last->end == m->start ? last->first : AREA_NONE;
}

static void variables_take(void *ctx, const struct maps_line *m)
{
	struct variables *v = ctx;
	const size_t first = area_first(v, m), n = v->area.n;
	struct area *a = vec_push(&v->area);

	if (!a) {
		v->nomem = true;
		return;
	}
	*a = (struct area){ .start = m->start, .end = m->end, .pgoff = m->pgoff, .maj = m->maj, .min = m->min,
			    .ino = m->ino, .first = first, .shared = m->shared };
	if (m->name_len && (first == n || first == AREA_NONE)) {
		a->name = strndup(m->name, m->name_len);
		v->nomem |= !a->name;
	}
}

int variables_new(pid_t pid, struct variables **ret, struct err *e)
{
	AUTO(variables_free) struct variables *v = calloc(1, sizeof(*v));
	AUTO_FD int dir = proc_open(pid);
	ssize_t n;

	if (!v)
		return err_nomem(e, "the mappings of a process");
	if (dir < 0)
		return err_set(e, ESRCH, "there is no process %d", (int)pid);
	v->pid = pid;
	n = proc_read_maps(dir, variables_take, v);
	if (n < 0)
		return err_set(e, (int)-n, "cannot read what process %d has mapped: %s", (int)pid, strerror((int)-n));
	if (v->nomem)
		return err_nomem(e, "the mappings of a process");
	*ret = take_ptr(v);
	return 0;
}

static const struct area *area_at(const struct variables *v, uint64_t address)
{
	for (size_t i = 0; i < v->area.n; i++)
		if (address >= v->area.v[i].start && address < v->area.v[i].end)
			return &v->area.v[i];
	return NULL;
}

/* The file whose first area is A, for reading; -1 when it is another one by now, or cannot be opened. */
static int area_open(const struct variables *v, const struct area *a)
{
	char path[64 + PROC_PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)v->pid, a->start, a->end);
	fd = regular_open(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)v->pid, a->name);
	fd = regular_open(path);
	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != a->ino)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Where VADDR is in the variable V, by the debug information of FILE: "pool.lock"; else "pool+0x28". */
static void variables_write(const struct elf_file *file, uint64_t vaddr, const struct elf_variable *v, char *dst,
			    size_t size)
{
	AUTO_FREE char *name = demangle_symbol(v->name);
	AUTO(params_free) struct params *debug = NULL;
	AUTO(members_free) struct members *members = NULL;
	char path[MEMBERS_MAX] = "";
	uint64_t start = 0;

	if (!params_open(file, &debug, NULL))
		members = members_new(params_dwarf(debug));
	if (members)
		(void)members_path(members, vaddr - v->offset, v->offset, path, &start);
	text_format(dst, size, "%s%s", name ? name : v->name, path);
	if (v->offset > start && strlen(dst) < size)
		text_format(dst + strlen(dst), size - strlen(dst), "+0x%" PRIx64, v->offset - start);
}

/* Writes what the variable at VADDR of FILE, which the process knows as PATH, is called; false when none is there. */
static bool variables_in(const struct elf_file *file, const char *path, uint64_t vaddr, char *dst, size_t size)
{
	const struct debug_places where = { .root = -1 };
	AUTO(elf_file_free) struct elf_file *debug = NULL;
	AUTO_FD int fd = -1;
	struct elf_variable variable;

	if (elf_variable_find(file, vaddr, &variable)) {
		variables_write(file, vaddr, &variable, dst, size);
		return true;
	}
	fd = elf_file_section_type(file, SHT_SYMTAB) ? -1 : debugfile_open(file, path, &where);
	if (fd < 0 || elf_file_open(fd, &debug, NULL) || !elf_variable_find(debug, vaddr, &variable))
		return false;
	variables_write(debug, vaddr, &variable, dst, size);
	return true;
}

static void name_in_file(const struct variables *v, const struct area *first, uint64_t address, char *dst, size_t size)
{
	const char *slash = strrchr(first->name, '/');
	AUTO(elf_file_free) struct elf_file *file = NULL;
	AUTO_FD int fd = area_open(v, first);
	uint64_t begin;

	if (fd < 0 || elf_file_open(fd, &file, NULL) || !elf_file_vaddr(file, first->pgoff, &begin)) {
		text_format(dst, size, "%s", slash ? slash + 1 : first->name);
		return;
	}
	address = address - first->start + begin;
	if (!variables_in(file, first->name, address, dst, size))
		text_format(dst, size, "%s+0x%" PRIx64, slash ? slash + 1 : first->name, address);
}

void variables_name(const struct variables *v, uint64_t address, char *dst, size_t size)
{
	const struct area *a = area_at(v, address);

	text_format(dst, size, "%s", "");
	if (!a)
		return;
	if (a->first != AREA_NONE && v->area.v[a->first].name)
		name_in_file(v, &v->area.v[a->first], address, dst, size);
	else if (a->name && !strcmp(a->name, "[heap]"))
		text_format(dst, size, "heap");
	else if (a->name && !strcmp(a->name, "[stack]"))
		text_format(dst, size, "stack");
}

bool variables_shared(const struct variables *v, uint64_t address, struct variables_shared *ret)
{
	const struct area *a = area_at(v, address);

	if (!a || !a->shared || !a->ino)
		return false;
	*ret = (struct variables_shared){ .maj = a->maj, .min = a->min, .ino = a->ino };
	return true;
}

bool variables_shares(const struct variables *v, const struct variables_shared *file)
{
	for (size_t i = 0; i < v->area.n; i++) {
		const struct area *a = &v->area.v[i];

		if (a->shared && a->ino == file->ino && a->maj == file->maj && a->min == file->min)
			return true;
	}
	return false;
}
