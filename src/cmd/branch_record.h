/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_record.h - the recording of `sberf branches --record`: each call that is told is an event with the stack that
 * it was called with, weighed by how long it took, and a line with its arguments, its result and its last branch.
 *
 * What a call is worth is known when it has ended, so the event of its begin is kept until then, in a table of fixed
 * size. The recording is written by whoever judges calls, and not by the engine.
 */
#ifndef SBERF_CMD_BRANCH_RECORD_H
#define SBERF_CMD_BRANCH_RECORD_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/branch.h"
#include "engine/engine.h"
#include "record/recording.h"
#include "trace/hit.h"
#include "trace/hitfields.h"

#include <stdbool.h>
#include <stdint.h>

struct branch_record;

/* Begins a recording at PATH of what EN captures, which outlives it. 0, or a negative errno with a sentence. */
int branch_record_open(struct engine *en, const char *path, struct branch_record **ret, struct err *e);
/* Keeps the event of H, at which a call may begin; R NULL = nothing. */
void branch_record_take(struct branch_record *r, const struct hit *h);

/* A call that is told. */
struct branch_recorded {
	uint32_t probe;
	pid_t pid, tid;
	const char *comm, *function;     /* raw bytes */
	uint64_t begun_ns, ended_ns;
	bool timed;              /* it has ended: it weighs what it took, and else 1 */
	const struct hitfields *fields;  /* of its arguments */
	const char *result;      /* "-22 (EINVAL)"; "" = not known */
	const char *place;       /* its last branch, "f+0x25 -> +0xcf"; "" = there is none */
};

/* Records C; R NULL = nothing. False when there was no room for it, or its begin is not known any more. */
bool branch_record_put(struct branch_record *r, const struct branch_recorded *c);

/* Writes what is left, when the capture has ended, and frees R in any case. 0, or a negative errno with a sentence. */
int branch_record_end(struct branch_record *r, struct recorder_saved *ret, struct err *e);

#endif
