/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf.c - answers from its own indexes; libdw parses.
 *
 * libdw can tell the scopes of an address (dwarf_getscopes), by walking the whole unit each time.
 * Here a unit is walked once: every subprogram and every inlined call that has code becomes a
 * scope, its address ranges become spans, and a question is a binary search and a climb along the
 * scopes' parents. Names and lines are asked of libdw for the few scopes found.
 */
#include "config.h"

#include "symbol/dwarf.h"

#include "base/vec.h"
#include "symbol/spans.h"
#include "symbol/split.h"
#include "symbol/unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX (1u << 20)
#define DIES_MAX (32u << 20)         /* of one unit */
#define DEPTH_MAX 256u               /* of DIEs in one unit */
#define RANGES_MAX (1u << 20)        /* of one DIE */
#define RANGES_ALL (32u << 20)       /* of all DIEs of one unit, or of all units: many may share one list ... */
#define SPANS_MAX (4u << 20)         /* ... and each makes spans of it */
#define CALLS_MAX 1000u              /* inlined calls around one address */
#define INDEX_BYTES_MAX (128u << 20) /* beyond, indexes of all units are dropped and made again on demand */
#define LINE_BYTES 48u               /* what libdw holds for one row of a line table, about */
#define NONE UINT32_MAX

struct scope {
	Dwarf_Off die;
	uint32_t parent;             /* NONE = outermost */
	uint32_t call_file, call_line;
	uint32_t user;
	bool inlined;
};

struct unit {
	Dwarf_Off die;
	bool indexed, lines_counted, half_tried;
	Dwarf_Die half;              /* of the file that has the rest of a split unit; addr NULL = none */
	VEC(struct scope) scopes;
	spans spans;                 /* value = scope */
};

struct dwarf_info {
	int fd, alt_fd;
	int root;                    /* that the target sees; -1 = ours */
	Elf *elf, *alt_elf;
	Dwarf *dw, *alt;
	uint64_t code_start;
	VEC(struct unit) units;
	spans map;                   /* value = unit */
	size_t section_bytes, index_bytes, line_bytes;
	size_t damaged;
	uint32_t ranges_left;        /* that may be looked at */
	struct err lacks;            /* code 0 = nothing */
};

static bool is_debug_section(const struct elf_file *f, const Elf64_Shdr *sh)
{
	const char *name = sh->sh_name < f->names_len ? f->names + sh->sh_name : "";

	return sh->sh_type != SHT_NOBITS && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8));
}

/* What a section takes in memory when it is unpacked. */
static uint64_t unpacked_size(const struct elf_file *f, const Elf64_Shdr *sh)
{
	Elf64_Chdr ch;

	if (!(sh->sh_flags & SHF_COMPRESSED) || !elf_file_read(f, sh->sh_offset, &ch, sizeof(ch)))
		return sh->sh_size;
	return ch.ch_size > sh->sh_size ? ch.ch_size : sh->sh_size;
}

uint64_t dwarf_debug_bytes(const struct elf_file *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->nr_sh; i++) {
		const uint64_t n = is_debug_section(f, &f->sh[i]) ? unpacked_size(f, &f->sh[i]) : 0;

		if (n > DWARF_BYTES_MAX || sum + n > DWARF_BYTES_MAX)
			return UINT64_MAX;
		sum += n;
	}
	return sum;
}

bool dwarf_info_present(const struct elf_file *f)
{
	const Elf64_Shdr *sh = elf_file_section(f, ".debug_info");

	if (!sh)
		sh = elf_file_section(f, ".zdebug_info");
	return sh && sh->sh_type != SHT_NOBITS && sh->sh_size;
}

/* 0 and *RET, or a negative errno with a sentence. What else is set is to be ended in either case. */
static int dwarf_open_debug(int fd, int *ret_fd, Elf **ret_elf, Dwarf **ret, struct err *e)
{
	int rc;

	*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	*ret_elf = *ret_fd >= 0 ? elf_begin(*ret_fd, ELF_C_READ, NULL) : NULL;
	rc = *ret_elf ? unpack_debug(*ret_elf, e) : 0;
	if (rc)
		return rc;
	*ret = *ret_elf ? dwarf_begin_elf(*ret_elf, DWARF_C_READ, NULL) : NULL;
	return *ret ? 0 : err_set(e, EBADMSG, "cannot read its debug information: %s", dwarf_errmsg(-1));
}

/* Ranges of DIE that are code; how many, or -1 when out of memory. */
static int add_ranges(struct dwarf_info *d, Dwarf_Die *die, spans *to, uint32_t value)
{
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t at = 0;
	int n = 0;

	for (unsigned int i = 0; i < RANGES_MAX && d->ranges_left && to->n < SPANS_MAX; i++) {
		d->ranges_left--;
		at = dwarf_ranges(die, at, &base, &start, &end);
		if (at < 0)
			d->damaged++;
		if (at <= 0)
			return n;
		if (start < d->code_start || start >= end)
			continue;
		if (!spans_add(to, start, end, value))
			return -1;
		n++;
	}
	d->damaged++;
	return n;
}

static uint32_t dwarf_number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Adds a scope for DIE when it has code; its number, or PARENT when it has none. */
static uint32_t add_scope(struct dwarf_info *d, struct unit *u, Dwarf_Die *die, bool inlined, uint32_t parent)
{
	const uint32_t id = (uint32_t)u->scopes.n;
	struct scope *s;

	if (!vec_reserve(&u->scopes, 1)) {
		d->damaged++;
		return parent;
	}
	if (add_ranges(d, die, &u->spans, id) <= 0)
		return parent;
	s = vec_push(&u->scopes);
	*s = (struct scope){ .die = dwarf_dieoffset(die), .parent = parent, .inlined = inlined };
	if (inlined) {
		s->call_file = dwarf_number_of(die, DW_AT_call_file);
		s->call_line = dwarf_number_of(die, DW_AT_call_line);
	}
	return id;
}

/* True for DIEs below which there can be code. */
static bool may_hold_code(int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_skeleton_unit:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_common_block:
		return true;
	default:
		return false;
	}
}

struct level {
	Dwarf_Die die;               /* the one we are at, on this level */
	uint32_t parent;             /* scope around this level */
};

/* Walks the unit below its DIE, depth first, without recursion. */
static void dwarf_walk(struct dwarf_info *d, struct unit *u, Dwarf_Die *unit_die)
{
	struct level *level = calloc(DEPTH_MAX, sizeof(*level));
	uint32_t depth = 0, dies = 0;
	int rc;

	if (!level || dwarf_child(unit_die, &level[0].die)) {
		free(level);
		return;
	}
	level[0].parent = NONE;
	for (;;) {
		struct level *l = &level[depth];
		const int tag = dwarf_tag(&l->die);
		uint32_t scope = l->parent;

		if (++dies > DIES_MAX) {
			d->damaged++;
			break;
		}
		if (tag == DW_TAG_subprogram)
			scope = add_scope(d, u, &l->die, false, NONE);
		else if (tag == DW_TAG_inlined_subroutine)
			scope = add_scope(d, u, &l->die, true, l->parent);
		d->damaged += depth + 1 == DEPTH_MAX;
		if (may_hold_code(tag) && depth + 1 < DEPTH_MAX && !dwarf_child(&l->die, &level[depth + 1].die)) {
			level[++depth].parent = scope;
			continue;
		}
		while ((rc = dwarf_siblingof(&level[depth].die, &level[depth].die)) && depth)
			depth--;
		if (rc)
			break;
	}
	free(level);
}

static size_t unit_bytes(const struct unit *u)
{
	return u->scopes.cap * sizeof(*u->scopes.v) + u->spans.cap * sizeof(*u->spans.v);
}

static void drop_indexes(struct dwarf_info *d)
{
	for (size_t i = 0; i < d->units.n; i++) {
		vec_free(&d->units.v[i].scopes);
		vec_free(&d->units.v[i].spans);
		d->units.v[i].indexed = false;
	}
	d->index_bytes = 0;
}

/* The DIE below which the functions of U are: UNIT_DIE, or that of the file that has them when U is a split unit. */
static Dwarf_Die *body_of(struct dwarf_info *d, struct unit *u, Dwarf_Die *unit_die)
{
	uint64_t bytes;

	if (!u->half_tried && split_is(unit_die)) {
		const uint64_t left = d->section_bytes < DWARF_BYTES_MAX ? DWARF_BYTES_MAX - d->section_bytes : 0;

		if (!split_open(unit_die, d->fd, d->root, left, &u->half, &bytes, &d->lacks))
			d->section_bytes += bytes;
		else
			u->half.addr = NULL;
	}
	u->half_tried = true;
	return u->half.addr ? &u->half : unit_die;
}

static void index_unit(struct dwarf_info *d, struct unit *u)
{
	Dwarf_Die die;

	if (u->indexed)
		return;
	if (d->index_bytes > INDEX_BYTES_MAX)
		drop_indexes(d);
	d->ranges_left = RANGES_ALL;
	if (dwarf_offdie(d->dw, u->die, &die))
		dwarf_walk(d, u, body_of(d, u, &die));
	else
		d->damaged++;
	spans_seal(&u->spans);
	u->indexed = true;
	d->index_bytes += unit_bytes(u);
}

/* Puts a unit on the map: by its own ranges or, where a compiler left them out, by those of its functions. */
static bool map_unit(struct dwarf_info *d, Dwarf_Die *die)
{
	const uint32_t id = (uint32_t)d->units.n;
	struct unit *u = vec_push(&d->units);
	int n;

	if (!u)
		return false;
	*u = (struct unit){ .die = dwarf_dieoffset(die) };
	n = add_ranges(d, die, &d->map, id);
	if (n || dwarf_hasattr(die, DW_AT_ranges) || dwarf_hasattr(die, DW_AT_high_pc))
		return n >= 0;
	index_unit(d, u);
	for (size_t i = 0; i < u->spans.n; i++)
		if (u->scopes.v[u->spans.v[i].value].parent == NONE &&
		    !spans_add(&d->map, u->spans.v[i].start, u->spans.v[i].end, id))
			return false;
	return true;
}

static int map_units(struct dwarf_info *d, struct err *e)
{
	Dwarf_CU *cu = NULL, *next;
	uint8_t type;
	Dwarf_Die die;
	int rc;

	d->ranges_left = RANGES_ALL;
	while (!(rc = dwarf_get_units(d->dw, cu, &next, NULL, &type, &die, NULL))) {
		cu = next;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		if (d->units.n >= UNITS_MAX) {
			d->damaged++;
			break;
		}
		if (!map_unit(d, &die))
			return err_nomem(e, "a map of debug information");
	}
	d->damaged += rc < 0;
	spans_seal(&d->map);
	return 0;
}

int dwarf_info_open(const struct elf_file *f, int alt_fd, int root, uint64_t code_start,
		    struct dwarf_info **ret, struct err *e)
{
	AUTO(dwarf_info_free) struct dwarf_info *d = calloc(1, sizeof(*d));
	const uint64_t bytes = dwarf_debug_bytes(f);
	int rc;

	if (!d)
		return err_nomem(e, "debug information");
	d->fd = d->alt_fd = -1;
	d->root = root >= 0 ? fcntl(root, F_DUPFD_CLOEXEC, 3) : -1;
	if (bytes > DWARF_BYTES_MAX)
		return err_set(e, EFBIG, "more than %llu MiB of debug information", DWARF_BYTES_MAX >> 20);
	d->section_bytes = bytes;
	d->code_start = code_start;
	elf_version(EV_CURRENT);
	rc = dwarf_open_debug(f->fd, &d->fd, &d->elf, &d->dw, e);
	if (rc)
		return rc;
	if (alt_fd >= 0 && !dwarf_open_debug(alt_fd, &d->alt_fd, &d->alt_elf, &d->alt, &d->lacks))
		dwarf_setalt(d->dw, d->alt);
	rc = map_units(d, e);
	if (rc)
		return rc;
	*ret = take_ptr(d);
	return 0;
}

struct Dwarf *dwarf_info_dwarf(struct dwarf_info *d)
{
	return d->dw;
}

void dwarf_info_free(struct dwarf_info *d)
{
	if (!d)
		return;
	drop_indexes(d);
	vec_free(&d->units);
	vec_free(&d->map);
	dwarf_end(d->dw);
	dwarf_end(d->alt);
	elf_end(d->elf);
	elf_end(d->alt_elf);
	if (d->fd >= 0)
		close(d->fd);
	if (d->alt_fd >= 0)
		close(d->alt_fd);
	if (d->root >= 0)
		close(d->root);
	free(d);
}

static const char *linkage_name(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < 2; i++) {
		const char *s = dwarf_attr_integrate(die, names[i], &attr) ? dwarf_formstring(&attr) : NULL;

		if (s && *s)
			return s;
	}
	return dwarf_diename(die);
}

static const char *dwarf_file_of(Dwarf_Die *unit_die, uint32_t nr)
{
	Dwarf_Files *files;
	const char *s;
	size_t n;

	if (dwarf_getsrcfiles(unit_die, &files, &n) || nr >= n)
		return "";
	s = dwarf_filesrc(files, nr, NULL, NULL);
	return s ? s : "";
}

/* File and line of the instruction itself. */
static void find_line(struct dwarf_info *d, struct unit *u, Dwarf_Die *unit_die, uint64_t vaddr,
		      struct dwarf_place *ret)
{
	Dwarf_Lines *lines;
	Dwarf_Line *row;
	const char *file;
	size_t n;
	int line;

	if (!u->lines_counted && !dwarf_getsrclines(unit_die, &lines, &n))
		d->line_bytes += n * LINE_BYTES;
	u->lines_counted = true;
	row = dwarf_getsrc_die(unit_die, vaddr);
	file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(row, &line))
		return;
	ret->file = file;
	ret->line = line > 0 ? (uint32_t)line : 0;
}

/* Fills places from the innermost scope outwards; returns how many there are. */
static size_t dwarf_climb(struct dwarf_info *d, struct unit *u, Dwarf_Die *unit_die, uint32_t at,
			  struct dwarf_place *place, size_t max)
{
	Dwarf_Die *body = body_of(d, u, unit_die);
	Dwarf *dw = dwarf_cu_getdwarf(body->cu);
	struct dwarf_place here = place[0];
	size_t n = 0;

	while (at < u->scopes.n && n < CALLS_MAX) {
		struct scope *s = &u->scopes.v[at];
		Dwarf_Die die;

		if (n < max) {
			place[n] = here;
			place[n].func = dwarf_offdie(dw, s->die, &die) ? linkage_name(&die) : NULL;
			place[n].user = &s->user;
		}
		n++;
		if (!s->inlined)
			break;
		here.file = dwarf_file_of(body, s->call_file);
		here.line = s->call_line;
		at = s->parent;
	}
	return n;
}

static const char *dwarf_directory_of(Dwarf_Die *unit_die)
{
	Dwarf_Attribute attr;
	const char *s = dwarf_attr(unit_die, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;

	return s ? s : "";
}

size_t dwarf_info_find(struct dwarf_info *d, uint64_t vaddr, struct dwarf_place *place, size_t max)
{
	const struct span *at = spans_find(&d->map, vaddr);
	struct unit *u;
	Dwarf_Die die;
	size_t n;

	if (!at || !max)
		return 0;
	u = &d->units.v[at->value];
	index_unit(d, u);
	place[0] = (struct dwarf_place){ .file = "", .dir = "" };
	if (!dwarf_offdie(d->dw, u->die, &die))
		return 0;
	place[0].dir = dwarf_directory_of(&die);
	find_line(d, u, &die, vaddr, &place[0]);
	at = spans_find(&u->spans, vaddr);
	n = dwarf_climb(d, u, &die, at ? at->value : NONE, place, max);
	return n ? n : place[0].line > 0;
}

const char *dwarf_info_lacks(const struct dwarf_info *d)
{
	return d->lacks.code ? d->lacks.text : NULL;
}

size_t dwarf_info_bytes(const struct dwarf_info *d)
{
	return d->section_bytes + d->index_bytes + d->line_bytes;
}

size_t dwarf_info_damaged(const struct dwarf_info *d)
{
	return d->damaged;
}
