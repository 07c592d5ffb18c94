/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest.h - raw events in, unwound events out: the middle of the engine, without threads or clocks of its own.
 *
 * A sample whose stack runs into a module that is still being loaded is parked (copied) and tried again when loads finish.
 * Parking is bounded in bytes and time; what must be given up is cut as not_loaded.
 */
#ifndef SBERF_ENGINE_INGEST_H
#define SBERF_ENGINE_INGEST_H

#include "base/err.h"
#include "event/event.h"
#include "event/raw.h"
#include "process/process.h"
#include "profile/profile.h"

struct ingest;

struct ingest_figures {
	uint64_t samples, user_samples;
	uint64_t cut[CUT_NR];
	uint64_t weight_ns;
	uint64_t parked;         /* samples waiting for a module now */
	uint64_t no_memory;      /* events dropped because memory ran out */
};

/* Callbacks are made on the thread that calls ingest_*(), with CTX. */
struct ingest_config {
	struct processes *ps;            /* both must outlive the ingest */
	struct profile *profile;
	/* Gets every event after the profile has counted it; may be NULL. */
	void (*each)(void *ctx, const struct event *ev);
	/* The stacks of EXE_ID need BYTES copied (stacksize.h); NULL = do not learn. */
	void (*set_stack_cap)(void *ctx, uint64_t exe_id, uint32_t bytes);
	uint32_t stack_bytes;            /* copied at first */
	void *ctx;
};

int ingest_new(const struct ingest_config *c, struct ingest **ret, struct err *e);
void ingest_free(struct ingest *in);     /* NULL is fine; parked samples are dropped: ingest_settle() first */

/* A raw_fn: applies EV. CTX is the struct ingest. */
void ingest_raw(void *in, const struct raw_event *ev);

/* Tries parked samples again after loads have finished, and gives up on those that have waited too long at NOW_NS. */
void ingest_retry(struct ingest *in, uint64_t now_ns);
/* Finishes every parked sample with what is known. */
void ingest_settle(struct ingest *in);

void ingest_figures(const struct ingest *in, struct ingest_figures *ret);

DEFINE_AUTO(ingest_free, struct ingest);

#endif
