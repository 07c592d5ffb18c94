/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madesession.h - what a terminal view is fed with, made by hand: a profile (made.h), the figures of
 * the header, and switches.
 */
#ifndef SBERF_TESTS_UNIT_MADESESSION_H
#define SBERF_TESTS_UNIT_MADESESSION_H

#include "tests/unit/made.h"
#include "ui/ui.h"

#include <pthread.h>

#define MADE_START_NS 1000000000000ull   /* when the made captures begin, CLOCK_MONOTONIC */

struct made_session {
	struct session session;                /* ctx is the made_session */
	struct made m;
	pthread_mutex_t lock;            /* of all below and of writing to m */
	struct profile_meta meta;
	bool silent;                     /* there is no snapshot yet */
	bool ended;
	uint64_t published;
	unsigned int resets;
	bool wakers;                     /* the view asked for them */
	bool numa;                       /* ... for accesses and faults, */
	unsigned int numa_calls;         /* so often */
	frame_id preferred[256];         /* the last ones that the view asked for */
	size_t n_preferred;
};

/* A running target "app 7" without samples. */
void madesession_init(struct made_session *f);
void madesession_free(struct made_session *f);

/*
 * Adds N samples of 10 ms each at SECOND of the capture, in the main thread of "app 7", and counts
 * them in the figures.
 */
void madesession_add(struct made_session *f, unsigned int second, const char *stack, unsigned int n);

/* A profile like a small server: 60 seconds, 1,000 samples, deep and wide parts, kernel, JIT, cuts, two processes. */
void madesession_server(struct made_session *f);
/* N samples more of it at SECOND, all in processCommand. */
void madesession_grow(struct made_session *f, unsigned int second, unsigned int n);
/*
 * The same server with its waits followed, 60 seconds of each of its 7 threads: a main loop that
 * waits for events, writes that often block shortly (told by a few that stand for the others), an
 * fsync thread, workers of a pool that idle and have not been woken yet, a client that waits for
 * answers and knows who gives them.
 */
void madesession_off_cpu(struct made_session *f);
/*
 * Two threads of "app 7" that have been waiting for each other's lock for SECONDS, and a third that
 * waits for their end. The capture is as long.
 */
void madesession_deadlock(struct made_session *f, unsigned int seconds);
/*
 * Beside what is there, in "redis-server" that has its waits followed: a mutex that three threads take in turns, one of
 * them now, a rwlock with a writer, a condition without holders, and two threads that wait for each other's mutex.
 */
void madesession_locks(struct made_session *f);
/* "web 4711" in the container shop/api-7f/api, which has not enough of a CPU, woken or not, nor of memory. */
void madesession_limits(struct made_session *f, unsigned int seconds);
/* "app 7" with one thread that sleeps, for SECONDS up to now. */
void madesession_sleeper(struct made_session *f, unsigned int seconds);

/*
 * Beside what is there 30 seconds of memory in "redis-server": a site that leaks 1 MB a second, one whose entries
 * live for a second, and one whose replies are freed at once.
 */
void madesession_memory(struct made_session *f);
/* The same of memory that grows: 24 MB in 8 seconds at one place, and a buffer that is returned again and again. */
void madesession_growth(struct made_session *f);

/*
 * Names from hell: escape sequences, newlines, right-to-left marks, broken UTF-8, wide and 4-byte
 * characters, long ones.
 */
void madesession_hostile(struct made_session *f);

#endif
