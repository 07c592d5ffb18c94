/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "tests/fuzz/seal.h"

#include "record/block.h"

#include <string.h>
#include <zlib.h>

void seal_recording(uint8_t *p, size_t n)
{
	size_t at = HEADER_SIZE;
	struct block b;

	if (n < HEADER_SIZE)
		return;
	put_le(p + HEADER_AT_CRC, crc32(0, p, HEADER_AT_CRC), 4);
	while (n - at >= BLOCK_HEADER_SIZE && block_get(p + at, &b) && b.stored_len <= n - at - BLOCK_HEADER_SIZE) {
		const uint32_t head = (uint32_t)crc32(0, p + at, BLOCK_AT_CRC);

		put_le(p + at + BLOCK_AT_CRC, crc32(head, p + at + BLOCK_HEADER_SIZE, b.stored_len), 4);
		at += BLOCK_HEADER_SIZE + b.stored_len;
	}
}

ssize_t seal_read(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}
