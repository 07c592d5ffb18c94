/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rulebook.h - teaches the kernel half how to unwind: rules by pages of files, and the mappings of
 * each process.
 *
 * Both tables are bounded; the entry of least recent use gives way. Their memory is shared with the
 * kernel half, which reads it meanwhile: an entry that is being written says so, and a walk that
 * met one is not believed (bpf/wire.h). Not thread-safe.
 */
#ifndef SBERF_CAPTURE_RULEBOOK_H
#define SBERF_CAPTURE_RULEBOOK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"
#include "capture/mapway.h"
#include "model/dict.h"
#include "unwind/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Upper limits; the numbers in use are chosen for the target (mapsizes.h). */
#define RULEBOOK_PAGES 16384u            /* of SB_TEXT_BYTES each: 32 MiB of code, 17 MiB of rows */
#define RULEBOOK_SPACES 1024u            /* processes: 8 MiB of mappings */

/* Descriptors of the kernel half's maps. Borrowed; they must outlive the rulebook. */
struct rulebook_maps {
	struct mapway page_of, space_of;
	int pages, rules, spaces;
	uint32_t nr_pages, nr_spaces;    /* capacity */
	uint64_t bytes;                  /* kernel memory of these maps, and of what else walks need */
};

struct rulebook;

/*
 * Maps the memory of MAPS. On success *RET is the caller's; else a negative errno with a sentence.
 */
int rulebook_new(const struct rulebook_maps *maps, struct rulebook **ret, struct err *e);
void rulebook_free(struct rulebook *b);          /* NULL is fine */

/* Whether the rules for the page that holds OFFSET of MODULE are known. */
bool rulebook_has(const struct rulebook *b, module_id module, uint64_t offset);
/*
 * Whether less than a quarter of the pages is free, so that teaching many would make others give
 * way.
 */
bool rulebook_is_crowded(const struct rulebook *b);
/*
 * Teaches the rules of the page at OFFSET (a multiple of SB_TEXT_BYTES) of MODULE: N rows of
 * rows_of(), at most SB_ROWS. Does nothing when there is no room.
 */
void rulebook_teach(struct rulebook *b, module_id module, uint64_t offset, const struct rule_row *row, size_t n);

/*
 * The known mappings of process PID, and in *RET_ID the id of its memory; *RET_N = 0 when none are
 * known, or when they proved wrong. Valid until the next call.
 */
const struct sb_map *rulebook_maps(const struct rulebook *b, uint32_t pid, uint64_t *ret_id, size_t *ret_n);
/*
 * Teaches the mappings of process PID: N of them, at most SB_SPACE_MAPS, by address, of the memory
 * ID as it was at TIME_NS (CLOCK_MONOTONIC). N = 0: what is known is wrong, for processes that
 * share it too. False when it was refused: newer memory of the process is known, or something
 * learnt since contradicts it.
 */
bool rulebook_teach_maps(struct rulebook *b, uint32_t pid, uint64_t id, const struct sb_map *map, size_t n,
			 uint64_t time_ns);

/* Whether process PID is known to have had memory other than ID after TIME_NS. */
bool rulebook_is_past(const struct rulebook *b, uint32_t pid, uint64_t id, uint64_t time_ns);

struct rulebook_stats {
	uint32_t pages, rules, spaces;   /* known now */
	uint64_t evicted;                /* pages and processes that gave way to others */
	size_t bytes;                    /* memory in all, with rulebook_maps.bytes */
};
void rulebook_stats(const struct rulebook *b, struct rulebook_stats *ret);

DEFINE_AUTO(rulebook_free, struct rulebook);

#endif
