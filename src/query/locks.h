/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks.h - who made others wait: locks by the time that threads waited for them, and who held them.
 *
 * The kind of a lock follows from the functions on the stacks of those who waited, and a holder is
 * believed only when they agree with the layout in which it was found (model/lock.h). It is the thread
 * that held the lock when the wait began. Where none is known the thread that ended the wait stands for
 * it, *inferred*, if that was recorded. Time is that until somebody was woken; from then on until it ran
 * is *handing over*. Pure.
 */
#ifndef SBERF_QUERY_LOCKS_H
#define SBERF_QUERY_LOCKS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/keyed.h"
#include "model/lock.h"
#include "model/waitgraph.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the stack of a holder is from. */
enum holder_stack {
	HOLDER_UNKNOWN,          /* there is none */
	HOLDER_WAITS,            /* the wait that it is in now, while somebody waits for it */
	HOLDER_STOPPED,          /* the same, and it cannot run until it is continued */
	HOLDER_BESIDE,           /* where it spent most of the slice of time in which most waited for it */
	HOLDER_RELEASED,         /* where it ended waits */
};

struct lock_holder {
	uint32_t lock;           /* in locks.lock */
	thread_id thread;        /* ID_NONE = not known */
	bool inferred;
	uint32_t readers;        /* of an rwlock that nobody writes, the most; THREAD is not known then */
	uint64_t ns, count;      /* waits for it */
	enum holder_stack how;
	stack_id stack;
	/*
	 * priority inversion: so long threads of a higher priority waited for it, and about so long of that it was in
	 * the run queue; and the priorities (lock_priority_text()) of one of those waits
	 */
	uint64_t inverted_ns, inverted_queued_ns;
	uint16_t waiter_prio, holder_prio;
};

/*
 * A convoy: seconds in which on average LOCK_CONVOY_QUEUE threads or more waited for a lock at any moment, and in which
 * it went from hand to hand every LOCK_CONVOY_TURN_NS or faster. The threads spend their time on switches then.
 */
#define LOCK_CONVOY_QUEUE 1.5
#define LOCK_CONVOY_TURN_NS 200000u
struct lock_convoy {
	uint64_t ns;             /* that these seconds have; 0 = there is none */
	uint64_t waited_ns, hand_over_ns, count; /* what was waited for the lock in them, as in struct lock_row */
};

struct lock_row {
	uint32_t pid;            /* whose memory it is in */
	uint64_t address;        /* 0: waits on futexes of which nothing more is known */
	enum lock_kind kind;
	stack_id place;          /* what memory that is, as in struct held_lock */
	uint32_t offset;         /* modulo 2^32 */
	uint64_t ns, hand_over_ns, count, longest_ns;
	struct lock_convoy convoy;
	uint32_t waiters;        /* threads */
	uint32_t waiting;        /* now */
	stack_id stack;          /* where most was waited for it */
	uint32_t first_holder, nr_holders;       /* in locks.holder, by falling time */
	uint32_t first_place, nr_places;         /* in locks.place, the same */
};

/* Where threads wait for a lock: stacks that read the same are one place. */
struct lock_place {
	uint32_t lock;           /* in locks.lock */
	stack_id stack;          /* where most was waited of these */
	uint64_t ns;
	uint64_t reading;        /* stack_signature_hash() */
};

/* Threads that wait for locks now, in the order of locks.wait. */
struct lock_wait {
	thread_id thread;
	uint32_t lock;           /* in locks.lock */
	stack_id stack;
	uint64_t waited_ns;
};

struct locks {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct lock_row *lock;   /* by falling time */
	uint32_t nr_locks;
	struct lock_holder *holder;
	uint32_t nr_holders;
	struct lock_place *place;
	uint32_t nr_places;
	struct waitgraph_wait *wait;     /* linked; holders that are inferred are left out */
	struct lock_wait *of;    /* of each of these */
	uint32_t nr_waits;
	uint64_t ns;             /* of all rows */
};

/* What the functions of a stack say, remembered by stack. Zero it; free it with keyed_free(). */
struct stack_kind {
	stack_id stack;
	uint32_t kind;           /* enum lock_kind; LOCK_NONE = it has not been looked at */
};
typedef KEYED(struct stack_kind) stack_kinds;

/*
 * The kind of LOCK, for which a thread waited at STACK: what is known of the lock itself, else what the functions of
 * the stack say; LOCK_FUTEX = neither does. What stacks say is remembered in MEMO, LOCK_NONE = out of memory, unless
 * that is NULL.
 */
enum lock_kind locks_wait_kind(const struct dict *d, const struct names *names, stack_kinds *memo, stack_id stack,
			       lock_id lock);
/* Does a wait in CALL, on a machine of ARCH, wait for a lock: on a futex, or for LOCK of the kernel, which is known? */
bool locks_is_wait(const struct dict *d, uint32_t call, lock_id lock, const char *arch);
/* Is LOCK a pipe or a socket? Waits for these are in the list of locks, by who is at the other end. */
bool locks_is_channel(const struct dict *d, lock_id lock);
/* Who held LOCK, for which a wait of that KIND was; ID_NONE = not known. */
thread_id locks_told_holder(const struct dict *d, lock_id lock, enum lock_kind kind);
/*
 * Who held the lock of W, of KIND, or made it free; *RET_INFERRED says which. One of the first THREADS of D, as it may
 * have grown; ID_NONE = not known, or several read it.
 */
thread_id locks_holder(const struct dict *d, const struct wait *w, enum lock_kind kind, size_t threads,
		       bool *ret_inferred);

/* The locks of S that Q asks for, to *RET; S and NAMES must outlive it. -ENOMEM. */
int locks_build(const struct snapshot *s, const struct names *names, const struct query *q, struct locks **ret,
		struct err *e);
void locks_free(struct locks *l);                /* NULL is fine */

/* False when nothing is known of who held lock number LOCK. */
bool locks_has_holders(const struct locks *l, uint32_t lock);

/* Labels, sanitised, to DST, which they return. */

/*
 * What lock number LOCK is called: "mutex db_lock+0x28", "mutex in a block of db_new+0x28" (the function that allocated
 * it), "mutex 0x5580" where nothing is known of its place, "futexes of which nothing more is known".
 */
char *lock_label(const struct locks *l, uint32_t lock, char *dst, size_t size);
/* "worker 1235": the thread with the number TID, one that waits or holds something now. */
char *lock_thread_label(const struct locks *l, uint32_t tid, char *dst, size_t size);
/*
 * "held by worker 1235, waits now", "ended by worker 1235 (inferred), released in", "holder not known"; of pipes and
 * sockets "other end: worker 1235": no stack.
 */
char *lock_holder_label(const struct locks *l, const struct lock_holder *h, char *dst, size_t size);
/* ", held by ", or what else stands between wait number WAIT of l->wait and its holder. */
const char *lock_held_words(const struct locks *l, size_t wait);
/* What is wrong with how it is waited for lock number LOCK: "convoy: 5.5 threads wait, ..."; "" = nothing. */
char *lock_convoy_label(const struct locks *l, uint32_t lock, char *dst, size_t size);
/* The same for H: "priority inversion: ..."; "" = there was none. */
char *lock_inversion_label(const struct lock_holder *h, char *dst, size_t size);
/* "db_lock+0x28" of the place of a lock (struct held_lock); "" = not known. */
char *lock_place_label(const struct dict *d, const struct names *names, stack_id place, uint32_t offset, char *dst,
		       size_t size);
/*
 * "a_then_b › main": STACK as lists of waits have it. TAKES: without the functions of libc and runtimes that take a
 * lock for the others.
 */
char *locks_stack_label(const struct locks *l, stack_id stack, bool takes, char *dst, size_t size);
/* Where the functions of that begin: its frame, or STACK_ROOT, and *RET_NAME of its names (wait_first of waits.h). */
stack_id locks_stack_first(const struct locks *l, stack_id stack, bool takes, uint32_t *ret_name);

DEFINE_AUTO(locks_free, struct locks);

#endif
