/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * holderparts.h - divides a wait for a lock among what the holder of that did meanwhile; and one for a pipe or a socket
 * among what the process at its other end did.
 *
 * What it did is known by slices of time: samples, waits for other things and time in the run queue of the
 * slice that the wait is in, by how long each was, but not its own waits for that lock. A holder that waited for
 * another lock is followed to the holder of that, down to eight; where the chain comes back to a thread it ends.
 * So the parts of a wait add up to it. A part is told as a path: notes and stacks below the place of the wait.
 * Private to queries.
 */
#ifndef SBERF_QUERY_HOLDERPARTS_H
#define SBERF_QUERY_HOLDERPARTS_H

#include "query/filter.h"

#include <stdbool.h>
#include <stdint.h>

#define HOLDERS_DEEP 8u          /* holders one behind the other */

/* What is known of a holder: what a note says. */
enum holder_how {
	HOLDER_RAN,              /* below it stand its samples, */
	HOLDER_WAITED,           /* its waits, */
	HOLDER_WAS_STOPPED,      /* those in which it was stopped, */
	HOLDER_QUEUED,           /* what it was about in the run queue, */
	HOLDER_LET_GO,           /* where it woke who waited, as nothing else is known of it */
	HOLDER_NOT_KNOWN,        /* nothing: nothing of it is known, or it is too little to be told */
	HOLDER_ABOVE,            /* nothing: it stands above as one who waits */
	HOLDER_HOWS,
	HOLDER_OTHER_END = 0x80  /* with one of these: it holds nothing, but is at the other end of a pipe or socket */
};

/*
 * "[held by worker, which ran]", "[other end: worker, which ran]": the text of a note about HOLDER, one of D,
 * sanitised. Returns DST.
 */
char *holder_note(const struct dict *d, thread_id holder, enum holder_how how, char *dst, size_t size);

/* Where parts go. A place is any number of the receiver's. */
struct holder_sink {
	/* The place of a note below AT; DEPTH 1 = the holder of the wait itself. */
	uint32_t (*note)(void *ctx, uint32_t at, thread_id holder, enum holder_how how, unsigned int depth);
	uint32_t (*stack)(void *ctx, uint32_t at, stack_id stack);       /* the place of STACK below AT */
	/* NS of the wait are spent at AT; FIRST: it is the first part of it. */
	void (*tell)(void *ctx, uint32_t at, uint64_t ns, bool first);
	void *ctx;
};

struct holder_activity;
struct holder_parts;

/* Of S in the time that Q asks for, whatever else it asks; S and NAMES must outlive it. NULL when out of memory. */
struct holder_parts *holder_parts_new(const struct snapshot *s, const struct names *names, const struct query *q);
void holder_parts_free(struct holder_parts *p);          /* NULL is fine */

/*
 * Who held the lock that F waits for, or, where that is not known, ended the wait; of pipes and sockets who ended it,
 * or made the other end. *RET_LOCK: which, NULL = it waits for none. ID_NONE.
 */
thread_id holder_parts_holder(const struct holder_parts *p, const struct fact *f, const struct held_lock **ret_lock);
/* Tells TO the parts of F, a wait of slice number SLICE whose holder is known and is not the one who waits. */
void holder_parts_divide(struct holder_parts *p, const struct fact *f, size_t slice, uint32_t at,
			 const struct holder_sink *to);

DEFINE_AUTO(holder_parts_free, struct holder_parts);

#endif
