/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash.c - FNV-1a over 8-byte words with a final mix, and the growing of the open-addressing index.
 */
#include "config.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_MIN ((size_t)4 << 20)       /* bytes from which on an index is worth huge pages */

uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325ull ^ len;

	for (; len >= 8; len -= 8, p += 8) {
		uint64_t w;

		memcpy(&w, p, 8);
		h = (h ^ w) * 0x100000001b3ull;
		h ^= h >> 32;
	}
	for (; len; len--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return hash_u64(h);
}

static void hash_put(struct hidx *t, uint64_t hash, uint32_t id)
{
	uint32_t at = (uint32_t)hash & t->mask;

	while (t->slot[at].word != HIDX_NONE)
		at = (at + 1) & t->mask;
	t->slot[at].word = (uint32_t)(hash >> (32 + HIDX_ID_BITS)) << HIDX_ID_BITS | id;
}

/*
 * Places in an index are asked for by chance, so with small pages nearly each of them misses the
 * TLB, too. All of it is about to be written, so it does not become larger for that. Where there
 * are no huge pages nothing happens.
 */
static void ask_for_huge_pages(void *at, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)at + page - 1) / page * page;

	if (bytes >= HUGE_MIN)
		(void)madvise((void *)from, ((uintptr_t)at + bytes - from) / page * page, MADV_HUGEPAGE);
}

static bool hash_grow(struct hidx *t, uint64_t (*rehash)(const void *ctx, uint32_t id), const void *ctx)
{
	size_t n = t->slot ? ((size_t)t->mask + 1) * 2 : 16;
	struct hidx bigger = { .mask = (uint32_t)(n - 1), .used = t->used };

	if (n > (size_t)1 << 31 || n > SIZE_MAX / sizeof(*bigger.slot))
		return false;
	bigger.slot = malloc(n * sizeof(*bigger.slot));
	if (!bigger.slot)
		return false;
	ask_for_huge_pages(bigger.slot, n * sizeof(*bigger.slot));
	memset(bigger.slot, 0xff, n * sizeof(*bigger.slot));
	for (size_t i = 0; t->slot && i <= t->mask; i++)
		if (t->slot[i].word != HIDX_NONE)
			hash_put(&bigger, rehash(ctx, t->slot[i].word & HIDX_IDS), t->slot[i].word & HIDX_IDS);
	free(t->slot);
	*t = bigger;
	return true;
}

bool hidx_add(struct hidx *t, uint64_t hash, uint32_t id, uint64_t (*rehash)(const void *ctx, uint32_t id),
	      const void *ctx)
{
	if (id >= HIDX_IDS)
		return false;
	if ((!t->slot || t->used >= t->mask / 4 * 3) && !hash_grow(t, rehash, ctx))
		return false;
	hash_put(t, hash, id);
	t->used++;
	return true;
}

void hidx_free(struct hidx *t)
{
	free(t->slot);
	memset(t, 0, sizeof(*t));
}
