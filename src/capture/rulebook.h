/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rulebook.h - what the kernel half has been taught: rules by pages of files, and what is mapped where in which process.
 *
 * Both are bounded; who has been of least use lately gives way. The memory is shared with the kernel half, which reads it
 * meanwhile: what is being written says so, and a walk that came across it is not believed (bpf/wire.h). One thread calls.
 */
#ifndef SBERF_CAPTURE_RULEBOOK_H
#define SBERF_CAPTURE_RULEBOOK_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"
#include "model/dict.h"
#include "unwind/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most; how many there are is chosen for the target (mapsizes.h). */
#define RULEBOOK_PAGES 16384u            /* of SB_TEXT_BYTES: 32 MiB of code, by 17 MiB of rows */
#define RULEBOOK_SPACES 1024u            /* processes, by 8 MiB of mappings */

/* Descriptors of the maps of the kernel half; borrowed, to outlive the rulebook. */
struct rulebook_maps {
	int page_of, pages, rules, space_of, spaces;
	uint32_t nr_pages, nr_spaces;    /* that there is room for */
	uint64_t bytes;                  /* of the kernel's memory that these take, and what else walks need */
};

struct rulebook;

int rulebook_new(const struct rulebook_maps *maps, struct rulebook **ret, struct err *e);
void rulebook_free(struct rulebook *b);          /* NULL is fine */

/* Are the rules of the page that holds the place OFFSET of MODULE known? */
bool rulebook_has(const struct rulebook *b, module_id module, uint64_t offset);
/* Is there room for less than a quarter of all pages that there can be, so that teaching many would make others give way? */
bool rulebook_is_crowded(const struct rulebook *b);
/*
 * Teaches those of the page at OFFSET, a multiple of SB_TEXT_BYTES: N rows of rows_of(), at most SB_ROWS. Does nothing when
 * it cannot.
 */
void rulebook_teach(struct rulebook *b, module_id module, uint64_t offset, const struct rule_row *row, size_t n);

/*
 * The mappings that are known of process PID and the id of their memory; *RET_N = 0 when there are none, or when what was known of that
 * memory was not right. Valid until the next call.
 */
const struct sb_map *rulebook_maps(const struct rulebook *b, uint32_t pid, uint64_t *ret_id, size_t *ret_n);
/*
 * Teaches these: N of them, at most SB_SPACE_MAPS, by address, of the memory ID as it was at TIME_NS of CLOCK_MONOTONIC. N = 0: nothing
 * is right, nor what relatives have. False when it does not: other memory that the process had later is known, or more was learnt since of
 * what would not be right.
 */
bool rulebook_teach_maps(struct rulebook *b, uint32_t pid, uint64_t id, const struct sb_map *map, size_t n, uint64_t time_ns);

/* Is other memory than ID known of PID, that it had after TIME_NS? */
bool rulebook_is_past(const struct rulebook *b, uint32_t pid, uint64_t id, uint64_t time_ns);

struct rulebook_stats {
	uint32_t pages, rules, spaces;   /* known now */
	uint64_t evicted;                /* pages and processes that gave way */
	size_t bytes;                    /* of memory, with rulebook_maps.bytes */
};
void rulebook_stats(const struct rulebook *b, struct rulebook_stats *ret);

DEFINE_AUTO(rulebook_free, struct rulebook);

#endif
