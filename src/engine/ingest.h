/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest.h - raw events in, unwound events out: the middle of the engine, without threads or clocks of its own.
 *
 * Samples, waits, faults and migrations come out with thread and stack; what the first two weigh is for others to say
 * (reconcile.h). Who wakes is remembered until the wait that it ended comes.
 *
 * A sample whose stack runs into a module that is still being loaded is parked (copied) and tried again when loads finish.
 * Parking is bounded in bytes and time; what must be given up is cut as not_loaded.
 */
#ifndef SBERF_ENGINE_INGEST_H
#define SBERF_ENGINE_INGEST_H

#include "base/err.h"
#include "capture/rulebook.h"
#include "engine/event_sink.h"
#include "model/event.h"
#include "model/method.h"
#include "model/raw.h"
#include "process/process.h"
#include "profile/profile.h"

struct ingest;

struct ingest_figures {
	uint64_t samples, user_samples;
	uint64_t cut[CUT_NR];            /* of user_samples */
	uint64_t wait_stacks;            /* stacks of waits with a user side */
	uint64_t wait_cut[CUT_NR];       /* of them */
	struct unwound unwound;          /* user_samples and wait_stacks by their ways */
	struct unwound wait_unwound;     /* of these: wait_stacks */
	uint64_t verified;       /* of WAY_KERNEL: copied too, and walked to the root again */
	uint64_t unverified;     /* of them: the copy did not lead to the root */
	uint64_t different[VERIFY_NR];   /* of verified, by how they differ */
	uint64_t rule_bytes;     /* memory of the unwinder's own rules */
	uint64_t extended;       /* stacks whose upper part was read from outside */
	uint64_t parked;         /* samples and waits waiting for a module, or for that, now */
	uint64_t no_memory;      /* events dropped because memory ran out */
};

struct ingest_config {
	struct processes *ps;            /* these three must outlive the ingest */
	struct dict *dict;
	struct event_sink *sink;         /* gets what has become of each raw event */
	bool waits;                      /* waits and their wakers are wanted: else they are ignored */
	bool numa;                       /* the same for faults and migrations */
	/*
	 * The stack of RAW, a RAW_WAIT_STACK that was read from outside (raw_sample.outside), goes on behind what was read. True: RAW comes
	 * again, with more of it, and is nothing yet. NULL: there is no more to be had.
	 */
	bool (*further)(void *ctx, const struct raw_event *raw);
	/* The stacks of EXE_ID need BYTES copied (stacksize.h), told on the thread that calls, with CTX; NULL = do not learn. */
	void (*set_stack_cap)(void *ctx, uint64_t exe_id, uint32_t bytes);
	uint32_t stack_bytes;            /* copied at first */
	bool tables_only;                /* --call-graph force */
	bool no_callers;                 /* --call-graph off */
	struct rulebook *book;           /* what the kernel half is taught; NULL = it walks by no rules */
	void *ctx;
};

int ingest_new(const struct ingest_config *c, struct ingest **ret, struct err *e);
void ingest_free(struct ingest *in);     /* NULL is fine; parked samples are dropped: ingest_settle() first */

/*
 * Begins to complete stacks that the kernel half could not read to their end, where that is known to happen (stack_completion.h). On the
 * thread that makes all further calls.
 */
void ingest_begin(struct ingest *in);
/* Ends that, on the same thread. */
void ingest_end(struct ingest *in);

/* A raw_fn: applies EV. CTX is the struct ingest. */
void ingest_raw(void *in, const struct raw_event *ev);

/* A source_stranger_fn: has the memory that EV is of taught at once. CTX is the struct ingest. */
uint64_t ingest_stranger(void *in, const struct raw_event *ev);

/* Tries parked samples again after loads have finished, and gives up on those that have waited too long at NOW_NS. */
void ingest_retry(struct ingest *in, uint64_t now_ns);
/* Finishes every parked sample with what is known. */
void ingest_settle(struct ingest *in);

/* Events from which the kernel half was taught rules since this was asked last. */
uint32_t ingest_lessons(struct ingest *in);

void ingest_figures(const struct ingest *in, struct ingest_figures *ret);

DEFINE_AUTO(ingest_free, struct ingest);

#endif
