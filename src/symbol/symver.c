/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symver.c - both tables are chains of entries, each with a chain of its own; every step goes
 * forward, so they end.
 */
#include "config.h"

#include "symbol/symver.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_MAX (16u << 20)            /* bytes of one table of versions */
#define STRINGS_MAX (1u << 30)
#define VERSIONS_MAX 65536u

struct symvers {
	VEC(const char *) name;          /* in order */
	char *text[2];                   /* their strings, one block a table */
};

/* A table of versions and its strings. */
struct table {
	struct elf_bytes bytes, str;
};

static bool read_table(const struct elf_file *f, uint32_t type, struct table *ret)
{
	const Elf64_Shdr *sh = elf_file_section_type(f, type);

	if (!sh || sh->sh_link >= f->nr_sh || !elf_file_bytes(f, sh, TABLE_MAX, &ret->bytes))
		return false;
	if (elf_file_bytes(f, &f->sh[sh->sh_link], STRINGS_MAX, &ret->str))
		return true;
	free(ret->bytes.data);
	return false;
}

/* SIZE bytes at AT of T into ENTRY; false when they are not all there. */
static bool symver_take(const struct table *t, uint64_t at, void *entry, size_t size)
{
	if (at > t->bytes.len || size > t->bytes.len - at)
		return false;
	memcpy(entry, t->bytes.data + at, size);
	return true;
}

static void symver_add_name(struct symvers *v, const struct table *t, uint32_t at)
{
	const char **slot = at < t->str.len && v->name.n < VERSIONS_MAX ? vec_push(&v->name) : NULL;

	if (slot)
		*slot = (const char *)t->str.data + at;
}

/* A definition has its own name first, then those of the versions that it contains, which are definitions too. */
static void add_defined(struct symvers *v, const struct table *t)
{
	Elf64_Verdef def;
	Elf64_Verdaux aux;

	for (uint64_t at = 0; symver_take(t, at, &def, sizeof(def)); at += def.vd_next) {
		if (symver_take(t, at + def.vd_aux, &aux, sizeof(aux)))
			symver_add_name(v, t, aux.vda_name);
		if (!def.vd_next)
			break;
	}
}

static void add_needed(struct symvers *v, const struct table *t)
{
	Elf64_Verneed need;
	Elf64_Vernaux aux;

	for (uint64_t at = 0; symver_take(t, at, &need, sizeof(need)) && v->name.n < VERSIONS_MAX; at += need.vn_next) {
		for (uint64_t a = at + need.vn_aux; symver_take(t, a, &aux, sizeof(aux)) && v->name.n < VERSIONS_MAX;
		     a += aux.vna_next) {
			symver_add_name(v, t, aux.vna_name);
			if (!aux.vna_next)
				break;
		}
		if (!need.vn_next)
			break;
	}
}

static int cmp_name(const void *va, const void *vb)
{
	return strcmp(*(const char *const *)va, *(const char *const *)vb);
}

struct symvers *symvers_new(const struct elf_file *file)
{
	static const struct {
		uint32_t type;
		void (*add)(struct symvers *v, const struct table *t);
	} kinds[] = { { SHT_GNU_verdef, add_defined }, { SHT_GNU_verneed, add_needed } };
	AUTO(symvers_free) struct symvers *v = calloc(1, sizeof(*v));

	for (size_t i = 0; v && i < 2; i++) {
		struct table t;

		if (!read_table(file, kinds[i].type, &t))
			continue;
		kinds[i].add(v, &t);
		free(t.bytes.data);
		v->text[i] = (char *)t.str.data;
	}
	if (!v || !v->name.n)
		return NULL;
	qsort(v->name.v, v->name.n, sizeof(*v->name.v), cmp_name);
	return take_ptr(v);
}

void symvers_free(struct symvers *v)
{
	if (!v)
		return;
	vec_free(&v->name);
	free(v->text[0]);
	free(v->text[1]);
	free(v);
}

static bool is_known(const struct symvers *v, const char *name)
{
	return v && bsearch(&name, v->name.v, v->name.n, sizeof(*v->name.v), cmp_name);
}

/* Is NAME of the form that versions have? What Windows compilers make of C++ names has "@@" too, and a '?' in front. */
static bool looks_like_version(const char *name, size_t len)
{
	static const char fit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

	return len && strspn(name, fit) >= len;
}

size_t symvers_cut(const struct symvers *v, const char *name, size_t len)
{
	const char *at = len > 1 ? memrchr(name + 1, '@', len - 1) : NULL;
	const size_t rest = at ? len - (size_t)(at + 1 - name) : 0;
	AUTO_FREE char *version = NULL;

	if (!rest)
		return len;
	if (at - name > 1 && at[-1] == '@' && name[0] != '?' && looks_like_version(at + 1, rest))
		return (size_t)(at - 1 - name);
	version = strndup(at + 1, rest);
	return version && is_known(v, version) ? (size_t)(at - name) : len;
}
