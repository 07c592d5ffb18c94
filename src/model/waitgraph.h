/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitgraph.h - who waits for whom: chains of threads, and cycles of them, which are deadlocks.
 *
 * A thread waits for one thing at most, and of that one holder at most is known, so from each wait
 * one *chain* leads on: to the wait of the holder, and so forth. It ends at a holder that does not
 * wait, at a lock whose holder is not known, or in a cycle. This is true of one moment: whoever fills
 * in the waits makes sure that they were all there at the same time.
 */
#ifndef SBERF_MODEL_WAITGRAPH_H
#define SBERF_MODEL_WAITGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAITGRAPH_NONE SIZE_MAX

struct waitgraph_wait {
	uint32_t waiter;         /* thread id */
	uint32_t holder;         /* thread id; 0 = not known */
	/* of waitgraph_link() */
	size_t next;             /* the wait of HOLDER; WAITGRAPH_NONE: it does not wait, or is not known */
	/*
	 * the wait at which the chain from here ends: its next is WAITGRAPH_NONE; of a chain that leads
	 * into a cycle, the wait of that cycle whose waiter has the lowest number
	 */
	size_t end;
	bool in_cycle;
	uint32_t behind;         /* waits whose next this is */
};

/* Links the N waits at W, which are in ascending order of WAITER, each thread once. In O(n log n), without memory. */
void waitgraph_link(struct waitgraph_wait *w, size_t n);

#endif
