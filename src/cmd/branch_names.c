/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_names.c - see branch_names.h. */
#include "config.h"

#include "cmd/branch_names.h"

#include "annotate/srcfile.h"
#include "base/arena.h"
#include "base/keyed.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sberf/symbolize.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCES_MAX 256u

struct named_file {
	uint64_t space;
	uint32_t module;         /* SBERF_MODULE_NONE = it cannot be opened */
};

struct named_place {
	uint64_t space, address;
	struct branch_place place;       /* its texts are in the arena */
};

struct named_source {
	char *path;
	struct srcfile *file;    /* NULL = it cannot be read */
};

struct branch_names {
	const struct options *o;
	struct sberf *s;
	KEYED(struct named_file) file;
	KEYED(struct named_place) place;
	VEC(struct named_source) source;
	struct arena texts;
};

int branch_names_new(const struct options *o, struct branch_names **ret, struct err *e)
{
	const struct sberf_options wanted = { .size = sizeof(wanted), .symfs = o->symfs,
					      .flags = o->debuginfod ? SBERF_DEBUGINFOD : 0 };
	struct branch_names *n = calloc(1, sizeof(*n));
	const int r = n ? sberf_open(&n->s, &wanted) : -ENOMEM;

	if (r < 0) {
		free(n);
		return err_set(e, -r, "cannot set up what names addresses: %s", strerror(-r));
	}
	n->o = o;
	*ret = n;
	return 0;
}

void branch_names_free(struct branch_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->source.n; i++) {
		free(n->source.v[i].path);
		srcfile_free(n->source.v[i].file);
	}
	vec_free(&n->source);
	keyed_free(&n->file);
	keyed_free(&n->place);
	arena_reset(&n->texts);
	sberf_close(n->s);
	free(n);
}

char *branch_names_path(const struct probe_code *code, char *dst, size_t size)
{
	text_format(dst, size, "/proc/%d/root%s", (int)code->pid, code->path);
	if (access(dst, R_OK))
		text_format(dst, size, "%s", code->path);
	return dst;
}

void branch_names_open(struct branch_names *n, const struct probe_code *code)
{
	const struct named_file want = { .module = SBERF_MODULE_NONE };
	struct named_file key = want;
	char path[PATH_MAX];
	uint32_t id;

	key.space = BRANCH_SPACE(code->probe, code->first);
	id = keyed_get(&n->file, &key, module);
	if (id != HIDX_NONE && n->file.v[id].module == SBERF_MODULE_NONE &&
	    sberf_file_add(n->s, branch_names_path(code, path, sizeof(path)), &n->file.v[id].module) < 0)
		n->file.v[id].module = SBERF_MODULE_NONE;
}

static const char *names_keep(struct branch_names *n, const char *text)
{
	const char *kept = text && *text ? arena_strndup(&n->texts, text, strlen(text)) : "";

	return kept ? kept : "";
}

/* Keeps what NAME has for a place at OFFSET. Of too many inlined functions the innermost ones stay. */
static void names_take(struct branch_names *n, const struct sberf_name *name, uint64_t offset, struct branch_place *ret)
{
	const uint32_t all = n->o->no_inline && name->nr_functions ? 1 : name->nr_functions;
	const uint32_t first = name->nr_functions - all;

	for (uint32_t i = 0; i < all; i++) {
		const struct sberf_function *fn = &name->functions[first + i];
		struct branch_line *to;

		if (all > PLACE_INLINED_MAX && i >= PLACE_INLINED_MAX - 1 && i < all - 1) {
			ret->more++;
			continue;
		}
		to = &ret->at[ret->n++];
		*to = (struct branch_line){ names_keep(n, fn->name), names_keep(n, fn->file),
					    names_keep(n, fn->directory), fn->line };
	}
	if (!ret->n)
		return;
	ret->function = ret->at[ret->n - 1].name;
	ret->offset = offset - name->start;
}

/* Without the file its name is known, and where it begins. */
static void names_by_code(struct branch_names *n, const struct probe_code *code, uint64_t address,
			  struct branch_place *ret)
{
	ret->function = names_keep(n, code->name);
	ret->offset = address - code->start;
}

static void names_ask(struct branch_names *n, uint32_t space, uint64_t address, struct branch_place *ret)
{
	struct probe_code code;
	struct sberf_names *names = NULL;
	struct sberf_frame at;
	struct named_file key = { .space = space };
	uint32_t id;

	if (!probe_code_find(BRANCH_SPACE_PROBE(space), BRANCH_SPACE_NUMBER(space), &code))
		return;
	branch_names_open(n, &code);
	id = keyed_find(&n->file, &key, module);
	if (id != HIDX_NONE && n->file.v[id].module != SBERF_MODULE_NONE &&
	    !sberf_file_place(n->s, n->file.v[id].module, address, &at) &&
	    !sberf_symbolize(n->s, &at, 1, 0, &names) && names->n)
		names_take(n, &names->name[0], at.offset, ret);
	sberf_names_free(names);
	if (!*ret->function)
		names_by_code(n, &code, address, ret);
}

void branch_names_of(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret)
{
	struct branch_names *n = ctx;
	struct named_place want = { .space = space, .address = address, .place = { .function = "" } };
	uint32_t id = keyed_find(&n->place, &want, place);

	if (id == HIDX_NONE) {
		names_ask(n, space, address, &want.place);
		id = keyed_get(&n->place, &want, place);
	}
	*ret = id == HIDX_NONE ? want.place : n->place.v[id].place;
}

/* The source file at PATH; NULL. */
static const struct srcfile *names_source_of(struct branch_names *n, const char *path)
{
	struct named_source *at;
	AUTO_FD int fd = -1;

	for (size_t i = 0; i < n->source.n; i++)
		if (!strcmp(n->source.v[i].path, path))
			return n->source.v[i].file;
	at = n->source.n < SOURCES_MAX ? vec_push(&n->source) : NULL;
	if (!at)
		return NULL;
	*at = (struct named_source){ .path = strdup(path) };
	if (!at->path) {
		n->source.n--;
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0)
		(void)srcfile_read(fd, &at->file, NULL);
	return at->file;
}

bool branch_names_source(void *ctx, const struct branch_line *line, char dst[SHOW_SOURCE_MAX])
{
	const struct srcfile *file;
	char path[PATH_MAX];

	if (!*line->file)
		return false;
	text_format(path, sizeof(path), "%s%s%s", *line->file == '/' ? "" : line->dir,
		    *line->file == '/' || !*line->dir ? "" : "/", line->file);
	file = names_source_of(ctx, path);
	if (!file || line->line > srcfile_lines(file))
		return false;
	srcfile_line(file, line->line, dst, SHOW_SOURCE_MAX);
	return *dst;
}
