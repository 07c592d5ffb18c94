/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.h - what a view or a command may ask of a running capture or of a file: both look the
 * same from here. Who answers is in backends.h; whoever asks knows nothing of engines, and this knows
 * nothing of who asks.
 */
#ifndef SBERF_SESSION_SESSION_H
#define SBERF_SESSION_SESSION_H

#include "annotate/listing.h"
#include "model/names.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "query/query.h"
#include "record/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct session {
	void *ctx;
	const struct names *names;
	/* The latest snapshot, referenced for the caller, or NULL while there is none. Never waits. */
	struct snapshot *(*snapshot)(void *ctx);
	/* Grows when there is a newer snapshot. Never waits. */
	uint64_t (*published)(void *ctx);
	/* The figures of now. Never waits. */
	void (*status)(void *ctx, struct profile_meta *ret);
	/* Frames on screen, to be named first; may be NULL. Never waits. */
	void (*prefer)(void *ctx, const frame_id *frames, size_t n);
	/* Forgets what was seen; NULL where that makes no sense (a recording). */
	void (*reset)(void *ctx);
	/* Starts or stops telling who ends waits; NULL where that makes no sense. */
	void (*wakers)(void *ctx, bool on);
	/*
	 * Starts or stops the sampling of accesses and page faults, which the view by node asks for
	 * when it is first looked at; NULL where that makes no sense.
	 */
	void (*numa)(void *ctx, bool on);
	/*
	 * Another rate, another pace of snapshots; NULL where that makes no sense. Never waits:
	 * what cannot be had, news() tells.
	 */
	void (*rate)(void *ctx, uint32_t hz);
	void (*refresh)(void *ctx, uint64_t ns);
	/*
	 * Recording beside the view; all three are NULL where that makes no sense. recording()
	 * tells how it is going; it never waits. record() begins one in a new file, ends the one
	 * that goes on, or has written what a flight recorder holds, and puts what came of it into
	 * TEXT ("" = news() will tell); 0, or a negative errno with a sentence. It waits for a
	 * disk, so it is not for the thread that draws. news() tells what has come of them, or of
	 * another rate, since it was asked last without being asked for, such as a full disk; false
	 * = nothing. It never waits.
	 */
	void (*recording)(void *ctx, struct recording_status *ret);
	int (*record)(void *ctx, char *text, size_t size, struct err *e);
	bool (*news)(void *ctx, char *text, size_t size);
	/* How the files behind modules and sources are come by; no open() = they are not. */
	struct code_access code;
	/* True once nothing new will come (target ended, recording). The view stays all the same. */
	bool (*ended)(void *ctx);
	/* Nothing is shown as long as no target was picked: attach() is all that this session is for. */
	bool none;
	const char *note;        /* to be said once when this is first shown; NULL or "" = nothing; the session's own */
	/*
	 * Another target: both are NULL where that makes no sense, else they get OWNER, and wait
	 * for the kernel, so they are not for the thread that draws. attach() begins to capture
	 * process PID (0 = all tasks), which START_TICKS (field 22 of proc_pid_stat(5), 0 = not
	 * known) tells from one that has got its number since, and *RET is what it is fed by from
	 * then on; this session goes on, so that nothing has changed when it fails: a negative errno
	 * with a sentence. leave() ends this session for good: nobody may use anything of it any more.
	 * TEXT says what has become of a recording that went on ("" = there was none).
	 */
	void *owner;
	int (*attach)(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e);
	void (*leave)(void *owner, char *text, size_t size);
};

#endif
