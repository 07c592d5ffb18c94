/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block.h - writes and reads the frame around a payload (what it is, how long, and a checksum over
 * all of it), and the header of the file.
 */
#ifndef SBERF_RECORD_BLOCK_H
#define SBERF_RECORD_BLOCK_H

#include "record/bytes.h"
#include "record/format.h"

#define UUID_SIZE 16u

struct record_header {
	uint16_t major, minor;
	uint32_t size;
	uint64_t flags;
	uint8_t uuid[UUID_SIZE];
	uint64_t start_real_ns, start_mono_ns;
};

void header_put(uint8_t dst[HEADER_SIZE], const struct record_header *h);

/* False when the checksum is wrong; H is filled in any case. SRC begins with the magic. */
bool header_get(const uint8_t src[HEADER_SIZE], struct record_header *h);

/* The stream id that the blocks of a recording carry. */
uint32_t header_stream(const struct record_header *h);

struct block {
	uint16_t type;
	uint8_t codec, flags;
	uint32_t seq, epoch, raw_len, stored_len, stream, crc;
};

/* What compressing needs, some hundred kilobytes: kept from block to block. A zeroed one is ready. */
struct packer {
	struct libdeflate_compressor *compressor;
};
void packer_free(struct packer *p);              /* a zeroed one is fine */

/*
 * Appends the block of PAYLOAD (N bytes, at most BLOCK_RAW_MAX) to DST, compressed by P when that
 * makes it smaller. TYPE, FLAGS, SEQ, EPOCH and STREAM are taken from B. False when out of memory.
 */
bool block_put(const struct block *b, const uint8_t *payload, size_t n, struct packer *p, byte_vec *dst);

/* Reads a block header. False for one that cannot be: no magic, lengths out of range. */
bool block_get(const uint8_t src[BLOCK_HEADER_SIZE], struct block *b);

/* True when the checksum of the block at SRC (header and stored payload) is right. */
bool block_intact(const uint8_t *src, const struct block *b);

/* The payload of B, whose stored form is at STORED, in RAW: 0, -EBADMSG when it cannot be unpacked, or -ENOMEM. */
int block_unpack(const struct block *b, const uint8_t *stored, byte_vec *raw);

#endif
