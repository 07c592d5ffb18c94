/* SPDX-License-Identifier: BSD-2-Clause */
/* kstacks.c - a hash set of address lists in an arena. */
#include "config.h"

#include "capture/kstacks.h"

#include <stdlib.h>
#include <string.h>

struct kstack {
	uint32_t n;
	uint64_t addr[];
};

static uint64_t kstacks_hash(const uint64_t *addr, uint32_t n)
{
	return hash_bytes(addr, n * sizeof(*addr));
}

static uint64_t kstacks_rehash(const void *ctx, uint32_t id)
{
	const struct kstacks *k = ctx;

	return kstacks_hash(k->list.v[id]->addr, k->list.v[id]->n);
}

static const struct kstack *kstacks_find(const struct kstacks *k, uint64_t h, const uint64_t *addr, uint32_t n)
{
	uint32_t id;

	hidx_each(&k->index, h, id)
		if (k->list.v[id]->n == n && !memcmp(k->list.v[id]->addr, addr, n * sizeof(*addr)))
			return k->list.v[id];
	return NULL;
}

static const struct kstack *kstacks_add(struct kstacks *k, uint64_t h, const uint64_t *addr, uint32_t n)
{
	const uint32_t id = (uint32_t)k->list.n;
	struct kstack *fresh;

	if (id >= KSTACKS_MAX || !vec_reserve(&k->list, 1))
		return NULL;
	fresh = arena_alloc(&k->arena, sizeof(*fresh) + n * sizeof(*addr));
	if (!fresh || !hidx_add(&k->index, h, id, kstacks_rehash, k))
		return NULL;
	fresh->n = n;
	memcpy(fresh->addr, addr, n * sizeof(*addr));
	k->list.v[k->list.n++] = fresh;
	return fresh;
}

const uint64_t *kstacks_keep(struct kstacks *k, const uint64_t *addr, uint32_t n)
{
	const uint64_t h = kstacks_hash(addr, n);
	const struct kstack *kept = n ? kstacks_find(k, h, addr, n) : NULL;

	if (!kept && n)
		kept = kstacks_add(k, h, addr, n);
	return kept ? kept->addr : NULL;
}

void kstacks_free(struct kstacks *k)
{
	vec_free(&k->list);
	hidx_free(&k->index);
	arena_reset(&k->arena);
}
