/* SPDX-License-Identifier: BSD-2-Clause */
/* block.c - headers, checksums, compression. */
#include "config.h"

#include "record/block.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* tests/bench/recording: level 6 saves 1 % of the bytes and costs 8 to 30 % of the time; level 1 adds 1 % and saves nothing. */
#define ZLIB_LEVEL 3

void header_put(uint8_t dst[HEADER_SIZE], const struct record_header *h)
{
	memset(dst, 0, HEADER_SIZE);
	memcpy(dst, RECORD_MAGIC, RECORD_MAGIC_SIZE);
	put_le(dst + HEADER_AT_MAJOR, h->major, 2);
	put_le(dst + HEADER_AT_MINOR, h->minor, 2);
	put_le(dst + HEADER_AT_SIZE, h->size, 4);
	put_le(dst + HEADER_AT_FLAGS, h->flags, 8);
	memcpy(dst + HEADER_AT_UUID, h->uuid, UUID_SIZE);
	put_le(dst + HEADER_AT_REAL, h->start_real_ns, 8);
	put_le(dst + HEADER_AT_MONO, h->start_mono_ns, 8);
	put_le(dst + HEADER_AT_CRC, crc32(0, dst, HEADER_AT_CRC), 4);
}

bool header_get(const uint8_t src[HEADER_SIZE], struct record_header *h)
{
	h->major = (uint16_t)get_le(src + HEADER_AT_MAJOR, 2);
	h->minor = (uint16_t)get_le(src + HEADER_AT_MINOR, 2);
	h->size = (uint32_t)get_le(src + HEADER_AT_SIZE, 4);
	h->flags = get_le(src + HEADER_AT_FLAGS, 8);
	memcpy(h->uuid, src + HEADER_AT_UUID, UUID_SIZE);
	h->start_real_ns = get_le(src + HEADER_AT_REAL, 8);
	h->start_mono_ns = get_le(src + HEADER_AT_MONO, 8);
	return crc32(0, src, HEADER_AT_CRC) == get_le(src + HEADER_AT_CRC, 4);
}

uint32_t header_stream(const struct record_header *h)
{
	return (uint32_t)get_le(h->uuid, 4);
}

static void put_header(uint8_t *dst, const struct block *b)
{
	memcpy(dst, BLOCK_MAGIC, BLOCK_MAGIC_SIZE);
	put_le(dst + BLOCK_AT_TYPE, b->type, 2);
	dst[BLOCK_AT_CODEC] = b->codec;
	dst[BLOCK_AT_FLAGS] = b->flags;
	put_le(dst + BLOCK_AT_SEQ, b->seq, 4);
	put_le(dst + BLOCK_AT_EPOCH, b->epoch, 4);
	put_le(dst + BLOCK_AT_RAW_LEN, b->raw_len, 4);
	put_le(dst + BLOCK_AT_STORED_LEN, b->stored_len, 4);
	put_le(dst + BLOCK_AT_STREAM, b->stream, 4);
}

static uint32_t checksum(const uint8_t *src, size_t stored_len)
{
	const uint32_t crc = (uint32_t)crc32(0, src, BLOCK_AT_CRC);

	return (uint32_t)crc32_z(crc, src + BLOCK_HEADER_SIZE, stored_len);
}

/* Ready for a block, or NULL: out of memory. */
static z_stream *packer_begin(struct packer *p)
{
	z_stream *z = p->z;

	if (z)
		return deflateReset(z) == Z_OK ? z : NULL;
	z = calloc(1, sizeof(*z));
	if (z && deflateInit(z, ZLIB_LEVEL) != Z_OK) {
		free(z);
		z = NULL;
	}
	p->z = z;
	return z;
}

void packer_free(struct packer *p)
{
	if (p->z)
		deflateEnd(p->z);
	free(p->z);
	p->z = NULL;
}

/* Compresses the N bytes at SRC to *LEN bytes at DST, as many as there is room for before. False when they do not fit, or without memory. */
static bool pack(struct packer *p, const uint8_t *src, size_t n, uint8_t *dst, size_t *len)
{
	z_stream *z = packer_begin(p);

	if (!z)
		return false;
	z->next_in = (Bytef *)(uintptr_t)src;
	z->avail_in = (uInt)n;
	z->next_out = dst;
	z->avail_out = (uInt)*len;
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		return false;
	*len = z->total_out;
	return true;
}

bool block_put(const struct block *b, const uint8_t *payload, size_t n, struct packer *p, byte_vec *dst)
{
	size_t packed = n ? n - 1 : 0;           /* more is not worth it */
	struct block h = *b;
	uint8_t *at;

	if (!vec_reserve(dst, BLOCK_HEADER_SIZE + n))
		return false;
	at = dst->v + dst->n;
	h.raw_len = h.stored_len = (uint32_t)n;
	h.codec = CODEC_RAW;
	if (pack(p, payload, n, at + BLOCK_HEADER_SIZE, &packed)) {
		h.codec = CODEC_ZLIB;
		h.stored_len = (uint32_t)packed;
	} else {
		memcpy(at + BLOCK_HEADER_SIZE, payload, n);
	}
	put_header(at, &h);
	put_le(at + BLOCK_AT_CRC, checksum(at, h.stored_len), 4);
	dst->n += BLOCK_HEADER_SIZE + h.stored_len;
	return true;
}

bool block_get(const uint8_t src[BLOCK_HEADER_SIZE], struct block *b)
{
	if (memcmp(src, BLOCK_MAGIC, BLOCK_MAGIC_SIZE) != 0)
		return false;
	b->type = (uint16_t)get_le(src + BLOCK_AT_TYPE, 2);
	b->codec = src[BLOCK_AT_CODEC];
	b->flags = src[BLOCK_AT_FLAGS];
	b->seq = (uint32_t)get_le(src + BLOCK_AT_SEQ, 4);
	b->epoch = (uint32_t)get_le(src + BLOCK_AT_EPOCH, 4);
	b->raw_len = (uint32_t)get_le(src + BLOCK_AT_RAW_LEN, 4);
	b->stored_len = (uint32_t)get_le(src + BLOCK_AT_STORED_LEN, 4);
	b->stream = (uint32_t)get_le(src + BLOCK_AT_STREAM, 4);
	b->crc = (uint32_t)get_le(src + BLOCK_AT_CRC, 4);
	return b->raw_len <= BLOCK_RAW_MAX && b->stored_len <= b->raw_len;
}

bool block_intact(const uint8_t *src, const struct block *b)
{
	return checksum(src, b->stored_len) == b->crc;
}

int block_unpack(const struct block *b, const uint8_t *stored, byte_vec *raw)
{
	uLongf n = b->raw_len;
	int r;

	raw->n = 0;
	/* One more, so that an empty payload has an address too. */
	if (!vec_reserve(raw, (size_t)b->raw_len + 1))
		return -ENOMEM;
	if (b->codec == CODEC_RAW && b->stored_len == b->raw_len)
		return bytes_add(raw, stored, b->stored_len) ? 0 : -ENOMEM;
	if (b->codec != CODEC_ZLIB)
		return -EBADMSG;
	r = uncompress(raw->v, &n, stored, b->stored_len);
	if (r != Z_OK || n != b->raw_len)
		return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	raw->n = n;
	return 0;
}
