/* SPDX-License-Identifier: BSD-2-Clause */
/* find_kernel.c - looks through the kernel's table of symbols for what a probe means. See kernel_functions.h. */
#include "config.h"

#include "probe/kernel_functions.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "probe/find_match.h"
#include "probe/nearest.h"
#include "symbol/codeplaces.h"
#include "symbol/kernel_debug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KSYM_LINE_MAX 1024u      /* the kernel's names have 511 bytes at most */

/* One line: "ffffffff81234560 t name\t[module]". */
struct ksym_line {
	uint64_t address;
	char *name;
	const char *module;      /* "" = it is of none */
	bool bpf;                /* it is of a BPF program */
};

/* Takes LINE apart, which is changed. False when it is not about a function. */
static bool ksym_line_parse(char *line, struct ksym_line *ret)
{
	const char *at = line, *end = line + strcspn(line, " ");
	char *name;

	if (!parse_hex(&at, end, &ret->address) || at != end || *end != ' ' || !end[1] || end[2] != ' ')
		return false;
	if (!strchr("tTwW", end[1]))
		return false;
	name = line + (end - line) + 3;
	ret->name = name;
	name += strcspn(name, "\t\n");
	ret->bpf = !strncmp(name, "\t[bpf]", 6);
	ret->module = !strncmp(name, "\t[", 2) ? name + 2 : "";
	*name = '\0';
	if (*ret->module)
		name[2 + strcspn(name + 2, "]\n")] = '\0';
	return *ret->name;
}

/* Is NAME what stands in front of another function, or a part of one? */
static bool is_no_function(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6) || strstr(name, ".cold") ||
		strstr(name, ".part.");
}

/* What is looked for, and what was found. */
struct ksym_search {
	struct find_match name, module;
	const code_places *places;       /* functions of source files, by address; NULL = they are asked for by name */
	uint64_t shift;          /* from those to the addresses of the kernel */
	kernel_functions *found;
	struct nearest near;
	size_t before;
};

/* The function that the symbol NAME is a copy of, in DST; NULL when it is none. */
static const char *copied_from(const char *name, char dst[SPEC_NAME_MAX])
{
	const char *copy = strstr(name, ".isra.");

	copy = copy ? copy : strstr(name, ".constprop.");
	if (!copy)
		return NULL;
	text_format(dst, SPEC_NAME_MAX, "%.*s", (int)(copy - name), name);
	return dst;
}

static int ksym_compare_places(const void *a, const void *b)
{
	const struct code_place *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

/* Is L asked for by its source file? */
static bool ksym_is_of_source(const struct ksym_search *s, const struct ksym_line *l)
{
	const struct code_place key = { .vaddr = l->address - s->shift };

	return !*l->module && bsearch(&key, s->places->v, s->places->n, sizeof(key), ksym_compare_places);
}

/* Is L, which may be a copy of OF, asked for by its name? */
static bool ksym_is_named(struct ksym_search *s, const struct ksym_line *l, const char *of)
{
	return find_match_is(&s->module, l->module) &&
		(find_match_is(&s->name, l->name) || (of && find_match_is(&s->name, of)));
}

static int search_ksym(struct ksym_search *s, const struct ksym_line *l, struct err *e)
{
	char plain[SPEC_NAME_MAX];
	struct kernel_function *f;
	const char *of;

	if (l->bpf || is_no_function(l->name) || strlen(l->name) >= SPEC_NAME_MAX)
		return 0;
	of = copied_from(l->name, plain);
	if (s->places ? !ksym_is_of_source(s, l) : !ksym_is_named(s, l, of)) {
		nearest_offer(&s->near, l->name);
		return 0;
	}
	f = vec_push(s->found);
	if (!f)
		return err_nomem(e, "the functions to probe");
	f->address = l->address;
	text_format(f->name, sizeof(f->name), "%s", l->name);
	text_format(f->module, sizeof(f->module), "%s", l->module);
	return 0;
}

static int search_ksyms(struct ksym_search *s, const char *path, struct err *e)
{
	AUTO_FILE FILE *in = fopen(path, "re");
	char line[KSYM_LINE_MAX];
	int rc = 0;

	if (!in)
		return err_set(e, errno, "the functions of the kernel cannot be read from %s: %s", path,
			       strerror(errno));
	while (!rc && fgets(line, sizeof(line), in)) {
		struct ksym_line l;

		if (ksym_line_parse(line, &l))
			rc = search_ksym(s, &l, e);
	}
	return rc;
}

/* Where functions of source files like GLOB begin, to RET, and by how much the kernel is shifted, to *SHIFT. */
static int find_of_source(const char *glob, code_places *ret, uint64_t *shift, struct err *e)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO(params_free) struct params *d = NULL;
	struct kernel_debug debug = { .fd = -1 };
	struct kernel_debug_of of;
	int rc = kernel_debug_running(&of, e);

	rc = rc ? rc : kernel_debug_find(&of, NULL, false, &debug, e);
	rc = rc ? rc : elf_file_open(debug.fd, &f, e);
	rc = rc ? rc : params_open(f, &d, e);
	rc = rc ? rc : code_places_of_sources(d, glob, ret, e);
	if (rc)
		err_prefix(e, "functions of ':%.100s' are not known", glob);
	else if (!ret->n)
		rc = err_set(e, ENOENT, "no source file of the kernel is like '%.100s': write it as the kernel's tree "
			     "has it, net/core/*.c", glob);
	else
		qsort(ret->v, ret->n, sizeof(*ret->v), ksym_compare_places);
	*shift = debug.shift;
	if (debug.fd >= 0)
		close(debug.fd);
	return rc;
}

char *kernel_function_symbol(const struct kernel_function *f, char dst[KERNEL_SYMBOL_MAX])
{
	text_format(dst, KERNEL_SYMBOL_MAX, *f->module ? "%s [%s]" : "%s", f->name, f->module);
	return dst;
}

int find_kernel_functions(const char *path, const struct spec_point *p, kernel_functions *ret, struct err *e)
{
	const bool exact = p->match == SPEC_EXACT || spec_is_followed(p) ? !spec_is_pattern(p) : false;
	const bool source = spec_is_pattern(p) && p->match != SPEC_REGEX && *p->name == ':';
	struct ksym_search s = { .found = ret, .before = ret->n };
	code_places places = { 0 };
	int rc = source ? find_of_source(p->name + 1, &places, &s.shift, e) : 0;

	if (rc)
		return rc;
	s.places = source ? &places : NULL;

	s.near = nearest_begin(p->name, exact ? strlen(p->name) : 0);
	rc = find_match_init(&s.name, exact ? SPEC_EXACT : p->match == SPEC_REGEX ? SPEC_REGEX : SPEC_WILDCARD,
			     p->name, e);
	rc = rc ? rc : find_match_init(&s.module, p->provider_match, p->provider, e);
	if (!rc)
		rc = search_ksyms(&s, path, e);
	find_match_free(&s.name);
	find_match_free(&s.module);
	vec_free(&places);
	if (rc < 0)
		return rc;
	if (ret->n > s.before)
		return (int)(ret->n - s.before);
	if (*p->provider)
		return err_set(e, ENOENT, "module %s has no function %s, or is not loaded", p->provider, p->name);
	if (source)
		return err_set(e, ENOENT, "no function of %s is left in the kernel: all were inlined, or gone since it "
			       "started", p->name + 1);
	return err_set(e, ENOENT, "the kernel has no function %s%s%s%s", p->name,
		       *s.near.best ? ": did you mean '" : ", or it was inlined everywhere", s.near.best,
		       *s.near.best ? "'?" : "");
}
