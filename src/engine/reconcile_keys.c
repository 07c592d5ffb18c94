/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile_keys.c - the table of keys. Threads come and go by the thousand, so places of ended
 * ones are reused.
 */
#include "config.h"

#include "engine/reconcile_private.h"

#include <stdlib.h>

#define DROPPED_MIN 256u                 /* keys before the index is made anew */

static uint64_t reconcile_keys_hash_of(const struct reconcile_task *t, uint8_t kind, uint32_t call)
{
	return reconcile_task_hash(t, (uint64_t)kind << 32 | call);
}

static uint64_t reconcile_keys_rehash(const void *ctx, uint32_t id)
{
	const struct reconcile *a = ctx;
	const struct key *k = &a->keys.v[id];

	return reconcile_keys_hash_of(&k->task, k->kind, k->call);
}

static bool reconcile_keys_is_key(const struct key *k, const struct reconcile_task *t, uint8_t kind, uint32_t call)
{
	return k->kind == kind && k->call == call && reconcile_task_same(&k->task, t);
}

/*
 * Makes the places of dropped keys free, which the index still knows until then. Without memory
 * they stay for the next time.
 */
static void make_index(struct reconcile *a)
{
	struct hidx fresh = { 0 };

	if (!vec_reserve(&a->free, a->keys.n))
		return;
	for (uint32_t id = 0; id < a->keys.n; id++) {
		if (a->keys.v[id].kind && !hidx_add(&fresh, reconcile_keys_rehash(a, id), id,
						    reconcile_keys_rehash, a)) {
			hidx_free(&fresh);
			return;
		}
	}
	hidx_free(&a->index);
	a->index = fresh;
	a->dropped = 0;
	a->free.n = 0;
	for (uint32_t id = 0; id < a->keys.n; id++)
		if (!a->keys.v[id].kind)
			a->free.v[a->free.n++] = id;
}

void reconcile_drop(struct reconcile *a, struct key *k)
{
	free(k->latest);
	*k = (struct key){ 0 };
	a->dropped++;
}

static struct key *new_key(struct reconcile *a, uint32_t *ret_id)
{
	if (!a->free.n && !vec_reserve(&a->keys, 1))
		return NULL;
	*ret_id = a->free.n ? a->free.v[--a->free.n] : (uint32_t)a->keys.n++;
	return &a->keys.v[*ret_id];
}

struct key *reconcile_key(struct reconcile *a, const struct reconcile_task *t, uint8_t kind, uint32_t call)
{
	const uint64_t h = reconcile_keys_hash_of(t, kind, call);
	struct key *k;
	uint32_t id;

	hidx_each(&a->index, h, id)
		if (reconcile_keys_is_key(&a->keys.v[id], t, kind, call))
			return &a->keys.v[id];
	k = new_key(a, &id);
	if (!k)
		return NULL;
	*k = (struct key){ .task = *t, .kind = kind, .call = call, .thread = ID_NONE };
	if (hidx_add(&a->index, h, id, reconcile_keys_rehash, a))
		return k;
	reconcile_drop(a, k);
	return NULL;
}

void reconcile_trim(struct reconcile *a)
{
	if (a->dropped >= DROPPED_MIN && a->dropped >= a->keys.n / 2)
		make_index(a);
}

void reconcile_free_keys(struct reconcile *a)
{
	for (size_t i = 0; i < a->keys.n; i++)
		free(a->keys.v[i].latest);
	hidx_free(&a->index);
	vec_free(&a->keys);
	vec_free(&a->free);
}
