/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bytes.h - reads and writes little-endian numbers and varints; foreign bytes are read through one
 * cursor.
 *
 * A varint is LEB128: seven bits a byte, lowest first, the top bit says "more"; at most ten bytes.
 * Zigzag maps small signed differences to small unsigned numbers: 0, -1, 1, -2 ... -> 0, 1, 2, 3
 * ...
 */
#ifndef SBERF_RECORD_BYTES_H
#define SBERF_RECORD_BYTES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VARINT_MAX 10u

typedef VEC(uint8_t) byte_vec;

/* What is left to read. Only the functions below move P, and never past END. */
struct cursor {
	const uint8_t *p, *end;
};

/* All of B, which may be empty and have no address. */
static inline struct cursor cursor_of(const byte_vec *b)
{
	return (struct cursor){ b->v, b->n ? b->v + b->n : b->v };
}

static inline void put_le(uint8_t *dst, uint64_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		dst[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t get_le(const uint8_t *src, unsigned int bytes)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)src[i] << 8 * i;
	return v;
}

static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}

static inline uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ (uint64_t)-(int64_t)(v & 1);
}

static inline size_t varint_size(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

/* Writes V at DST, which has VARINT_MAX bytes of room; returns how many it took. */
static inline size_t put_varint(uint8_t *dst, uint64_t v)
{
	size_t n = 0;

	while (v >= 0x80) {
		dst[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	dst[n++] = (uint8_t)v;
	return n;
}

/* Appends N bytes; false when out of memory. */
static inline bool bytes_add(byte_vec *b, const void *src, size_t n)
{
	if (!n)
		return true;
	if (!vec_reserve(b, n))
		return false;
	memcpy(b->v + b->n, src, n);
	b->n += n;
	return true;
}

static inline bool bytes_add_varint(byte_vec *b, uint64_t v)
{
	if (!vec_reserve(b, VARINT_MAX))
		return false;
	b->n += put_varint(b->v + b->n, v);
	return true;
}

/* The next N bytes, or NULL (nothing consumed) when there are fewer. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (n > (size_t)(c->end - c->p))
		return NULL;
	c->p += n;
	return p;
}

/* Reads a varint; false when the bytes end inside it or it does not fit 64 bits. */
static inline bool cursor_varint(struct cursor *c, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (c->p == c->end)
			return false;
		byte = *c->p++;
		if (shift == 63 && byte > 1)
			return false;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

#endif
