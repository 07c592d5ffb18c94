/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input.h - finds the intact blocks in a stream of bytes, and steps over what is damaged.
 *
 * Reading never seeks, so a pipe will do. What is not an intact block of this recording is searched
 * for the next one, byte by byte; a checksum decides. How much of that search a hostile file can
 * cause is bounded.
 */
#ifndef SBERF_RECORD_INPUT_H
#define SBERF_RECORD_INPUT_H

#include "base/err.h"
#include "record/block.h"

#include <sys/types.h>

/* Reads at most N bytes into DST: how many, 0 at the end, or a negative errno. */
typedef ssize_t input_fn(void *ctx, void *dst, size_t n);

struct input {
	input_fn *read;
	void *ctx;
	const char *name;        /* for sentences */
	byte_vec buf;
	size_t at;               /* next byte of buf */
	uint64_t offset;         /* of that byte in the stream */
	bool end;                /* the stream has no more than what is in buf */
	uint32_t stream;         /* of this recording's blocks */
	bool stream_known;       /* false: the header was damaged, the first intact block tells */
	uint64_t damaged_bytes;  /* stepped over so far */
	uint64_t damaged_at;     /* where the damage before the last block began */
	uint16_t damaged_type;   /* of the block that seems to have begun there; 0 = not known */
	bool cut;                /* the stream ends inside a block */
	uint64_t wasted;         /* bytes whose checksum was wrong */
	bool gave_up;            /* too much damage to search through */
};

/* Reads the header into H; *RET_DAMAGED: its checksum is wrong. Fails with a sentence for what is not a recording. */
int input_open(struct input *in, struct record_header *h, bool *ret_damaged, struct err *e);

/*
 * The next intact block: 1, with B and, until the next call, its stored payload; 0 at the end;
 * negative errno with a sentence when reading fails, or when a second recording follows.
 */
int input_next(struct input *in, struct block *b, const uint8_t **ret_stored, struct err *e);

void input_free(struct input *in);

#endif
