/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - writes and reads recordings (sberf.data): events and their dictionaries in an
 * append-only file. docs/recording-format.md has every field.
 *
 * Writing happens on a thread of its own: the engine never waits for a disk. Reading fills a
 * profile and names, as a live capture would; a file that was cut off or damaged is read up to and
 * around the damage, and says so.
 */
#ifndef SBERF_RECORD_RECORDING_H
#define SBERF_RECORD_RECORDING_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/event.h"
#include "model/names.h"
#include "profile/meta.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define RECORDING_PREFIX "sberf" /* of names of recordings that nobody named, */
#define RECORDING_SUFFIX ".sberf"        /* and what they end in */

struct progress;
struct told_hit;
struct recorder;
struct numa_figures;
struct numa_state;
struct probe_notes;
struct check_stats;

/* What is recorded to. A zeroed one needs a path. */
struct recorder_config {
	const char *path;        /* the file; with FD only its name in sentences */
	/* 0: creates PATH. Else written to as it is, a pipe or a socket or a file, and left open */
	int fd;
	/*
	 * 0: one file. Else another one is begun when it has about so many bytes; the one before
	 * becomes PATH.1,
	 */
	uint64_t max_bytes;
	/*
	 * that PATH.2 and so on, to at most so many files, PATH included; the oldest goes. Each is
	 * a whole recording.
	 */
	unsigned int max_files;
	/*
	 * 0: all is written. Else what came in this time is kept in memory, and written at the end,
	 * or when asked for;
	 */
	uint64_t keep_ns;
	uint64_t keep_bytes;     /* or less of it, when that is about as much memory */
	/* with keep_ns: each file is the first of PATH-1.sberf, PATH-2.sberf, ... that is free */
	bool numbered;
	bool midway;             /* the capture goes on already: figures count from recorder_since() on */
};

/* What is being recorded beside a capture. */
enum recording_state {
	RECORDING_NONE,
	RECORDING_KEEPING,               /* a flight recorder is running (keep_ns) */
	RECORDING_GOING,                 /* a file is being written */
	RECORDING_ENDING,                /* the file is being finished */
	RECORDING_FAILED,                /* writing failed; another file may be begun */
};

struct recording_status {
	enum recording_state state;
	uint64_t bytes;          /* in the file, or in the flight recorder */
	uint64_t keep_ns;        /* how far back the flight recorder goes */
};

/* What recorder_save() has come to, or a whole recording. */
struct recorder_saved {
	char path[512];          /* "" = it failed: ERR */
	uint64_t bytes, ns;      /* its size, and how far back it goes */
	bool kept;               /* it is what was kept, not the whole of what was recorded */
	/* why it failed, or why it does not go back further: the disk is full; no code = all of it is there */
	struct err err;
	char why[256];           /* what it was written for by itself (--when); "" = it was asked for; the engine's */
};

/*
 * Creates the path of C (mode 0600, never through a symbolic link; an existing recording is kept as
 * PATH.old, an empty file replaced, another kind of file refused, and a recording that is being
 * written; under sudo it belongs to the invoking user) with its header, or, when that fails, leaves
 * everything as it was; starts the writer thread. C is not needed any more then. DICT and NAMES are
 * read, without locks, until recorder_close(). Of them only what events use is written.
 */
int recorder_open(const struct recorder_config *c, const struct dict *dict, const struct names *names,
		  const struct profile_meta *meta, struct recorder **ret, struct err *e);

/* Queues a copy of EV. Never waits; false when the queue is full (count it as LOST_RECORDER) or writing has failed. */
bool recorder_event(struct recorder *r, const struct event *ev);

/* Queues a copy of H, for which there may be no room: false. Never waits. */
bool recorder_hit(struct recorder *r, const struct told_hit *h);

/*
 * Queues a copy of the figures so far; written with the next block, so that a recording that is cut
 * off has recent ones.
 */
void recorder_meta(struct recorder *r, const struct profile_meta *meta);

/*
 * Says that what is recorded begins now, when META, NUMA and PROBES (NULL: none yet) are what
 * has been counted so far: once, before the first event. Only with config.midway.
 */
void recorder_since(struct recorder *r, const struct profile_meta *meta, const struct numa_figures *numa,
		    struct probe_notes *probes);

/*
 * Takes a reference to STATE, which is written at the next flush; when another one comes before
 * that, only that one is. Never waits. What is too large as text (META_BYTES_MAX) is left out, and
 * the recording says so.
 */
void recorder_numa(struct recorder *r, struct numa_state *state);

/* The same for what is known of probes. */
void recorder_probes(struct recorder *r, struct probe_notes *state);

/*
 * Writes what is kept to PATH.1, or the first such name that is free (config.numbered: another
 * one), while recording goes on; on a disk without room for all of it, the newest part. Nothing
 * happens without keep_ns.
 */
void recorder_save(struct recorder *r);
/*
 * Whether such a file was written, or not, since this was asked last; *RET then says which, if of
 * several, the last one.
 */
bool recorder_saved(struct recorder *r, struct recorder_saved *ret);

/* The error that stopped writing (disk full, ...): negative errno with its sentence, or 0. */
int recorder_status(struct recorder *r, struct err *e);

uint64_t recorder_bytes(const struct recorder *r);       /* written so far */
uint64_t recorder_held(const struct recorder *r);        /* bytes that are kept in memory, with keep_ns */

/*
 * Writes what is queued, names included, and the end mark with META, and frees R in any case. A
 * failed write is reported here too; what was written before it stays readable. *RET_BYTES, which
 * may be NULL, is what was written in all, in any case.
 */
int recorder_close(struct recorder *r, const struct profile_meta *meta, uint64_t *ret_bytes, struct err *e);
/*
 * The same, and says in *RET, also when it fails, which file it has become (with several, the
 * newest), how large all are, and of what time.
 */
int recorder_end(struct recorder *r, const struct profile_meta *meta, struct recorder_saved *ret, struct err *e);

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
	/* gets each event loaded, in file order; may be NULL */
	void (*each)(void *ctx, const struct event *ev);
	/* gets each hit that stands by itself (model/probes.h), in file order; may be NULL */
	void (*hit)(void *ctx, const struct told_hit *h);
	void *ctx;
	/* facts do not go into the profile, only dictionaries and names do, where better names stay */
	bool only_each;
	/*
	 * Not 0: threads, and files without build-id, are told apart by numbers of the recording
	 * machine. Equal numbers in recordings of different origins mean different things.
	 */
	uint64_t origin;
	int64_t shift_ns;        /* added to the times of events */
	/* of a file: told how far reading has come; begun and ended by the caller; may be NULL */
	struct progress *progress;
	/* what was met is added to it (record/check_stats.h), an empty one; may be NULL */
	struct check_stats *survey;
};

/*
 * Opens PATH for reading; "-" is standard input, as it is, since a socket, as ssh may make it,
 * cannot be opened by a name. A file descriptor, the caller's, or a negative errno with a sentence.
 * *RET_NAME is set in any case: what stands in sentences, borrowed.
 */
int recording_open(const char *path, const char **ret_name, struct err *e);

/*
 * Reads PATH, as recording_open() does, into P and NAMES (both fresh). Fails with one sentence for
 * what is not a recording, of a newer major version, two in one file, or of which nothing can be
 * read; memory stays bounded whatever the file claims. Ids of events are those of P's dictionary. O
 * may be NULL.
 */
int recording_load(const char *path, struct profile *p, struct names *names, struct profile_meta *meta,
		   struct load_report *report, const struct load_options *o, struct err *e);

/* The same for FD, which stays open, from where it stands; NAME is for sentences. */
int recording_load_fd(int fd, const char *name, struct profile *p, struct names *names, struct profile_meta *meta,
		      struct load_report *report, const struct load_options *o, struct err *e);

/*
 * Reads from FD, called NAME in sentences, no more of a recording than its header and its first
 * figures: META, and the id in RET_UUID (16 bytes; zeroes when it is damaged). FD is then somewhere
 * behind them.
 */
int recording_peek(int fd, const char *name, struct profile_meta *meta, uint8_t *ret_uuid, struct err *e);

#endif
