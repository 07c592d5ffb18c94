/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyed.h - a growable array whose elements begin with what they are known by, each key once.
 *
 *	struct edge { uint32_t from, to; uint64_t weight; };
 *
 *	KEYED(struct edge) edges = { 0 };
 *	const struct edge want = { .from = a, .to = b };
 *	uint32_t id = keyed_get(&edges, &want, weight);   // HIDX_NONE when out of memory
 *	edges.v[id].weight += ns;
 *	keyed_free(&edges);
 *
 * The last argument names the first member behind the key. A key is compared as bytes: there must be
 * no padding between its members. The macros of base/vec.h read these arrays, too. Growing moves the
 * elements: keep ids, not pointers, across keyed_get().
 */
#ifndef SBERF_BASE_KEYED_H
#define SBERF_BASE_KEYED_H

#include "base/hash.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KEYED(type) \
	struct { \
		type *v;             /* the elements, in the order in which they were added */ \
		size_t n;            /* how many are in use */ \
		size_t cap;          /* how many fit */ \
		struct hidx index;   /* of them, by key */ \
	}

/* The id of the element with the key of WANT, HIDX_NONE when there is none. */
#define keyed_find(array, want, behind) \
	keyed_find_(&(array)->index, (array)->v, sizeof(*(array)->v), (1 ? (want) : (array)->v), \
		    offsetof(__typeof__(*(array)->v), behind))

/*
 * The id of the element with the key of WANT. When there is none, *WANT is appended. HIDX_NONE when
 * out of memory, array unchanged.
 */
#define keyed_get(array, want, behind) \
	keyed_get_(&(array)->index, (void **)&(array)->v, &(array)->n, &(array)->cap, sizeof(*(array)->v), \
		   (1 ? (want) : (array)->v), offsetof(__typeof__(*(array)->v), behind))

/* The same for elements that are nothing but a key. */
#define keyed_get_whole(array, want) \
	keyed_get_(&(array)->index, (void **)&(array)->v, &(array)->n, &(array)->cap, sizeof(*(array)->v), \
		   (1 ? (want) : (array)->v), sizeof(*(array)->v))

/* Frees the elements and leaves an empty, usable array. */
#define keyed_free(array) \
	do { \
		vec_free(array); \
		hidx_free(&(array)->index); \
	} while (0)

/* Left to itself, the compiler makes calls of what follows, and copies and compares bytes of any number. */
#define KEYED_FOLD_ __attribute__((always_inline))

/*
 * For the macros: elements of SIZE bytes at V, of which the first KEY are the key. Both are constants
 * there, so that most of it is folded.
 */
struct keyed_elements_ {
	const char *v;
	size_t size, key;
};

/* Of usual keys without a call, of others by hash_bytes(). */
static inline KEYED_FOLD_ uint64_t keyed_hash_(const void *want, size_t key)
{
	uint64_t word[2] = { 0 };

	if (key > sizeof(word))
		return hash_bytes(want, key);
	memcpy(word, want, key);
	return key <= sizeof(word[0]) ? hash_u64(word[0]) : hash_2u64(word[0], word[1]);
}

/* For hidx_add(): CTX is the struct keyed_elements_. */
uint64_t keyed_rehash_(const void *ctx, uint32_t id);

static inline KEYED_FOLD_ uint32_t keyed_search_(const struct hidx *index, const struct keyed_elements_ *e,
						 const void *want, uint64_t hash)
{
	uint32_t id;

	hidx_each(index, hash, id)
		if (!memcmp(e->v + id * e->size, want, e->key))
			return id;
	return HIDX_NONE;
}

static inline KEYED_FOLD_ uint32_t keyed_find_(const struct hidx *index, const void *v, size_t size, const void *want,
					       size_t key)
{
	const struct keyed_elements_ e = { v, size, key };

	return keyed_search_(index, &e, want, keyed_hash_(want, key));
}

static inline KEYED_FOLD_ uint32_t keyed_get_(struct hidx *index, void **v, size_t *n, size_t *cap, size_t size,
					      const void *want, size_t key)
{
	const uint64_t hash = keyed_hash_(want, key);
	struct keyed_elements_ e = { *v, size, key };
	const uint32_t id = keyed_search_(index, &e, want, hash);

	if (id != HIDX_NONE)
		return id;
	if (*n == *cap && !vec_grow_(v, cap, *n, 1, size))
		return HIDX_NONE;
	e.v = *v;
	memcpy((char *)*v + *n * size, want, size);
	if (!hidx_add(index, hash, (uint32_t)*n, keyed_rehash_, &e))
		return HIDX_NONE;
	return (uint32_t)(*n)++;
}

#endif
