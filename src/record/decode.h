/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode.h - turns the tables of a recording into a profile, names and figures: the reverse of
 * encoder.h.
 *
 * Every table says where its ids begin, so it is known what a damaged block took away. Stacks,
 * frames and threads of that block become "[lost]", and missing events are counted. Nothing is ever
 * taken for something else.
 */
#ifndef SBERF_RECORD_DECODE_H
#define SBERF_RECORD_DECODE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/event.h"
#include "record/block.h"
#include "record/recording.h"

struct decoder;

/* What a recording is read into. The pointers are borrowed. */
struct load_target {
	struct profile *profile;
	struct names *names;
	struct profile_meta *meta;
	struct load_report *report;
	struct load_options options;
};

struct decode_counts {
	uint64_t events;         /* delivered */
	uint64_t lost;           /* known to be missing */
	uint64_t unknown;        /* events and blocks of kinds that this version does not know */
	uint64_t short_waits, short_ns;          /* left out by options.min_block_ns */
	uint64_t first_ns, last_ns;              /* times of the earliest and the latest event, 0 = none */
	uint64_t kind[EVENT_KINDS_MAX];          /* events; [0]: of kinds that are not known */
	uint64_t rows[BLOCK_TYPES], lost_rows[BLOCK_TYPES];      /* of tables: met, and known to be missing */
	uint64_t epochs;
	bool ended;              /* the end mark was there */
};

struct decoder *decoder_new(const struct load_target *t);        /* NULL when out of memory */
void decoder_free(struct decoder *d);                            /* NULL is fine */

/*
 * Takes in the payload of B. 0, or -EBADMSG (no sentence) when it contradicts itself or what came
 * before: what preceded the contradiction was taken in. Any other negative errno, with a sentence:
 * reading cannot go on.
 */
int decoder_block(struct decoder *d, const struct block *b, const uint8_t *payload, size_t n, struct err *e);

/* Once all blocks are in: puts the rest into profile and figures; what there was. -ENOMEM with a sentence. */
int decoder_end(struct decoder *d, struct decode_counts *ret, struct err *e);

DEFINE_AUTO(decoder_free, struct decoder);

#endif
