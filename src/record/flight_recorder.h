/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flight_recorder.h - keeps the last stretch of a recording in memory until somebody wants it.
 *
 * Blocks are kept as they were written, in *segments*. Each segment is an epoch of its own, whose
 * events count from 0, so it needs none of the others. The oldest one is dropped when the later
 * ones reach back far enough, or when memory runs short.
 */
#ifndef SBERF_RECORD_FLIGHT_RECORDER_H
#define SBERF_RECORD_FLIGHT_RECORDER_H

#include "numa/state.h"
#include "profile/meta.h"
#include "record/stream.h"

#include <stdint.h>

#define FLIGHT_RECORDER_SEGMENTS 10u                /* in the time that is to be kept */

struct flight_recorder;

/* Holds what came in the last KEEP_NS, and never much more than BYTES. NULL when out of memory. */
struct flight_recorder *flight_recorder_new(uint64_t keep_ns, uint64_t bytes);
void flight_recorder_free(struct flight_recorder *k);          /* NULL is fine */

/* A stream_write_fn: adds a block to the newest segment. */
bool flight_recorder_block(void *k, const uint8_t *block, size_t n);

/* Whether the newest segment has its share of the memory. Never while flight_recorder_save() runs. */
bool flight_recorder_full(const struct flight_recorder *k);

/* Whether it is full or it is time for another segment, NOW_NS being CLOCK_MONOTONIC. */
bool flight_recorder_due(const struct flight_recorder *k, uint64_t now_ns);

/*
 * Begins a segment, before which META, NUMA and PROBES (NULL: none) were what has been counted since the beginning;
 * drops old ones. The encoder of whoever writes into it must have been restarted. False when out of
 * memory.
 */
bool flight_recorder_segment(struct flight_recorder *k, uint64_t now_ns, const struct profile_meta *meta,
			     const struct numa_figures *numa, struct probe_notes *probes);

/*
 * What is called after each block that is written, so that events do not wait; it may add blocks,
 * which are left out.
 */
typedef void flight_recorder_after_fn(void *ctx);

struct flight_recorder_saved {
	uint64_t bytes, ns;      /* size of the file; how far back it goes */
	/*
	 * ENOSPC or the like: there was no room for what lies further back, which is still held; 0
	 * = there was
	 */
	int error;
};

/* The last states of what is written beside events; NULL = none. */
struct flight_recorder_states {
	const struct numa_state *numa;
	const struct probe_notes *probes;
};

/*
 * Writes all of it as the recording PATH (as create.h does), with STATES (NULL: none) and the
 * figures of META and of nodes, which count from the beginning, since its oldest segment. On a disk that has no
 * room for all, the newest segments that it has room for. A negative errno with a sentence: there
 * is no file then.
 */
int flight_recorder_save(struct flight_recorder *k, const char *path, const struct profile_meta *meta,
	      const struct flight_recorder_states *states, flight_recorder_after_fn *after, void *ctx,
	      struct flight_recorder_saved *ret, struct err *e);

uint64_t flight_recorder_bytes(const struct flight_recorder *k);       /* of blocks held */

#endif
