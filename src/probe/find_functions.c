/* SPDX-License-Identifier: BSD-2-Clause */
/* find_functions.c - which functions a probe means. See functions.h. */
#include "config.h"

#include "probe/functions_impl.h"

#include "base/sorted.h"
#include "probe/find_match.h"
#include "probe/nearest.h"
#include "symbol/demangle.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 64u

struct function_search {
	struct functions *f;
	struct find_match match;
	char word[WORD_MAX]; /* stands in the symbol of whatever matches; "" = nothing is known to */
	struct nearest near;
	found_functions *found;
	size_t before, matched; /* places; more may match than are kept */
};

bool probe_target_is(const char *target, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t len = strlen(target);

	if (!len)
		return true;
	if (strchr(target, '/'))
		return !strcmp(target, path);
	if (strncmp(base, target, len))
		return false;
	if (strstr(target, ".so"))
		return !base[len] || (base[len] == '.' && isdigit((unsigned char)base[len + 1]));
	return !base[len] || !strncmp(base + len, ".so", 3);
}

/* The last word of TEXT that is no parameter: it is in the mangled name as it is. */
static void last_word(const char *text, char ret[WORD_MAX])
{
	const char *word = NULL;
	size_t word_len = 0;

	for (const char *s = text; *s && *s != '('; s++) {
		size_t len = 0;

		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		if (!len)
			continue;
		word = s;
		word_len = len;
		s += len - 1;
	}
	/* Operators, and names that are parts of one another, have letters of their own there. */
	if (!word || word_len >= WORD_MAX || strstr(text, "operator") || strchr(text, '<') || strchr(text, '~'))
		word_len = 0;
	memcpy(ret, word ? word : "", word_len);
	ret[word_len] = '\0';
}

/* Where the parameters of a demangled name begin: the parenthesis that the last one closes. NULL = it has none. */
static char *parameters_of(char *name)
{
	char *at = strrchr(name, ')');
	unsigned int depth = 0;

	/* "f(int) const", but no "<A as B<(C, D)>>::f". */
	if (at && at[1] && at[1] != ' ' && at[1] != '&')
		return NULL;

	for (; at && at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			return at > name ? at : NULL;
	}
	return NULL;
}

/* A demangled name without parameters, behind the type that a template returns. Cuts NAME. */
static const char *bare_name(char *name)
{
	char *parameters = parameters_of(name);
	const char *begin = name;
	int depth = 0;

	if (parameters)
		*parameters = '\0';
	if (strstr(name, "operator"))
		return name;
	for (const char *s = name; *s; s++) {
		depth += *s == '<' || *s == '(' || *s == '{' || *s == '[';
		depth -= *s == '>' || *s == ')' || *s == '}' || *s == ']';
		if (*s == ' ' && !depth && s[1] != '[')
			begin = s + 1;
	}
	return begin;
}

/* Whether SUFFIX, "" or ".constprop.0", is of a copy of the whole function. */
static bool is_copy(const char *suffix)
{
	return *suffix == '.' && !strstr(suffix, ".cold") && !strstr(suffix, ".part");
}

/* Whether SYMBOL, which is not mangled, is a copy of what is looked for. */
static bool copy_matches(struct function_search *s, const char *symbol)
{
	const size_t len = strcspn(symbol, ".");
	char name[256];

	if (!len || len >= sizeof(name) || !is_copy(symbol + len))
		return false;
	memcpy(name, symbol, len);
	name[len] = '\0';
	return find_match_is(&s->match, name);
}

static bool is_mangled(const char *symbol)
{
	return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R' || symbol[1] == 'D');
}

static bool function_matches(struct function_search *s, const char *symbol)
{
	AUTO_FREE char *name = NULL;
	const char *clone;

	if (find_match_is(&s->match, symbol))
		return true;
	if (!is_mangled(symbol))
		return copy_matches(s, symbol);
	if (*s->word && !strstr(symbol, s->word))
		return false;
	name = demangle(symbol);
	if (!name)
		return false;
	if (find_match_is(&s->match, name))
		return true;
	clone = strstr(name, " [clone ");
	return (!clone || is_copy(clone + strlen(" [clone "))) && find_match_is(&s->match, bare_name(name));
}

static uint32_t underscores(const char *symbol)
{
	return (uint32_t)strspn(symbol, "_");
}

/* Whether people rather say A than B for a place: "malloc", not "__libc_malloc". */
static bool is_better_name(const char *a, const char *b)
{
	const uint32_t ua = underscores(a), ub = underscores(b);

	return ua != ub ? ua < ub : strlen(a) < strlen(b);
}

/* Names the place *RET by SYMBOL. */
static int name_place(struct functions *f, const char *symbol, struct found_function *ret, struct err *e)
{
	AUTO_FREE char *name = demangle_symbol(symbol);
	const char *kept = name ? arena_strndup(&f->names, name, strlen(name)) : NULL;

	if (!kept)
		return err_nomem(e, "the functions to probe");
	ret->symbol = symbol;
	ret->name = kept;
	return 0;
}

/* Keeps the symbol SYM, NUMBER bytes behind its begin. */
static int function_take(struct function_search *s, const struct function_symbol *sym, uint64_t number, struct err *e)
{
	const char *symbol = s->f->text.v + sym->name;
	struct found_function *last = s->found->n > s->before ? &s->found->v[s->found->n - 1] : NULL, *slot;
	struct found_function place = {
		.vaddr = sym->vaddr + number,
		.start = sym->vaddr,
		.size = sym->size,
		.names = 1,
		.at_entry = !number,
		.resolver = sym->resolver,
	};

	if (last && last->vaddr == place.vaddr && s->matched <= FUNCTIONS_FOUND_MAX) {
		last->names++;
		return is_better_name(symbol, last->symbol) ? name_place(s->f, symbol, last, e) : 0;
	}
	if (number && number >= sym->size)
		return err_set(e, ERANGE, "'%s' has %" PRIu64 " bytes: there is no instruction of it at +0x%" PRIx64,
			       symbol, sym->size, number);
	if (!functions_offset(s->f, place.vaddr, &place.offset) || ++s->matched > FUNCTIONS_FOUND_MAX)
		return 0;
	slot = name_place(s->f, symbol, &place, e) ? NULL : vec_push(s->found);
	if (!slot)
		return err_nomem(e, "the functions to probe");
	*slot = place;
	return 0;
}

static int refuse_function(const struct spec_point *p, struct function_search *s, struct err *e)
{
	if (!s->f->symbol.n)
		return err_set(e, ENOENT,
			       "it has no names of functions, as it is stripped: install its debug symbols, or "
			       "probe it by offset (TARGET+0x1234)");
	if (p->match == SPEC_WILDCARD || p->match == SPEC_REGEX)
		return err_set(e, ENOENT, "no function in it matches '%s'", p->name);
	for (size_t i = 0; i < s->f->symbol.n; i++)
		nearest_offer(&s->near, s->f->text.v + s->f->symbol.v[i].name);
	if (*s->near.best)
		return err_set(e, ENOENT, "there is no function '%s' in it: did you mean '%s'?", p->name, s->near.best);
	return err_set(e, ENOENT, "there is no function '%s' in it: it may be inlined everywhere", p->name);
}

static int functions_by_name(struct function_search *s, const struct spec_point *p, struct err *e)
{
	const uint64_t number = p->match == SPEC_FUNCTION_OFFSET ? p->number : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < s->f->symbol.n; i++) {
		const struct function_symbol *sym = &s->f->symbol.v[i];

		if (function_matches(s, s->f->text.v + sym->name))
			rc = function_take(s, sym, number, e);
	}
	if (rc < 0)
		return rc;
	if (s->matched > FUNCTIONS_FOUND_MAX)
		return err_set(e, E2BIG, "%zu functions match '%s', and %u are the limit: name fewer", s->matched,
			       p->name, FUNCTIONS_FOUND_MAX);
	return s->matched ? 0 : refuse_function(p, s, e);
}

/* The place at an offset in the file, in the function that covers it, if one does. */
static int function_at(struct function_search *s, uint64_t offset, struct err *e)
{
	struct functions *f = s->f;
	struct function_symbol none = { 0 };
	struct found_function place = { .offset = offset, .symbol = "", .name = "", .names = 1 }, *slot;
	size_t n;

	if (!functions_vaddr(f, offset, &place.vaddr))
		return err_set(e, ERANGE, "there is no code at offset 0x%" PRIx64 " of it", offset);
	n = count_upto(f->symbol.v, f->symbol.n, vaddr, place.vaddr);
	none = n ? f->symbol.v[n - 1] : none;
	if (n && (place.vaddr - none.vaddr < none.size || place.vaddr == none.vaddr))
		return function_take(s, &none, place.vaddr - none.vaddr, e);
	place.start = place.vaddr;
	slot = vec_push(s->found);
	if (!slot)
		return err_nomem(e, "the functions to probe");
	*slot = place;
	return 0;
}

int find_functions(struct functions *f, const struct spec_point *p, found_functions *ret, struct err *e)
{
	struct function_search s = { .f = f, .found = ret, .before = ret->n };
	int rc;

	if (p->match == SPEC_LINE)
		return err_set(e, ENOENT, "'%s:%" PRIu64 "': it has no debug information, which knows lines", p->name,
			       p->number);
	if (p->match == SPEC_FILE_OFFSET) {
		rc = function_at(&s, p->number, e);
	} else {
		s.near = nearest_begin(p->name, strlen(p->name));
		rc = find_match_init(&s.match, p->match == SPEC_BRANCHES ? SPEC_EXACT : p->match, p->name, e);
		if (p->match == SPEC_EXACT || p->match == SPEC_FUNCTION_OFFSET || p->match == SPEC_BRANCHES)
			last_word(p->name, s.word);
		if (!rc)
			rc = functions_by_name(&s, p, e);
		find_match_free(&s.match);
	}
	if (rc < 0)
		ret->n = s.before;
	return rc < 0 ? rc : (int)(ret->n - s.before);
}

bool functions_is_called(const struct spec_point *p, const char *symbol)
{
	struct function_search s = { .f = NULL };
	bool r = false;

	last_word(p->name, s.word);
	if (!find_match_init(&s.match, SPEC_EXACT, p->name, NULL))
		r = function_matches(&s, symbol);
	find_match_free(&s.match);
	return r;
}
