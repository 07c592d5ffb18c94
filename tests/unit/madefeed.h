/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madefeed.h - what a terminal view is fed with, made by hand: a profile (made.h), the figures of
 * the header, and switches.
 */
#ifndef SBERF_TESTS_UNIT_MADEFEED_H
#define SBERF_TESTS_UNIT_MADEFEED_H

#include "tests/unit/made.h"
#include "ui/ui.h"

#include <pthread.h>

#define MADE_START_NS 1000000000000ull   /* when the made captures begin, CLOCK_MONOTONIC */

struct made_feed {
	struct feed feed;                /* ctx is the made_feed */
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
void madefeed_init(struct made_feed *f);
void madefeed_free(struct made_feed *f);

/*
 * Adds N samples of 10 ms each at SECOND of the capture, in the main thread of "app 7", and counts
 * them in the figures.
 */
void madefeed_add(struct made_feed *f, unsigned int second, const char *stack, unsigned int n);

/* A profile like a small server: 60 seconds, 1,000 samples, deep and wide parts, kernel, JIT, cuts, two processes. */
void madefeed_server(struct made_feed *f);
/* N samples more of it at SECOND, all in processCommand. */
void madefeed_grow(struct made_feed *f, unsigned int second, unsigned int n);
/*
 * The same server with its waits followed, 60 seconds of each of its 7 threads: a main loop that
 * waits for events, writes that often block shortly (told by a few that stand for the others), an
 * fsync thread, workers of a pool that idle and have not been woken yet, a client that waits for
 * answers and knows who gives them.
 */
void madefeed_off_cpu(struct made_feed *f);
/*
 * Two threads of "app 7" that have been waiting for each other's lock for SECONDS, and a third that
 * waits for their end. The capture is as long.
 */
void madefeed_deadlock(struct made_feed *f, unsigned int seconds);
/* "app 7" with one thread that sleeps, for SECONDS up to now. */
void madefeed_sleeper(struct made_feed *f, unsigned int seconds);

/*
 * Names from hell: escape sequences, newlines, right-to-left marks, broken UTF-8, wide and 4-byte
 * characters, long ones.
 */
void madefeed_hostile(struct made_feed *f);

#endif
