/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - the one thread that owns everything mutable: it reads a source, follows processes, unwinds, feeds the profile
 * and the recorder, and never waits for a file or for the screen.
 *
 * Whoever shows or saves the profile asks for snapshots and status; both are taken under a lock that the engine holds only
 * to hand over a finished value.
 */
#ifndef SBERF_ENGINE_ENGINE_H
#define SBERF_ENGINE_ENGINE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "numa/placement.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "record/recording.h"
#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct processes;

struct engine_config {
	struct capture_plan plan;        /* borrowed until engine_new() returns */
	struct symbolizer_options symbols;
	struct recorder_config record;   /* no path = no recording */
	bool record_spare;               /* when recording fails, the capture goes on: engine_saved() says so */
	const char *target_text;         /* for the header: what the user asked for */
	const char *cmdline;             /* sberf's own, for the recording */
	uint64_t refresh_ns;             /* how often a snapshot is published; 0 = never (record) */
	pid_t child;                     /* the command started by sberf, 0 = none: its end ends the capture */
	uint64_t duration_ns;            /* 0 = until stopped */
	uint64_t delay_ns;               /* before sampling starts */
	uint64_t profile_bytes;          /* memory limit of the profile; 0 = default */
	struct placement_config placement;       /* where pages are; zeroed = ask the kernel */
};

/* Opens everything, switched off: errors are told here, before a terminal is touched. */
int engine_new(const struct engine_config *c, struct engine **ret, struct err *e);

/* Starts sampling and the engine thread. */
int engine_start(struct engine *en, struct err *e);

/* Asks the engine to finish; async-signal-safe. Returns at once. */
void engine_stop(struct engine *en);

/* The same, without waiting for names that are still being looked up. Not async-signal-safe. */
void engine_hurry(struct engine *en);

/* Waits for the end (stop, target's end, duration) or TIMEOUT_NS (0 = for ever). True when it has ended. */
bool engine_wait(struct engine *en, uint64_t timeout_ns);

/* Readable once it has ended, for who waits for other things too; the engine's. */
int engine_end_fd(const struct engine *en);

/* How it ended, after engine_wait() was true: 0, or a negative errno with its sentence (a failed disk, a lost source). */
int engine_result(struct engine *en, struct err *e);

/* The latest published snapshot, referenced, or NULL when there is none yet. */
struct snapshot *engine_snapshot(struct engine *en);
/* Grows with every published snapshot. */
uint64_t engine_published(const struct engine *en);

/* The figures of now. */
void engine_status(struct engine *en, struct profile_meta *ret);

const struct names *engine_names(const struct engine *en);
struct symbolizer *engine_symbolizer(const struct engine *en);

/* For processes_open_code() and processes_open_source() alone, which any thread may call. */
struct processes *engine_processes(const struct engine *en);

/* Commands, from any thread. */
void engine_wakers(struct engine *en, bool on);  /* tell who ends waits; nothing happens without off_cpu */
void engine_numa(struct engine *en, bool on);    /* sample addresses and faults; nothing happens with NUMA_OFF */
bool engine_can_numa(const struct engine *en);   /* it was not NUMA_OFF */
void engine_reset(struct engine *en);            /* forget what was seen so far */
void engine_set_rate(struct engine *en, uint32_t hz);    /* sample so often, as far as the kernel allows */
void engine_set_refresh(struct engine *en, uint64_t ns); /* publish a snapshot so often */
uint64_t engine_refresh(const struct engine *en);        /* how often, ns */
/* Whether another rate could not be had, since this was asked last: E says why. */
bool engine_rate_failed(struct engine *en, struct err *e);

/* Writes what record.keep_ns keeps into a file. Async-signal-safe; returns at once. */
void engine_save(struct engine *en);
/*
 * Whether that was done, or failed, since this was asked last, or a recording beside the capture (record_spare,
 * engine_record()) failed, or ended with it; *RET then says how, if several times, the last time.
 */
bool engine_saved(struct engine *en, struct recorder_saved *ret);

enum engine_recording_state {
	ENGINE_RECORDING_NONE,
	ENGINE_RECORDING_KEEPING,        /* a flight recorder runs (record.keep_ns with record_spare) */
	ENGINE_RECORDING_GOING,          /* a file is being written: engine_record() */
	ENGINE_RECORDING_ENDING,         /* engine_record_end() is at it */
	ENGINE_RECORDING_FAILED,         /* writing has failed, as engine_saved() says; engine_record() begins another one */
};

struct engine_recording {
	enum engine_recording_state state;
	char path[512];          /* of what is, or was, written by engine_record(); "" = none yet */
	uint64_t bytes;          /* in the file, or held */
	uint64_t keep_ns;        /* of the flight recorder */
};

/* What is being recorded beside the capture. Never waits. */
void engine_recording(struct engine *en, struct engine_recording *ret);

/*
 * Records into PATH, a new file, from now on until engine_record_end() or the end of the capture. Waits for the disk. What goes
 * wrong later does not end the capture. A negative errno with a sentence: -EBUSY when a recording goes on, or a flight recorder
 * runs.
 */
int engine_record(struct engine *en, const char *path, struct err *e);
/*
 * Ends it; *RET says what it has become. Waits for the disk, and seconds for names that are still being looked up. A negative
 * errno with a sentence; what was written can be read up to there.
 */
int engine_record_end(struct engine *en, struct recorder_saved *ret, struct err *e);

void engine_free(struct engine *en);             /* stops first; NULL is fine; snapshots must be given back */

DEFINE_AUTO(engine_free, struct engine);

#endif
