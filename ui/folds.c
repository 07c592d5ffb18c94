/* SPDX-License-Identifier: BSD-2-Clause */
/* folds.c - a small hash table of open nodes. Entries are never removed, only marked closed. */
#include "config.h"

#include "ui/folds.h"

#include <stdlib.h>

static uint64_t folds_hash_of(const void *ctx, uint32_t id)
{
	const struct folds *f = ctx;

	return hash_u64(f->entry.v[id].key);
}

static struct fold_entry *folds_find(const struct folds *f, uint64_t key)
{
	const uint64_t h = hash_u64(key);
	uint32_t id;

	hidx_each(&f->index, h, id)
		if (f->entry.v[id].key == key)
			return &f->entry.v[id];
	return NULL;
}

void folds_free(struct folds *f)
{
	vec_free(&f->entry);
	hidx_free(&f->index);
}

void folds_clear(struct folds *f, bool open_default)
{
	folds_free(f);
	f->open_default = open_default;
}

enum fold folds_get(const struct folds *f, uint64_t key)
{
	const struct fold_entry *e = folds_find(f, key);

	return e ? (enum fold)e->fold : FOLD_UNSET;
}

bool folds_open(const struct folds *f, uint64_t key)
{
	const enum fold fold = folds_get(f, key);

	return fold == FOLD_UNSET ? f->open_default : fold == FOLD_OPEN;
}

void folds_set(struct folds *f, uint64_t key, enum fold fold)
{
	struct fold_entry *e = folds_find(f, key);

	if (!e) {
		e = vec_push(&f->entry);
		if (!e)
			return;
		e->key = key;
		if (!hidx_add(&f->index, hash_u64(key), (uint32_t)(f->entry.n - 1), folds_hash_of, f)) {
			f->entry.n--;
			return;
		}
	}
	e->fold = (uint8_t)fold;
}
