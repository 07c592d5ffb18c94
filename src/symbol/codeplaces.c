/* SPDX-License-Identifier: BSD-2-Clause */
/* codeplaces.c - see codeplaces.h. */
#include "config.h"

#include "symbol/codeplaces.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/wildcard.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX_LOOKED 100000u
#define DIES_MAX (1u << 24)      /* entries of debug information that are looked at */
#define NESTED_MAX 64u

/* What is looked for, of lines. */
struct line_search {
	const char *file;
	uint64_t line;
	bool met;                /* there is such a file */
	uint64_t next;           /* the next line behind it that has code; 0 = there is none */
	code_places *ret;
	size_t before;
};

/* Whether PATH ends with FILE, by whole names. */
static bool codeplaces_is_file(const char *path, const char *file)
{
	const size_t n = strlen(path), len = strlen(file);

	return n >= len && !strcmp(path + n - len, file) && (n == len || *file == '/' || path[n - len - 1] == '/');
}

/* The name of the function DIE. */
static const char *codeplaces_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

/* The function or the inlined call around VADDR of UNIT becomes the scope of *RET. */
static void codeplaces_scope(Dwarf_Die *unit, uint64_t vaddr, struct code_place *ret)
{
	Dwarf_Die *scopes = NULL;
	const int n = dwarf_getscopes(unit, vaddr, &scopes);
	bool found = false;

	ret->vaddr = vaddr;
	ret->in = "";
	for (int i = 0; i < n; i++) {
		const int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		if (!found) {
			ret->scope = dwarf_dieoffset(&scopes[i]);
			ret->inlined = tag == DW_TAG_inlined_subroutine;
			found = true;
		}
		if (tag == DW_TAG_subprogram) {
			/* What contains an inlined call is the function itself, not the text of that call. */
			ret->in = codeplaces_name(&scopes[i]);
			break;
		}
	}
	free(scopes);
}

/* Keeps P, unless there is an earlier place in its scope. */
static int codeplaces_keep(code_places *ret, size_t before, const struct code_place *p, struct err *e)
{
	struct code_place *slot;

	for (size_t i = before; i < ret->n; i++)
		if (ret->v[i].scope == p->scope) {
			if (p->vaddr < ret->v[i].vaddr)
				ret->v[i] = *p;
			return 0;
		}
	if (ret->n - before >= CODE_PLACES_MAX)
		return err_set(e, E2BIG, "it stands at more than %u places", CODE_PLACES_MAX);
	slot = vec_push(ret);
	if (!slot)
		return err_nomem(e, "places in code");
	*slot = *p;
	return 0;
}

static int codeplaces_lines_of(struct line_search *s, Dwarf_Die *unit, struct err *e)
{
	Dwarf_Lines *lines;
	size_t n;
	int r = 0;

	if (dwarf_getsrclines(unit, &lines, &n))
		return 0;
	for (size_t i = 0; i < n && !r; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		const char *path = dwarf_linesrc(l, NULL, NULL);
		struct code_place p = { 0 };
		bool begins = false, ends = true;
		Dwarf_Addr addr;
		int line;

		if (!path || !codeplaces_is_file(path, s->file) || dwarf_lineno(l, &line) || line <= 0)
			continue;
		s->met = true;
		if ((uint64_t)line > s->line && (!s->next || (uint64_t)line < s->next))
			s->next = (uint64_t)line;
		if ((uint64_t)line != s->line || dwarf_linebeginstatement(l, &begins) || !begins ||
		    dwarf_lineendsequence(l, &ends) || ends || dwarf_lineaddr(l, &addr))
			continue;
		codeplaces_scope(unit, addr, &p);
		r = codeplaces_keep(s->ret, s->before, &p, e);
	}
	return r;
}

/* Calls FN for each unit of D, up to the first that does not return 0. */
static int codeplaces_units(struct params *d, int (*fn)(void *ctx, Dwarf_Die *unit, struct err *e), void *ctx,
			    struct err *e)
{
	Dwarf *dw = params_dwarf(d);
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;
	int r = 0;

	for (unsigned int i = 0;
	     !r && i < UNITS_MAX_LOOKED && !dwarf_nextcu(dw, at, &next, &head, NULL, NULL, NULL); i++) {
		if (dwarf_offdie(dw, at + head, &unit))
			r = fn(ctx, &unit, e);
		at = next;
	}
	return r;
}

static int codeplaces_lines_fn(void *ctx, Dwarf_Die *unit, struct err *e)
{
	return codeplaces_lines_of(ctx, unit, e);
}

int code_places_of_line(struct params *d, const char *file, uint64_t line, code_places *ret, struct err *e)
{
	struct line_search s = { .file = file, .line = line, .ret = ret, .before = ret->n };
	const int r = codeplaces_units(d, codeplaces_lines_fn, &s, e);

	if (r || ret->n > s.before)
		return r;
	if (!s.met)
		return err_set(e, ENOENT, "its debug information knows no source file '%s'", file);
	if (!s.next)
		return err_set(e, ENOENT, "there is no code of line %" PRIu64 " of '%s', nor of a later one", line,
			       file);
	return err_set(e, ENOENT, "there is no code of line %" PRIu64 " of '%s': the next line that has some is %"
		       PRIu64, line, file, s.next);
}

struct inlined_search {
	code_places_is *is;
	void *ctx;
	code_places *ret;
	size_t before;
	uint32_t looked;         /* entries */
};

/* The name by which the linker would know the inlined call DIE; that of the source where it has none. NULL. */
static const char *codeplaces_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

/* The first instruction of the inlined call DIE. */
static bool codeplaces_entry(Dwarf_Die *die, Dwarf_Addr *ret)
{
	Dwarf_Addr base, end;

	if (!dwarf_entrypc(die, ret))
		return true;
	return dwarf_ranges(die, 0, &base, ret, &end) > 0;
}

/* Looks through what is in DIE, which is in the function FN. */
static int codeplaces_inlined_in(struct inlined_search *s, Dwarf_Die *die, const char *fn, unsigned int nested,
				 struct err *e)
{
	Dwarf_Die at;
	int r = 0;

	if (nested == NESTED_MAX || dwarf_child(die, &at))
		return 0;
	do {
		const int tag = dwarf_tag(&at);
		const char *name = tag == DW_TAG_inlined_subroutine ? codeplaces_linkage_name(&at) : NULL;
		struct code_place p = { .scope = dwarf_dieoffset(&at), .inlined = true, .in = fn };

		if (++s->looked > DIES_MAX)
			return 0;
		if (name && s->is(s->ctx, name) && codeplaces_entry(&at, &p.vaddr))
			r = codeplaces_keep(s->ret, s->before, &p, e);
		if (!r && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram ||
			   tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
			   tag == DW_TAG_structure_type))
			r = codeplaces_inlined_in(s, &at, tag == DW_TAG_subprogram ? codeplaces_name(&at) : fn,
						  nested + 1, e);
	} while (!r && !dwarf_siblingof(&at, &at));
	return r;
}

static int codeplaces_inlined_fn(void *ctx, Dwarf_Die *unit, struct err *e)
{
	return codeplaces_inlined_in(ctx, unit, "", 0, e);
}

int code_places_inlined(struct params *d, code_places_is *is, void *ctx, code_places *ret, struct err *e)
{
	struct inlined_search s = { .is = is, .ctx = ctx, .ret = ret, .before = ret->n };

	return codeplaces_units(d, codeplaces_inlined_fn, &s, e);
}

/* ---- functions of source files ---- */

static bool codeplaces_source_is(const char *path, const char *glob)
{
	char ends[512];

	text_format(ends, sizeof(ends), "*/%s", glob);
	return wildcard_matches(glob, path) || wildcard_matches(ends, path);
}

/* Adds the functions of the unit at UNIT. */
static int codeplaces_add_unit(Dwarf_Die *unit, code_places *ret, struct err *e)
{
	Dwarf_Die die;
	int r = dwarf_child(unit, &die);

	for (; !r; r = dwarf_siblingof(&die, &die)) {
		struct code_place *at;
		Dwarf_Addr base, start, end;

		/* Of several ranges it begins in the first one. */
		if (dwarf_tag(&die) != DW_TAG_subprogram || dwarf_ranges(&die, 0, &base, &start, &end) <= 0)
			continue;
		if (ret->n >= CODE_SOURCE_PLACES_MAX)
			return err_set(e, E2BIG, "there are more than %u functions in such files",
				       CODE_SOURCE_PLACES_MAX);
		at = vec_push(ret);
		if (!at)
			return err_nomem(e, "functions of source files");
		*at = (struct code_place){ .vaddr = start, .scope = dwarf_dieoffset(&die),
					   .in = codeplaces_name(&die) };
	}
	return 0;
}

int code_places_of_sources(struct params *d, const char *glob, code_places *ret, struct err *e)
{
	Dwarf_CU *cu = NULL, *next;
	Dwarf_Die unit;
	uint8_t type;
	int r = 0;

	for (unsigned int n = 0; !r && n < UNITS_MAX_LOOKED; n++) {
		if (dwarf_get_units(params_dwarf(d), cu, &next, NULL, &type, &unit, NULL))
			break;
		cu = next;
		if (type == DW_UT_compile && codeplaces_source_is(codeplaces_name(&unit), glob))
			r = codeplaces_add_unit(&unit, ret, e);
	}
	return r;
}
