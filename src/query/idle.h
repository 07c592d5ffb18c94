/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle.h - recognises stacks that wait on a condition or a semaphore by the names of their
 * innermost functions. Private to queries and to
 * session/when.c.
 *
 * A futex may be a lock, or part of something that waits for work; the kernel cannot tell them
 * apart, but the stack of the program can. While names are not known, a stack counts as waiting for
 * a lock.
 */
#ifndef SBERF_QUERY_IDLE_H
#define SBERF_QUERY_IDLE_H

#include "model/dict.h"
#include "model/names.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * User functions looked at, from the system call outwards: for a condition, and for a lock built on
 * one.
 */
#define IDLE_CONDITION_DEPTH 6u
#define IDLE_LOCK_DEPTH 8u

/* Results so far. */
struct idle_memo {
	const struct dict *d;
	const struct names *names;
	uint32_t funcs;
	uint8_t *func;           /* by func_id */
	uint8_t *stack;          /* by stack_id */
};

/* Initialises M. False when out of memory. */
bool idle_init(struct idle_memo *m, const struct dict *d, const struct names *names);
void idle_free(struct idle_memo *m);             /* zeroed is fine */

/*
 * Whether STACK, in a futex wait, waits on a condition or semaphore, rather than for a lock that is
 * built from one (the lock of a Python interpreter, a Java monitor, a lock inside Go's runtime).
 */
bool idle_stack(struct idle_memo *m, stack_id stack);

#endif
