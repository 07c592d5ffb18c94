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
#include "profile/meta.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

#include <stdbool.h>
#include <stdint.h>

struct engine;

struct engine_config {
	struct capture_plan plan;        /* borrowed until engine_new() returns */
	struct symbolizer_options symbols;
	const char *record_path;         /* NULL = no recording */
	const char *target_text;         /* for the header: what the user asked for */
	const char *cmdline;             /* sberf's own, for the recording */
	uint64_t refresh_ns;             /* how often a snapshot is published; 0 = never (record) */
	pid_t child;                     /* the command started by sberf, 0 = none: its end ends the capture */
	uint64_t duration_ns;            /* 0 = until stopped */
	uint64_t delay_ns;               /* before sampling starts */
	uint64_t profile_bytes;          /* memory limit of the profile; 0 = default */
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

/* Commands, from any thread. */
void engine_wakers(struct engine *en, bool on);  /* tell who ends waits; nothing happens without off_cpu */
void engine_reset(struct engine *en);            /* forget what was seen so far */

void engine_free(struct engine *en);             /* stops first; NULL is fine; snapshots must be given back */

DEFINE_AUTO(engine_free, struct engine);

#endif
