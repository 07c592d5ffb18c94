/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_names.c - see branch_names.h. */
#include "config.h"

#include "cmd/branch_names.h"

#include "annotate/srcfile.h"
#include "base/arena.h"
#include "base/keyed.h"
#include "base/text.h"
#include "cmd/branch_graph.h"
#include "engine/kernel_code.h"
#include "symbol/kcore.h"
#include "symbol/kernel.h"
#include "symbol/kernel_debug.h"
#include "symbol/module_debug.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sberf/symbolize.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCES_MAX 256u
#define KERNEL_MODULE_MAX 64u

struct named_file {
	uint64_t space;
	uint32_t module;         /* SBERF_MODULE_NONE = it cannot be opened */
};

/* The code of a function of the kernel: its blocks behind each other. */
struct named_code {
	uint32_t space;
	uint8_t *bytes;
};

/* A BPF program, and which code is of it. */
struct named_program {
	uint32_t space;
	const struct bpfcode *code;
};

struct named_place {
	uint64_t space, address;
	struct branch_place place;       /* its texts are in the arena */
};

/* A module of the kernel, and its debug information: SBERF_MODULE_NONE = there is none that can be read. */
struct named_module {
	char name[KERNEL_MODULE_MAX];
	uint32_t debug;
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
	VEC(struct named_code) code;
	VEC(struct named_program) program;
	const struct branch_symbols *symbols;    /* of BRANCH_KERNEL; NULL */
	struct kcore *core;      /* NULL = nobody has asked, or it cannot be read; the next, too */
	struct ksyms *ksyms;
	bool ksyms_tried;
	/* the kernel's debug information, once it was looked for: SBERF_MODULE_NONE = there is none that can be read */
	bool debug_tried;
	uint32_t debug;
	uint64_t debug_shift;
	VEC(struct named_module) module;
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
	for (size_t i = 0; i < n->code.n; i++)
		free(n->code.v[i].bytes);
	vec_free(&n->code);
	vec_free(&n->program);
	vec_free(&n->module);
	kcore_free(n->core);
	ksyms_free(n->ksyms);
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

/* Code of the kernel is known by its path. */
bool branch_names_is_graph(const struct probe_code *code)
{
	return !strncmp(code->path, KERNEL_GRAPH_PATH, strlen(KERNEL_GRAPH_PATH));
}

bool branch_names_is_pointed(const struct probe_code *code)
{
	return !strcmp(code->path, KERNEL_POINTED_PATH);
}

bool branch_names_is_kernel(const struct probe_code *code)
{
	return !strcmp(code->path, KERNEL_CODE_PATH) || branch_names_is_graph(code);
}

static const struct named_code *names_code_of(const struct branch_names *n, uint32_t space)
{
	for (size_t i = 0; i < n->code.n; i++)
		if (n->code.v[i].space == space)
			return &n->code.v[i];
	return NULL;
}

const uint8_t *branch_names_kernel_code(const struct branch_names *n, const struct probe_code *code, uint32_t nr)
{
	const struct named_code *at = names_code_of(n, BRANCH_SPACE(code->probe, code->first));
	size_t off = 0;

	for (uint32_t i = 0; i < nr; i++)
		off += code->block[i].size;
	return at ? at->bytes + off : NULL;
}

/* Reads the code of CODE, unless that was done. */
static void names_read_kernel(struct branch_names *n, const struct probe_code *code)
{
	const uint32_t space = BRANCH_SPACE(code->probe, code->first);
	struct named_code *at;
	size_t size = 0, off = 0;
	AUTO_FREE uint8_t *bytes = NULL;

	if (names_code_of(n, space) || (!n->core && kcore_open(KCORE_PATH, &n->core, NULL)))
		return;
	for (uint32_t i = 0; i < code->n; i++)
		size += code->block[i].size;
	bytes = malloc(size);
	for (uint32_t i = 0; bytes && i < code->n; off += code->block[i++].size)
		if (!kcore_read(n->core, code->block[i].vaddr, bytes + off, code->block[i].size))
			return;
	at = bytes ? vec_push(&n->code) : NULL;
	if (at)
		*at = (struct named_code){ space, take_ptr(bytes) };
}

/* Adds the file at FD, which is closed, and is said to be WHAT: its number to *RET. */
static int names_add_file(struct branch_names *n, int fd, const char *what, uint32_t *ret, struct err *e)
{
	char path[32];
	int r;

	text_format(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = sberf_file_add(n->s, path, ret);
	if (r < 0)
		err_set(e, -r, "%s cannot be read: %s", what, sberf_error(n->s));
	close(fd);
	return r;
}

static void names_say_no_lines(const struct branch_names *n, const char *of, const struct err *why)
{
	if (n->o->branch_lines)
		fprintf(stderr, "sberf branches: no lines of %s: %s%s\n", of, why->text,
			n->o->debuginfod ? "" : ", or use --debuginfod");
}

/* Finds the kernel's debug information, unless that was done. That there is none is said where lines are asked for. */
static void names_find_debug(struct branch_names *n)
{
	struct err why = ERR_INIT;
	struct kernel_debug debug;
	struct kernel_debug_of of;
	int r;

	if (n->debug_tried)
		return;
	n->debug_tried = true;
	n->debug = SBERF_MODULE_NONE;
	r = kernel_debug_running(&of, &why);
	r = r ? r : kernel_debug_find(&of, n->o->symfs, n->o->debuginfod, &debug, &why);
	if (!r) {
		n->debug_shift = debug.shift;
		r = names_add_file(n, debug.fd, debug.path, &n->debug, &why);
	}
	if (r < 0) {
		n->debug = SBERF_MODULE_NONE;
		names_say_no_lines(n, "the kernel", &why);
	}
}

/* The debug information of the module SYMBOL, "f [module]", is of, which is looked for once. */
static uint32_t names_find_module(struct branch_names *n, const char *symbol)
{
	const struct module_debug_where where = { .modules = MODULES_PATH, .release = kernel_debug_release(),
						  .symfs = n->o->symfs, .fetch = n->o->debuginfod };
	const char *bracket = strstr(symbol, " [");
	struct err why = ERR_INIT;
	char name[KERNEL_MODULE_MAX];
	struct named_module *at;
	int r, fd = -1;

	text_format(name, sizeof(name), "%.*s", (int)strcspn(bracket + 2, "]"), bracket + 2);
	for (size_t i = 0; i < n->module.n; i++)
		if (!strcmp(n->module.v[i].name, name))
			return n->module.v[i].debug;
	at = vec_push(&n->module);
	if (!at)
		return SBERF_MODULE_NONE;
	memcpy(at->name, name, sizeof(name));
	r = module_debug_open(name, &where, &fd, &why);
	r = r ? r : names_add_file(n, fd, "its debug information", &at->debug, &why);
	if (r < 0) {
		at->debug = SBERF_MODULE_NONE;
		names_say_no_lines(n, name, &why);
	}
	return at->debug;
}

void branch_names_open(struct branch_names *n, const struct probe_code *code)
{
	const struct named_file want = { .module = SBERF_MODULE_NONE };
	struct named_file key = want;
	char path[PATH_MAX];
	uint32_t id;

	if (branch_names_is_kernel(code)) {
		if (!branch_names_is_graph(code))
			names_read_kernel(n, code);
		if (!branch_names_is_graph(code) || n->o->branch_lines)
			names_find_debug(n);
		return;
	}
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

/* Adds to RET, which has its name, what debug information says of ADDRESS in the kernel, which is in SYMBOL. */
static void names_add_lines(struct branch_names *n, const char *symbol, uint64_t address, struct branch_place *ret)
{
	const char *function = ret->function;
	const uint64_t offset = ret->offset;
	const bool of_module = strstr(symbol, " [");
	uint32_t debug = n->debug_tried ? n->debug : SBERF_MODULE_NONE;
	struct sberf_names *names = NULL;
	struct sberf_frame at;

	if (of_module)
		debug = n->debug_tried ? names_find_module(n, symbol) : SBERF_MODULE_NONE;
	if (debug == SBERF_MODULE_NONE ||
	    sberf_file_place(n->s, debug, of_module ? address : address - n->debug_shift, &at))
		return;
	if (!sberf_symbolize(n->s, &at, 1, 0, &names) && names->n)
		names_take(n, &names->name[0], at.offset, ret);
	sberf_names_free(names);
	/* As the kernel's own table has it. */
	ret->function = function;
	ret->offset = offset;
}

/* The same of the kernel, where a jump may lead to another function. */
static void names_ask_kernel(struct branch_names *n, const struct probe_code *code, uint64_t address,
			     struct branch_place *ret)
{
	char text[64];
	struct ksym sym;

	ret->whole = branch_names_is_graph(code);
	if (ret->whole && branch_graph_outcome_text(address, text, sizeof(text))) {
		ret->function = names_keep(n, text);
		return;
	}
	for (uint32_t i = 0; i < code->n; i++)
		if (address - code->block[i].vaddr < code->block[i].size && address >= code->start) {
			names_by_code(n, code, address, ret);
			names_add_lines(n, code->symbol, address, ret);
			return;
		}
	if (!n->ksyms && !n->ksyms_tried)
		(void)ksyms_load(&n->ksyms, NULL);
	n->ksyms_tried = true;
	if (!n->ksyms || !ksyms_find(n->ksyms, address, &sym))
		return;
	ret->function = names_keep(n, sym.name);
	ret->offset = address - sym.start;
	names_add_lines(n, sym.name, address, ret);
}

/* ---- BPF programs ---- */

int branch_names_program(struct branch_names *n, uint32_t space, const struct bpfcode *code, struct err *e)
{
	struct named_program *at = vec_push(&n->program);

	if (at)
		*at = (struct named_program){ space, code };
	return at ? 0 : err_nomem(e, "names of BPF programs");
}

const struct bpfcode *branch_names_program_of(const struct branch_names *n, const struct probe_code *code)
{
	for (size_t i = 0; i < n->program.n; i++)
		if (n->program.v[i].space == BRANCH_SPACE(code->probe, code->first))
			return n->program.v[i].code;
	return NULL;
}

void branch_names_records(struct branch_names *n, const struct branch_symbols *s)
{
	n->symbols = s;
}

/* Names ADDRESS of the BPF program CODE, if it is in it. */
static bool names_ask_program(struct branch_names *n, const struct bpfcode *code, uint64_t address,
			      struct branch_place *ret)
{
	const struct bpfcode_function *f = bpfcode_find(code, address);
	const struct bpfcode_line *line = f ? bpfcode_line_of(code, address) : NULL;

	if (!f)
		return false;
	ret->function = names_keep(n, f->name);
	ret->offset = address - f->address;
	if (!line)
		return true;
	ret->at[ret->n++] = (struct branch_line){ ret->function, names_keep(n, line->file), "", line->line };
	return true;
}

/* Names ADDRESS of the records of a CPU. */
static void names_ask_records(struct branch_names *n, uint64_t address, struct branch_place *ret)
{
	for (size_t i = 0; i < n->program.n; i++)
		if (names_ask_program(n, n->program.v[i].code, address, ret))
			return;
	if (!n->symbols)
		return;
	branch_records_place(n->symbols, address, ret);
	ret->function = names_keep(n, ret->function);
	if (*ret->function)
		names_add_lines(n, ret->function, address, ret);
}

/* TEXT, a line of a source file, to DST: without what it begins with, and with blanks for tabs. */
static void names_take_text(const char *text, char dst[SHOW_SOURCE_MAX])
{
	char plain[SHOW_SOURCE_MAX];

	text_format(plain, sizeof(plain), "%s", text + strspn(text, " \t"));
	for (char *at = plain; *at; at++)
		*at = *at == '\t' ? ' ' : *at;
	text_sanitise(dst, SHOW_SOURCE_MAX, plain, strlen(plain));
}

/* What the BPF programs have as the text of LINE, to DST. */
static bool names_program_source(const struct branch_names *n, const struct branch_line *line,
				 char dst[SHOW_SOURCE_MAX])
{
	for (size_t i = 0; i < n->program.n; i++) {
		const struct bpfcode *code = n->program.v[i].code;

		for (size_t k = 0; k < code->lines; k++) {
			const struct bpfcode_line *at = &code->line[k];

			if (at->line != line->line || !*at->text || strcmp(at->file, line->file))
				continue;
			names_take_text(at->text, dst);
			return *dst;
		}
	}
	return false;
}

static void names_ask(struct branch_names *n, uint32_t space, uint64_t address, struct branch_place *ret)
{
	struct probe_code code;
	struct sberf_names *names = NULL;
	struct sberf_frame at;
	struct named_file key = { .space = space };
	uint32_t id;

	if (space == BRANCH_KERNEL) {
		names_ask_records(n, address, ret);
		return;
	}
	if (!probe_code_find(BRANCH_SPACE_PROBE(space), BRANCH_SPACE_NUMBER(space), &code))
		return;
	if (branch_names_program_of(n, &code)) {
		if (!names_ask_program(n, branch_names_program_of(n, &code), address, ret))
			names_ask_records(n, address, ret);
		return;
	}
	if (branch_names_is_kernel(&code)) {
		names_ask_kernel(n, &code, address, ret);
		return;
	}
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
	if (names_program_source(ctx, line, dst))
		return true;
	text_format(path, sizeof(path), "%s%s%s", *line->file == '/' ? "" : line->dir,
		    *line->file == '/' || !*line->dir ? "" : "/", line->file);
	file = names_source_of(ctx, path);
	if (!file || line->line > srcfile_lines(file))
		return false;
	srcfile_line(file, line->line, dst, SHOW_SOURCE_MAX);
	return *dst;
}
