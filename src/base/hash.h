/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hash.h - hash functions and an open-addressing index that stores no keys.
 *
 * `struct hidx` maps a 64-bit hash to 32-bit ids that the caller owns elsewhere (an array, a
 * dictionary). It stores no keys: the caller compares. A slot is 4 bytes, whatever the keys are: 26
 * bits of id, as many as base/pages.h has, and 6 of the hash, which spare 63 of 64 comparisons with
 * something else.
 *
 *	hidx_each(&t, h, id)
 *		if (key_equal(id, key))
 *			return id;
 *	hidx_add(&t, h, new_id);
 */
#ifndef SBERF_BASE_HASH_H
#define SBERF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIDX_NONE UINT32_MAX

#define HIDX_ID_BITS 26u
#define HIDX_IDS ((1u << HIDX_ID_BITS) - 1)      /* ids are below this */

struct hidx_slot {
	uint32_t word;   /* top bits of the hash above HIDX_ID_BITS of id; all ones = free */
};

struct hidx {
	struct hidx_slot *slot;
	uint32_t mask;   /* slots - 1; a power of two minus one */
	uint32_t used;
};

/* A good 64-bit mix of X (splitmix64 finaliser, Steele et al. 2014). */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* Two words at once; order matters. */
static inline uint64_t hash_2u64(uint64_t a, uint64_t b)
{
	return hash_u64(hash_u64(a) ^ (b + 0x9e3779b97f4a7c15ull));
}

/* LEN bytes at DATA; not for adversarial keys beyond what bounded tables allow. */
uint64_t hash_bytes(const void *data, size_t len);

/*
 * Sets ID, a uint32_t, to each id in T that may have been added under HASH, and runs the statement
 * that follows with it. When that does not leave the loop, ID is HIDX_NONE afterwards. T must not
 * change meanwhile; HASH is evaluated once.
 */
#define hidx_each(t, hash, id) \
	for (struct hidx_search search_ = hidx_search_((t), (hash)); ((id) = hidx_step_((t), &search_)) != HIDX_NONE; )

/* Where a search goes on. Only hidx_each() uses it. */
struct hidx_search {
	uint32_t at;     /* slot to look at next */
	uint32_t tag;    /* the bits of the hash that slots have */
};

static inline struct hidx_search hidx_search_(const struct hidx *t, uint64_t hash)
{
	return (struct hidx_search){ .at = (uint32_t)hash & t->mask, .tag = (uint32_t)(hash >> (32 + HIDX_ID_BITS)) };
}

static inline uint32_t hidx_step_(const struct hidx *t, struct hidx_search *s)
{
	uint32_t word = HIDX_NONE;

	while (t->slot && (word = t->slot[s->at].word) != HIDX_NONE) {
		s->at = (s->at + 1) & t->mask;
		if (word >> HIDX_ID_BITS == s->tag)
			return word & HIDX_IDS;
	}
	return HIDX_NONE;
}

/* A place for HASH will be asked for soon. */
static inline void hidx_prefetch(const struct hidx *t, uint64_t hash)
{
	if (t->slot)
		__builtin_prefetch(&t->slot[(uint32_t)hash & t->mask], 1);
}

/*
 * Adds ID under HASH without looking for an equal key. False when out of memory or for an ID of
 * HIDX_IDS or more (table unchanged). Growing keeps the load under 3/4; it asks REHASH(ctx, id) for
 * the full hash of each id already in the table, which must be what was passed as HASH when that id
 * was added.
 */
bool hidx_add(struct hidx *t, uint64_t hash, uint32_t id, uint64_t (*rehash)(const void *ctx, uint32_t id),
	      const void *ctx);

/* Bytes of memory held. */
static inline size_t hidx_bytes(const struct hidx *t)
{
	return t->slot ? ((size_t)t->mask + 1) * sizeof(*t->slot) : 0;
}

/*
 * Bytes that the table will ask for, beside those held, before MORE further ids fit (if it must
 * grow, once); 0 = they fit now.
 */
static inline size_t hidx_growth(const struct hidx *t, uint32_t more)
{
	if (t->slot && (uint64_t)t->used + more <= t->mask / 4 * 3)
		return 0;
	return t->slot ? 2 * hidx_bytes(t) : 16 * sizeof(*t->slot);
}

/* Frees the slots; the table is empty and usable. A zeroed struct hidx is an empty table. */
void hidx_free(struct hidx *t);

#endif
