/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strtab.c - strings live in an arena, their addresses in a paged array, their ids in a hash index.
 */
#include "config.h"

#include "base/strtab.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/pages.h"

#include <string.h>

struct entry {
	const char *text;
	size_t len;
	uint64_t hash;
};

struct strtab {
	struct arena arena;
	struct pages entries;    /* of struct entry */
	struct hidx index;
};

static const struct entry *entry_at(const struct strtab *t, str_id id)
{
	return pages_at(&t->entries, id);
}

static uint64_t entry_hash(const void *ctx, uint32_t id)
{
	return entry_at(ctx, id)->hash;
}

struct strtab *strtab_new(void)
{
	struct strtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pages_init(&t->entries, sizeof(struct entry));
	if (strtab_add(t, "", 0) == STR_NONE) {
		strtab_free(t);
		return NULL;
	}
	return t;
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	hidx_free(&t->index);
	pages_free(&t->entries);
	arena_reset(&t->arena);
	free(t);
}

str_id strtab_add(struct strtab *t, const char *s, size_t len)
{
	const uint64_t h = hash_bytes(s, len);
	const uint32_t id = pages_count(&t->entries);
	struct entry *e;
	uint32_t have;

	hidx_each(&t->index, h, have)
		if (entry_at(t, have)->len == len && !memcmp(entry_at(t, have)->text, s, len))
			return have;
	e = pages_reserve(&t->entries);
	if (!e)
		return STR_NONE;
	*e = (struct entry){ .text = arena_strndup(&t->arena, s, len), .len = len, .hash = h };
	if (!e->text || !hidx_add(&t->index, h, id, entry_hash, t))
		return STR_NONE;
	pages_commit(&t->entries);
	return id;
}

str_id strtab_adds(struct strtab *t, const char *s)
{
	return strtab_add(t, s, strlen(s));
}

const char *strtab_get(const struct strtab *t, str_id id)
{
	return id < pages_count(&t->entries) ? entry_at(t, id)->text : "";
}

size_t strtab_len(const struct strtab *t, str_id id)
{
	return id < pages_count(&t->entries) ? entry_at(t, id)->len : 0;
}

uint32_t strtab_count(const struct strtab *t)
{
	return pages_count(&t->entries);
}

size_t strtab_bytes(const struct strtab *t)
{
	return t->arena.total + pages_bytes(&t->entries) + hidx_bytes(&t->index);
}
