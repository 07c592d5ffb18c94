/* SPDX-License-Identifier: BSD-2-Clause */
/* find_kernel.c - looks through the kernel's table of symbols for what a probe means. See kernel_functions.h. */
#include "config.h"

#include "probe/kernel_functions.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "probe/find_match.h"
#include "probe/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KSYM_LINE_MAX 1024u      /* the kernel's names have 511 bytes at most */

/* One line: "ffffffff81234560 t name\t[module]". */
struct ksym_line {
	uint64_t address;
	char *name;
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
	*name = '\0';
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
	struct find_match name;
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

static int search_ksym(struct ksym_search *s, const struct ksym_line *l, struct err *e)
{
	char plain[SPEC_NAME_MAX];
	struct kernel_function *f;
	const char *of;

	if (l->bpf || is_no_function(l->name) || strlen(l->name) >= SPEC_NAME_MAX)
		return 0;
	of = copied_from(l->name, plain);
	if (!find_match_is(&s->name, l->name) && !(of && find_match_is(&s->name, of))) {
		nearest_offer(&s->near, l->name);
		return 0;
	}
	f = vec_push(s->found);
	if (!f)
		return err_nomem(e, "the functions to probe");
	f->address = l->address;
	text_format(f->name, sizeof(f->name), "%s", l->name);
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

int find_kernel_functions(const char *path, const struct spec_point *p, kernel_functions *ret, struct err *e)
{
	const bool exact = p->match == SPEC_EXACT || p->match == SPEC_BRANCHES || p->match == SPEC_GRAPH;
	struct ksym_search s = { .found = ret, .before = ret->n };
	int rc;

	s.near = nearest_begin(p->name, exact ? strlen(p->name) : 0);
	rc = find_match_init(&s.name, exact ? SPEC_EXACT : p->match, p->name, e);
	if (!rc)
		rc = search_ksyms(&s, path, e);
	find_match_free(&s.name);
	if (rc < 0)
		return rc;
	if (ret->n > s.before)
		return (int)(ret->n - s.before);
	return err_set(e, ENOENT, "the kernel has no function %s%s%s%s", p->name,
		       *s.near.best ? ": did you mean '" : ", or it was inlined everywhere", s.near.best,
		       *s.near.best ? "'?" : "");
}
