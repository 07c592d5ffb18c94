/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest.h - turns raw events into unwound events: the middle of the engine, without threads or
 * clocks of its own.
 *
 * Samples, waits, faults and migrations come out with thread and stack; reconcile.h decides what
 * samples and waits weigh. A waker is remembered until the wait that it ended arrives.
 *
 * A sample whose stack passes through a module that is still being loaded is parked (copied) and
 * tried again when loads finish. Parking is bounded in bytes and time; a sample that is given up is
 * truncated with the reason not_loaded.
 */
#ifndef SBERF_ENGINE_INGEST_H
#define SBERF_ENGINE_INGEST_H

#include "base/err.h"
#include "capture/rulebook.h"
#include "capture/source.h"
#include "engine/event_sink.h"
#include "engine/scripts.h"
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
	uint64_t wait_cut[CUT_NR];       /* of them, truncated ones by reason */
	struct unwound unwound;          /* user_samples and wait_stacks by way of unwinding */
	struct unwound wait_unwound;     /* of these, the wait_stacks */
	uint64_t verified;       /* of WAY_KERNEL: also copied, and walked to the root again */
	uint64_t unverified;     /* also copied, but the copy did not lead to the root */
	uint64_t different[VERIFY_NR];   /* of verified, by the kind of difference */
	uint64_t rule_bytes;     /* memory of the unwinder's rules */
	uint64_t extended;       /* stacks whose upper part was read from outside */
	uint64_t parked;         /* samples and waits now parked, for a module or for their upper part */
	uint64_t no_memory;      /* events dropped because memory ran out */
	uint64_t scripts_left;   /* stacks with frames of an interpreter that nobody can name: of a replay */
};

struct ingest_config {
	struct processes *ps;            /* must outlive the ingest, like the next three */
	struct dict *dict;
	struct event_sink *sink;         /* gets the result of each raw event */
	/* is asked for more of a stack, and told how much of it to copy; NULL: neither */
	struct source *source;
	bool waits;                      /* process waits and their wakers; else they are ignored */
	bool numa;                       /* the same for page faults and migrations */
	bool stack_fixed;                /* do not learn how much of a stack to copy (stacksize.h) */
	uint32_t stack_bytes;            /* size of a first copy */
	bool of_now;                     /* processes are those of this machine, now: /proc tells of their memory */
	bool tables_only;                /* --call-graph force */
	bool no_callers;                 /* --call-graph off */
	struct scripts *scripts;         /* puts frames of scripts into stacks; NULL = nobody does */
	struct rulebook *book;           /* receives rules for the kernel half; NULL = it does not unwind */
};

/* On success *RET is the caller's; else a negative errno with a sentence. */
int ingest_new(const struct ingest_config *c, struct ingest **ret, struct err *e);
/* NULL is fine; parked samples are dropped: call ingest_settle() first */
void ingest_free(struct ingest *in);

/*
 * Begins to complete stacks that the kernel half could not read to their end, on machines where
 * this is known to happen (stack_completion.h). Call it on the thread that makes all further calls.
 */
void ingest_begin(struct ingest *in);
/* Ends the completion of stacks; on the same thread. */
void ingest_end(struct ingest *in);

/* Processes EV. A raw_fn: IN is the struct ingest. */
void ingest_raw(void *in, const struct raw_event *ev);

/*
 * Teaches the kernel half the memory of EV at once. A source_stranger_fn: IN is the struct ingest.
 */
uint64_t ingest_stranger(void *in, const struct raw_event *ev);

/*
 * Retries parked samples after loads have finished, and gives up those that have waited too long at
 * NOW_NS.
 */
void ingest_retry(struct ingest *in, uint64_t now_ns);
/* Finishes every parked sample with what is known now. */
void ingest_settle(struct ingest *in);

/* Number of events since the last call from which rules were taught to the kernel half. */
uint32_t ingest_lessons(struct ingest *in);

void ingest_figures(const struct ingest *in, struct ingest_figures *ret);

DEFINE_AUTO(ingest_free, struct ingest);

#endif
