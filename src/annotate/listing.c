/* SPDX-License-Identifier: BSD-2-Clause */
/* listing.c - see listing.h: code, then lines, then the text of these. */
#include "config.h"

#include "annotate/listing.h"

#include "annotate/disasm.h"
#include "annotate/srcfile.h"
#include "base/order.h"
#include "base/text.h"
#include "symbol/demangle.h"
#include "symbol/details.h"
#include "symbol/elfsyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PLACES_MAX 128u          /* inlined calls in one place */
#define FILES_MAX 64u            /* source files */
#define LINES_MAX 50000u
#define SOURCE_BYTES_MAX (32u << 20)     /* of all source files of a function; more is begun with, never added to */

struct line_ref {
	uint32_t file, number;
};

struct reader {
	const struct code_access *access;
	const struct listing_of *of;
	const _Atomic bool *stop;
	struct listing *l;
	int fd, debug_fd;
	struct elf_file *elf, *debug;
	struct dwarf_info *dwarf;
	struct elf_syms *syms;
	struct timespec built;           /* when the file of code was changed last */
	uint64_t address;                /* of the function */
	struct srcfile *source[FILES_MAX];
	size_t source_bytes;             /* of them */
	const char *raw[FILES_MAX];      /* paths as debug information has them */
	VEC(const char *) inlined;       /* by the number of a dwarf_place, minus one */
	VEC(struct line_ref) refs;       /* by instruction */
	struct err *e;
};

static int listing_stopped(const struct reader *r)
{
	return atomic_load(r->stop) ? err_set(r->e, ECANCELED, "it was not wanted any more") : 0;
}

static int no_memory(const struct reader *r)
{
	return err_nomem(r->e, "the code of a function");
}

/* The file of code */

static int listing_open_code(struct reader *r)
{
	struct err e = ERR_INIT;
	struct stat st;

	r->fd = r->access->open(r->access->ctx, r->of->module, &e);
	if (r->fd >= 0 && !fstat(r->fd, &st))
		r->built = st.st_mtim;
	if (r->fd < 0 || (r->of->kind != MODULE_ANON && elf_file_open(r->fd, &r->elf, &e)))
		snprintf(r->l->why_no_code, sizeof(r->l->why_no_code), "%s", e.text);
	r->address = r->of->start;
	if (r->elf && !elf_file_vaddr(r->elf, r->of->start, &r->address))
		snprintf(r->l->why_no_code, sizeof(r->l->why_no_code), "the file has no code there");
	return listing_stopped(r);
}

static void say_no_lines(struct reader *r, const char *why)
{
	snprintf(r->l->why_no_lines, sizeof(r->l->why_no_lines), "%s", why);
}

/* Symbols for what is called, and debug information. */
static int open_details(struct reader *r)
{
	AUTO_FD int root = r->access->open_root ? r->access->open_root(r->access->ctx, r->of->module) : -ENOENT;
	const struct debug_places where = { r->access->symfs, root };
	const struct elf_file *debug = r->elf;
	struct err e = ERR_INIT;

	if (!r->elf) {
		say_no_lines(r, "this code was made at run time: it is shown as it stands in memory now, and has no "
			     "lines that are known");
		return 0;
	}
	if (!elf_syms_complete(r->elf) || !dwarf_info_present(r->elf))
		r->debug = details_file(r->elf, r->of->path, &where, &r->debug_fd);
	if (elf_syms_new(r->elf, r->debug, &r->syms, NULL))
		r->syms = NULL;
	if (!dwarf_info_present(debug))
		debug = r->debug;
	if (!debug || !dwarf_info_present(debug))
		say_no_lines(r, "there is no debug information (-g) in the file, and none beside it: so no "
			     "lines are known");
	else if (details_open(r->elf, debug, r->of->path, &where, &r->dwarf, &e))
		say_no_lines(r, e.text);
	return listing_stopped(r);
}

/* Up to LEN bytes of the function; how many there are. */
static size_t read_bytes(const struct reader *r, uint8_t *buf, size_t len)
{
	size_t have = 0;
	ssize_t n;

	while (have < len && (n = pread(r->fd, buf + have, len - have, (off_t)(r->of->start + have)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		have += (size_t)n;
	}
	return have;
}

/* Instructions */

/* NAME as people read it, cut; in the arena. */
static const char *keep_name(struct reader *r, const char *name)
{
	AUTO_FREE char *plain = demangle_symbol(name);
	const char *text = plain ? plain : "";
	char clean[LISTING_NAME_MAX];

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	return arena_strndup(&r->l->text, clean, strlen(clean));
}

/* " <name+0x10>" of what an instruction calls or jumps to, "" inside of the function. */
static void listing_name_target(struct reader *r, uint64_t target, char *dst, size_t size)
{
	const char *name;
	struct elf_sym sym;

	dst[0] = '\0';
	if (!r->syms || target - r->address < r->l->size || !elf_syms_find(r->syms, target, &sym))
		return;
	name = keep_name(r, sym.name);
	if (name && target > sym.start)
		snprintf(dst, size, " <%s+0x%" PRIx64 ">", name, target - sym.start);
	else if (name)
		snprintf(dst, size, " <%s>", name);
}

static bool add_insn(struct reader *r, const struct disasm_insn *in, uint32_t at)
{
	char text[DISASM_TEXT_MAX + LISTING_NAME_MAX + 32], name[LISTING_NAME_MAX + 32] = "";
	struct listing_insn *slot = vec_push(&r->l->insn);

	if (!slot)
		return false;
	if (in->jumps)
		listing_name_target(r, in->target, name, sizeof(name));
	snprintf(text, sizeof(text), "%s%s", in->text, name);
	*slot = (struct listing_insn){ .address = r->address + at, .at = at, .line = LISTING_NONE, .size = in->size,
				       .enters = in->enters, .text = arena_strndup(&r->l->text, text, strlen(text)) };
	for (uint32_t i = 0; i < in->size; i++)
		r->l->place[at + i] = (uint32_t)r->l->insn.n - 1;
	return slot->text;
}

static int listing_disassemble(struct reader *r, const uint8_t *code)
{
	AUTO(disasm_free) struct disasm *d = NULL;
	struct err e = ERR_INIT;
	struct disasm_insn in;

	if (disasm_new(&d, &e)) {
		snprintf(r->l->why_no_code, sizeof(r->l->why_no_code), "%s", e.text);
		return 0;
	}
	for (uint32_t at = 0; at < r->l->size; at += in.size) {
		disasm_next(d, code + at, r->l->size - at, r->address + at, &in);
		if (!add_insn(r, &in, at))
			return no_memory(r);
	}
	return listing_stopped(r);
}

static int listing_read_code(struct reader *r)
{
	const size_t want = r->of->size < LISTING_CODE_MAX ? (size_t)r->of->size : LISTING_CODE_MAX;
	AUTO_FREE uint8_t *code = malloc(want + 1);

	r->l->place = calloc(want + 1, sizeof(*r->l->place));
	if (!code || !r->l->place)
		return no_memory(r);
	r->l->size = (uint32_t)read_bytes(r, code, want);
	if (!r->l->size) {
		snprintf(r->l->why_no_code, sizeof(r->l->why_no_code), "its instructions cannot be read");
		return 0;
	}
	return listing_disassemble(r, code);
}

/* Lines */

/* The number of the source file that P names; LISTING_NONE when there are too many, or it is not known. */
static uint32_t listing_file_of(struct reader *r, const struct dwarf_place *p)
{
	struct listing_file *slot;
	char clean[PATH_MAX], path[PATH_MAX];
	uint32_t i = 0;

	if (p->file[0] == '/' || p->dir[0] != '/')
		snprintf(path, sizeof(path), "%s", p->file);
	else if (snprintf(path, sizeof(path), "%s/%s", p->dir, p->file) >= PATH_MAX)
		return LISTING_NONE;
	while (i < r->l->file.n && strcmp(r->raw[i], path))
		i++;
	if (i < r->l->file.n)
		return i;
	if (!p->file[0] || i >= FILES_MAX || !vec_reserve(&r->l->file, 1))
		return LISTING_NONE;
	r->raw[i] = arena_strndup(&r->l->text, path, strlen(path));
	text_sanitise(clean, sizeof(clean), path, strlen(path));
	slot = &r->l->file.v[i];
	*slot = (struct listing_file){ .path = arena_strndup(&r->l->text, clean, strlen(clean)) };
	if (!r->raw[i] || !slot->path)
		return LISTING_NONE;
	r->l->file.n++;
	return i;
}

/* What the inlined function of P is called, looked up once. */
static const char *inlined_name(struct reader *r, const struct dwarf_place *p)
{
	const char **slot;

	if (!p->func || !p->user)
		return NULL;
	if (!*p->user && (slot = vec_push(&r->inlined))) {
		*slot = keep_name(r, p->func);
		*p->user = (uint32_t)r->inlined.n;
	}
	return *p->user ? r->inlined.v[*p->user - 1] : NULL;
}

static int listing_find_lines(struct reader *r)
{
	struct dwarf_place place[PLACES_MAX];
	bool own = false;

	if (!vec_reserve(&r->refs, r->l->insn.n))
		return no_memory(r);
	r->refs.n = r->l->insn.n;
	/* The function's own file is the first one. */
	for (size_t i = 0; i < r->l->insn.n && !own && r->dwarf; i++) {
		const size_t n = dwarf_info_find(r->dwarf, r->l->insn.v[i].address, place, PLACES_MAX);

		own = n && n <= PLACES_MAX && place[n - 1].line && listing_file_of(r, &place[n - 1]) != LISTING_NONE;
	}
	for (size_t i = 0; i < r->l->insn.n; i++) {
		struct listing_insn *in = &r->l->insn.v[i];
		const size_t n = r->dwarf ? dwarf_info_find(r->dwarf, in->address, place, PLACES_MAX) : 0;

		r->refs.v[i] = (struct line_ref){ LISTING_NONE, n ? place[0].line : 0 };
		if (n && place[0].line)
			r->refs.v[i].file = listing_file_of(r, &place[0]);
		if (n > 1)
			in->inlined = inlined_name(r, &place[0]);
	}
	if (r->dwarf && dwarf_info_lacks(r->dwarf))
		snprintf(r->l->lacks, sizeof(r->l->lacks), "%s", dwarf_info_lacks(r->dwarf));
	if (r->dwarf && !r->l->file.n)
		say_no_lines(r, "its debug information has no lines of this function");
	return listing_stopped(r);
}

/* The text of lines */

static int read_source(struct reader *r, uint32_t i)
{
	struct listing_file *f = &r->l->file.v[i];
	struct err e = ERR_INIT;
	static const char too_much[] = "the other sources of this function are as much as is read";
	AUTO_FD int fd = -1;

	if (listing_stopped(r))
		return -ECANCELED;
	fd = r->raw[i][0] == '/' ? r->access->open_source(r->access->ctx, r->of->module, r->raw[i]) : -ENOENT;
	if (fd < 0)
		f->why = arena_strndup(&r->l->text, strerror(-fd), strlen(strerror(-fd)));
	else if (r->source_bytes > SOURCE_BYTES_MAX)
		f->why = too_much;
	else if (srcfile_read(fd, &r->source[i], &e))
		f->why = arena_strndup(&r->l->text, e.text, strlen(e.text));
	else
		f->newer = r->elf && r->built.tv_sec && srcfile_changed(r->source[i]).tv_sec > r->built.tv_sec;
	if (r->source[i])
		r->source_bytes += srcfile_bytes(r->source[i]);
	return 0;
}

static int listing_by_place(const void *pa, const void *pb)
{
	const struct line_ref *a = pa, *b = pb;

	if (a->file != b->file)
		return compare_numbers(a->file, b->file);
	return compare_numbers(a->number, b->number);
}

static bool listing_add_line(struct reader *r, uint32_t file, uint32_t number, bool code)
{
	const struct srcfile *s = r->source[file];
	struct listing_line *slot = vec_push(&r->l->line);
	char text[3 * SRCFILE_LINE_MAX + 1];

	if (!slot)
		return false;
	*slot = (struct listing_line){ .file = file, .number = number, .code = code };
	if (s && number <= srcfile_lines(s)) {
		srcfile_line(s, number, text, sizeof(text));
		slot->text = arena_strndup(&r->l->text, text, strlen(text));
	}
	return true;
}

/*
 * Adds the line of REF, and before it those that stand between it and PREVIOUS, when they are few,
 * or a few above it. In the function's own file that is where it begins, and what compilers made
 * nothing of.
 */
static bool add_with_context(struct reader *r, const struct line_ref *ref, const struct line_ref *previous)
{
	const uint32_t gap = ref->file ? 3 : 12, above = ref->file ? 0 : 2;
	const bool near = previous && previous->file == ref->file && ref->number - previous->number <= gap;
	uint32_t from = near ? previous->number + 1 : ref->number > above ? ref->number - above : 1;
	bool ok = true;

	if (!r->source[ref->file])
		from = ref->number;
	for (; ok && from < ref->number; from++)
		ok = listing_add_line(r, ref->file, from, false);
	return ok && listing_add_line(r, ref->file, ref->number, true);
}

/* All lines in their order, from those that instructions refer to. */
static int listing_list_lines(struct reader *r)
{
	const struct line_ref *previous = NULL;
	VEC(struct line_ref) sorted = { 0 };
	bool ok = vec_reserve(&sorted, r->refs.n + 1);

	for (size_t i = 0; ok && i < r->refs.n; i++)
		if (r->refs.v[i].file != LISTING_NONE)
			sorted.v[sorted.n++] = r->refs.v[i];
	if (ok && sorted.n)
		qsort(sorted.v, sorted.n, sizeof(*sorted.v), listing_by_place);
	for (size_t i = 0; ok && i < sorted.n && r->l->line.n < LINES_MAX; i++) {
		if (previous && !listing_by_place(previous, &sorted.v[i]))
			continue;
		ok = add_with_context(r, &sorted.v[i], previous);
		previous = &sorted.v[i];
	}
	vec_free(&sorted);
	return ok ? 0 : no_memory(r);
}

/* The number in listing.line of what REF says. */
static uint32_t listing_line_of(const struct listing *l, const struct line_ref *ref)
{
	size_t lo = 0, hi = l->line.n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		const struct line_ref have = { l->line.v[mid].file, l->line.v[mid].number };

		if (listing_by_place(&have, ref) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->line.n && l->line.v[lo].file == ref->file && l->line.v[lo].number == ref->number ?
		(uint32_t)lo : LISTING_NONE;
}

static int read_lines(struct reader *r)
{
	int rc = listing_find_lines(r);

	for (uint32_t i = 0; !rc && i < r->l->file.n; i++)
		rc = read_source(r, i);
	if (!rc)
		rc = listing_list_lines(r);
	for (size_t i = 0; !rc && i < r->l->insn.n; i++)
		r->l->insn.v[i].line = listing_line_of(r->l, &r->refs.v[i]);
	return rc;
}

static int listing_read_all(struct reader *r)
{
	int rc = listing_open_code(r);

	if (!rc && !r->l->why_no_code[0])
		rc = open_details(r);
	if (!rc && !r->l->why_no_code[0])
		rc = listing_read_code(r);
	if (!rc && !r->l->why_no_code[0])
		rc = read_lines(r);
	return rc;
}

static void reader_clear(struct reader *r)
{
	for (uint32_t i = 0; i < FILES_MAX; i++)
		srcfile_free(r->source[i]);
	vec_free(&r->inlined);
	vec_free(&r->refs);
	dwarf_info_free(r->dwarf);
	elf_syms_free(r->syms);
	elf_file_free(r->debug);
	elf_file_free(r->elf);
	if (r->debug_fd >= 0)
		close(r->debug_fd);
	if (r->fd >= 0)
		close(r->fd);
}

int listing_read(const struct code_access *access, const struct listing_of *of, const _Atomic bool *stop,
		 struct listing **ret, struct err *e)
{
	AUTO(listing_free) struct listing *l = calloc(1, sizeof(*l));
	struct reader r = { .access = access, .of = of, .stop = stop, .l = l, .fd = -1, .debug_fd = -1, .e = e };
	int rc;

	if (!l)
		return err_nomem(e, "the code of a function");
	atomic_init(&l->refs, 1);
	l->of = *of;
	rc = listing_read_all(&r);
	reader_clear(&r);
	if (!rc)
		*ret = take_ptr(l);
	return rc;
}

struct listing *listing_ref(struct listing *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void listing_free(struct listing *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) > 1)
		return;
	vec_free(&l->insn);
	vec_free(&l->line);
	vec_free(&l->file);
	arena_reset(&l->text);
	free(l->place);
	free(l);
}

bool listing_has_source(const struct listing *l)
{
	return l->file.n && !l->file.v[0].why;
}
