/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_stats.h - collects, block by block, what a reader finds in a recording, for `sberf check`.
 * Filled by the reader (load_options.survey).
 */
#ifndef SBERF_RECORD_CHECK_STATS_H
#define SBERF_RECORD_CHECK_STATS_H

#include "base/vec.h"
#include "model/event.h"
#include "record/block.h"

#include <stdbool.h>
#include <stdint.h>

/* Blocks of one type that were taken in. */
struct check_stats_type {
	uint64_t blocks, stored_bytes, raw_bytes;
	uint64_t rows;           /* of tables */
	/* known to be missing: their numbers lie between those of two tables, or before the end mark */
	uint64_t lost_rows;
};

enum check_stats_damage_kind {
	DAMAGE_HEADER,           /* of the file: its checksum is wrong */
	DAMAGE_BYTES,            /* bytes that are no block of this recording */
	DAMAGE_MISSING,          /* blocks are missing, by their numbers */
	DAMAGE_OUT_OF_ORDER,     /* a block whose number had been, which is left out */
	DAMAGE_CONTENT,          /* a block that cannot be unpacked, or contradicts itself or what came before */
	DAMAGE_CUT,              /* the end of the file is a part of a block */
	DAMAGE_GAVE_UP,          /* so much that the rest was not searched */
};

struct check_stats_damage {
	enum check_stats_damage_kind kind;
	uint64_t at;             /* where in the file */
	uint64_t n;              /* bytes; DAMAGE_MISSING: blocks */
	uint16_t type;           /* of the block that is damaged, or seems to have begun here; 0 = not known */
};

#define CHECK_STATS_DAMAGES 1000u     /* kept; further ones are counted */

/* A zeroed one is empty. */
struct check_stats {
	struct record_header header;
	struct check_stats_type type[BLOCK_TYPES];    /* [0]: of types that are not known */
	uint64_t kind[EVENT_KINDS_MAX];          /* events taken in; [0]: of kinds that are not known */
	uint64_t first_ns, last_ns;              /* their earliest and latest time; 0 = there is none */
	uint64_t epochs;
	uint64_t lost_events;                    /* known to be missing */
	VEC(struct check_stats_damage) damage;
	uint64_t damages;                        /* all of them */
};

/* Adds a damage. False when out of memory: it is counted all the same. */
bool check_stats_damage(struct check_stats *s, enum check_stats_damage_kind kind, uint64_t at, uint64_t n,
			unsigned int type);

/* "EVENTS", or "unknown". */
const char *check_stats_type_name(unsigned int type);

void check_stats_free(struct check_stats *s);

#endif
