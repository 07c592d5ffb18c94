/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - what a view or a command may ask of a running capture or of a recording: both look
 * the same from here. backends.h has the two of them. Callers know nothing of engines, and a
 * session knows nothing of its callers.
 */
#ifndef SBERF_SESSION_SESSION_H
#define SBERF_SESSION_SESSION_H

#include "annotate/listing.h"
#include "base/err.h"
#include "base/parse.h"
#include "engine/completing.h"
#include "model/names.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "query/query.h"
#include "record/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What came of a probe that was asked for. */
struct session_probe {
	uint32_t probe;          /* its number (model/probes.h); PROBE_NONE: it is not placed, and TEXT says why */
	bool added;              /* it has just been placed, and what it costs is told later */
	char text[ERR_TEXT_MAX]; /* a sentence */
};

struct session {
	void *ctx;
	const struct names *names;
	/* The latest snapshot, referenced for the caller; NULL while there is none. Never waits. */
	struct snapshot *(*snapshot)(void *ctx);
	/* Grows with every newer snapshot. Never waits. */
	uint64_t (*published)(void *ctx);
	/* The present figures. Never waits. */
	void (*status)(void *ctx, struct profile_meta *ret);
	/* Frames on screen, to be named first; may be NULL. Never waits. */
	void (*prefer)(void *ctx, const frame_id *frames, size_t n);
	/* Forgets what was seen so far; NULL where that makes no sense (a recording). */
	void (*reset)(void *ctx);
	/* Starts or stops naming the thread that ends each wait; NULL where that makes no sense. */
	void (*wakers)(void *ctx, bool on);
	/*
	 * Starts or stops the sampling of memory accesses and page faults, which the view by node
	 * needs when it is opened for the first time; NULL where that makes no sense.
	 */
	void (*numa)(void *ctx, bool on);
	/*
	 * Changes the sampling rate, and the interval between snapshots; NULL where that makes no
	 * sense. Neither waits; news() reports a failure.
	 */
	void (*rate)(void *ctx, uint32_t hz);
	void (*refresh)(void *ctx, uint64_t ns);
	/*
	 * Recording beside the view; all three are NULL where that makes no sense.
	 *
	 * recording() reports the state. Never waits.
	 *
	 * record() begins a recording in a new file, ends the one that is running, or saves what a
	 * flight recorder holds. TEXT receives the outcome, "" if news() will report it. 0, or a
	 * negative errno with a sentence. It waits for a disk: not for the thread that draws.
	 *
	 * news() reports what has happened unasked since the last call: a recording was saved or
	 * failed (a full disk), or the rate could not be changed. False = nothing. Never waits.
	 */
	void (*recording)(void *ctx, struct recording_status *ret);
	int (*record)(void *ctx, char *text, size_t size, struct err *e);
	bool (*news)(void *ctx, char *text, size_t size);
	/*
	 * Probes in what runs; all of these are NULL where there can be no new ones. add_probe() has the probe
	 * TEXT (sberf-probe(7)) placed, remove_probe() has one taken off. probe_told() reports what came
	 * of it since the last call: for one that was added first that it was, or why not, then what it
	 * costs. False = nothing yet. None of them waits.
	 */
	void (*add_probe)(void *ctx, const char *text);
	void (*remove_probe)(void *ctx, uint32_t probe);
	bool (*probe_told)(void *ctx, struct session_probe *ret);
	/*
	 * What makes memory grow (--memory=growth): growth() has it followed from now on, or not any more, which
	 * probe_told() reports by a sentence; growing() says whether it is, or was asked for, or memory is
	 * followed by allocation. Neither waits. NULL as above.
	 */
	void (*growth)(void *ctx, bool on);
	bool (*growing)(void *ctx);
	/*
	 * The same of blocks of memory (--memory=allocs), which functions that allocate are probed for: blocks() has
	 * them followed, or not any more, has_blocks() says whether they are. They have to have begun to be by then.
	 */
	void (*blocks)(void *ctx, bool on);
	bool (*has_blocks)(void *ctx);
	/*
	 * In which ways the text of a probe can go on: complete() is complete_probe(), which reads files, and is
	 * for a thread of its own, that may outlive the session; targets() gives what it needs and does not wait.
	 */
	void (*targets)(void *ctx, u32_vec *ret);
	void (*complete)(const char *typed, const uint32_t *pids, size_t n, struct completions *ret);
	/* Opens the files behind modules and sources; without open() they cannot be had. */
	struct code_access code;
	/* True once nothing new will come: the target has ended, or this is a recording. The view stays open. */
	bool (*ended)(void *ctx);
	/* Nothing is shown until a target is picked: attach() is the only use of this session. */
	bool none;
	const char *note;        /* a sentence for the status line when this is first shown; NULL or "" = none; owned */
	/*
	 * Changing the target; both are NULL where that makes no sense. They get OWNER, and wait for
	 * the kernel: not for the thread that draws.
	 *
	 * attach() begins to capture process PID (0 = all tasks) and fills *RET with the session of
	 * that capture. START_TICKS (field 22 of proc_pid_stat(5), 0 = not known) tells it from a
	 * later process with the same number. This session goes on, so nothing has changed when
	 * attach() fails: a negative errno with a sentence.
	 *
	 * leave() ends this session for good: nothing of it may be used any more. TEXT says what
	 * became of a recording that was running, "" if there was none.
	 */
	void *owner;
	/*
	 * Begins to answer browsers of this machine (serve/server.h), once for as long as this session is used; TEXT
	 * gets the address, each time. 0 or a negative errno with a sentence. NULL where that makes no sense. It
	 * does not wait.
	 */
	int (*serve)(void *owner, char *text, size_t size, struct err *e);
	int (*attach)(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e);
	void (*leave)(void *owner, char *text, size_t size);
};

#endif
