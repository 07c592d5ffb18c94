/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - sberf.data: events and their dictionaries in an append-only file. docs/recording-format.md has every field.
 *
 * Writing happens on a thread of its own: the engine never waits for a disk. Reading fills a profile and names, as a live
 * capture would; a file that was cut off or damaged is read up to and around the damage, and says so.
 */
#ifndef SBERF_RECORD_RECORDING_H
#define SBERF_RECORD_RECORDING_H

#include "base/cleanup.h"
#include "base/err.h"
#include "event/event.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "symbol/names.h"

#include <stdint.h>

struct recorder;

/*
 * Creates PATH (mode 0600, never through a symbolic link; an existing recording is kept as PATH.old, an empty file replaced,
 * another kind of file refused, and a recording that is being written; under sudo it belongs to the invoking user) with its
 * header, or, when that fails, leaves everything as it was; starts the writer thread. DICT and NAMES are read, without locks,
 * until recorder_close(). Of them only what events use is written.
 */
int recorder_open(const char *path, const struct dict *dict, const struct names *names, const struct profile_meta *meta,
		  struct recorder **ret, struct err *e);

/* Queues a copy of EV. Never waits; false when the queue is full (count it as LOST_RECORDER) or writing has failed. */
bool recorder_event(struct recorder *r, const struct event *ev);

/* Queues a copy of the figures so far; written with the next block, so that a recording that is cut off has recent ones. */
void recorder_meta(struct recorder *r, const struct profile_meta *meta);

/* The error that stopped writing (disk full, ...): negative errno with its sentence, or 0. */
int recorder_status(struct recorder *r, struct err *e);

uint64_t recorder_bytes(const struct recorder *r);       /* written so far */

/*
 * Writes what is queued, names included, and the end mark with META, and frees R in any case. A failed write is reported
 * here too; what was written before it stays readable.
 */
int recorder_close(struct recorder *r, const struct profile_meta *meta, struct err *e);

/* What loading met. */
struct load_report {
	uint64_t events, blocks;
	uint64_t damaged_blocks, damaged_bytes;  /* skipped */
	bool cut_off;                            /* no end mark: the recording was interrupted */
	char note[256];                          /* one sentence about damage, "" = none */
};

/* How to load; a zeroed one loads everything. */
struct load_options {
	uint64_t min_block_ns;   /* waits shorter than this are left out, and counted as meta.wait_short */
	void (*each)(void *ctx, const struct event *ev);         /* gets each event loaded, in file order; may be NULL */
	void *ctx;
};

/*
 * Reads PATH into P and NAMES (both fresh). Fails with one sentence for what is not a recording, of a newer major version, two
 * in one file, or of which nothing can be read; memory stays bounded whatever the file claims. Ids of events are those of P's
 * dictionary. O may be NULL.
 */
int recording_load(const char *path, struct profile *p, struct names *names, struct profile_meta *meta,
		   struct load_report *report, const struct load_options *o, struct err *e);

#endif
