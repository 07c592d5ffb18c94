/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.h - writes a recording to anything that takes bytes: a header, blocks in order, the end
 * mark.
 *
 * Each function hands over what it has to say and returns false when the taker did not want it, or
 * when memory ran out: nothing more may be written then.
 */
#ifndef SBERF_RECORD_STREAM_H
#define SBERF_RECORD_STREAM_H

#include "model/probenotes.h"
#include "numa/state.h"
#include "profile/meta.h"
#include "record/block.h"
#include "record/encoder.h"

/* Takes N bytes that make one whole. False: no more of them. */
typedef bool stream_write_fn(void *ctx, const uint8_t *p, size_t n);

/*
 * A zeroed one with WRITE, CTX and ENC, which are borrowed, is ready to begin. Without an encoder
 * blocks come from elsewhere.
 */
struct stream {
	stream_write_fn *write;
	void *ctx;
	struct encoder *enc;
	uint64_t events;         /* without encoder: for the end mark */
	struct block next;       /* stream and sequence number of the next block; without encoder its epoch too */
	/* private: */
	byte_vec out;            /* one block; the first one behind the header */
	struct packer packer;
	byte_vec told;           /* the lines of META that have been written, this epoch */
};

/*
 * Writes a header with the beginning that META names and an id of its own, and META, at once:
 * whoever has read the first byte of a recording will find what it is about. What was taken in must
 * have been taken out.
 */
bool stream_begin(struct stream *s, const struct profile_meta *meta);

/* Writes a block of N bytes at PAYLOAD. */
bool stream_block(struct stream *s, enum block_type type, const uint8_t *payload, size_t n);

/* Writes the tables that the encoder holds. */
bool stream_tables(struct stream *s);

/* Takes in every name that is known, and writes tables as they fill. */
bool stream_names(struct stream *s);

/* Writes the lines of META that have not been written. */
bool stream_meta(struct stream *s, const struct profile_meta *meta);

/* Writes STATE. *RET_TOO_LARGE: it was left out, for it has no room in a block. */
bool stream_numa(struct stream *s, const struct numa_state *state, bool *ret_too_large);

/* Writes STATE, if it has probes. The same; it is never too large, as probes are few. */
bool stream_probes(struct stream *s, const struct probe_notes *state);

/* Begins an epoch, with META. The tables must have been written. */
bool stream_epoch(struct stream *s, const struct profile_meta *meta);

/* Writes the end mark. */
bool stream_end(struct stream *s);

void stream_free(struct stream *s);              /* a zeroed one is fine */

#endif
