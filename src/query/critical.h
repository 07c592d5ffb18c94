/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * critical.h - the critical path of a span: what the time from its beginning to its end was needed for.
 *
 * A span is a stretch of time of one thread, as a call of a probe. From its end on it is followed back: while the
 * thread ran its samples say where; while it stood in the run queue it was that; and while it waited, it is the
 * thread that ended the wait that is followed back from that moment on, or, where that is not known, the one that
 * held the lock, down to the moment at which the wait began. What that thread waited for is followed in the same
 * way. Waits that a device, a timer or a thread outside of the recording ended are that. So each moment of the span
 * has exactly one cause, and the causes add up to it.
 *
 * They are a tree: below a wait stands a note, "[woken by worker, which ran]", and below that where that was. Of
 * threads that have a lock one after the other while somebody waits for it, each stands below that wait, not below
 * the next one. What is not known is a line of its own, with a note that says why.
 */
#ifndef SBERF_QUERY_CRITICAL_H
#define SBERF_QUERY_CRITICAL_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/names.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct critical;

/* Why time of a path is not known. */
enum critical_unknown {
	CRITICAL_WAKER,          /* nobody is known to have ended a wait */
	CRITICAL_BRIEF,          /* waits that were too short to be told one by one */
	CRITICAL_NOTHING,        /* nothing is known of the thread then */
	CRITICAL_UNKNOWNS
};

struct critical_figures {
	uint64_t spans, ns;
	uint64_t ran_ns, queued_ns;      /* of it: running, in the run queue; the rest is waits */
	uint64_t unsampled_ns;           /* of what ran: without a sample that says where */
	uint64_t unknown_ns[CRITICAL_UNKNOWNS];
};

/*
 * For the profile P, which critical_write() replaces; ARCH is profile_meta.arch. They and NAMES must outlive it and
 * have no other writer. NULL when out of memory.
 */
struct critical *critical_new(struct profile *p, struct names *names, const char *arch);
void critical_free(struct critical *c);          /* NULL is fine */

/* Takes EV, one of the events that P was made of, in any order. False when out of memory. */
bool critical_event(struct critical *c, const struct event *ev);

/* Call once all have been taken, before what follows. False when out of memory. */
bool critical_ready(struct critical *c);
/* The time of which events are known. False: there are none. */
bool critical_time(const struct critical *c, uint64_t *ret_from_ns, uint64_t *ret_to_ns);
/* The latest thread with the number TID that began before NS; ID_NONE. */
thread_id critical_thread(const struct critical *c, uint32_t tid, uint64_t ns);

/* Adds a span of THREAD, an id of P's dictionary, that is in the time that is known. False when out of memory. */
bool critical_span(struct critical *c, thread_id thread, uint64_t from_ns, uint64_t to_ns);
/* The same for as much of that time as anything is known of THREAD. */
bool critical_life(struct critical *c, thread_id thread, uint64_t from_ns, uint64_t to_ns);
/* How many have been added. */
uint64_t critical_spans(const struct critical *c);
/* Keeps the N longest spans alone; 0 = all. */
void critical_keep_slowest(struct critical *c, uint64_t n);

/*
 * Replaces what P holds by the paths of all spans, each under its thread: running time, time in the run queue and
 * blocked time of those who were waited for. 0 with *RET, or -ENOMEM with a sentence: P holds nothing or a part then.
 */
int critical_write(struct critical *c, struct critical_figures *ret, struct err *e);

DEFINE_AUTO(critical_free, struct critical);

#endif
