/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle.h - stacks that wait on a condition or a semaphore, told by the names of their innermost functions. Private to queries.
 *
 * A futex is a lock or the inside of something that waits for work; the kernel sees no difference, the program's stack shows
 * it. Names that are not known yet tell nothing: such a stack is one that waits for a lock until they are.
 */
#ifndef SBERF_QUERY_IDLE_H
#define SBERF_QUERY_IDLE_H

#include "model/dict.h"
#include "model/names.h"

#include <stdbool.h>
#include <stdint.h>

/* Of user functions, from the system call outwards: as far as the condition may be, and as far as a lock built on it. */
#define IDLE_CONDITION_DEPTH 6u
#define IDLE_LOCK_DEPTH 8u

/* What has been found out already. */
struct idle_memo {
	const struct dict *d;
	const struct names *names;
	uint32_t funcs;
	uint8_t *func;           /* by func_id */
	uint8_t *stack;          /* by stack_id */
};

/* False when out of memory. */
bool idle_init(struct idle_memo *m, const struct dict *d, const struct names *names);
void idle_free(struct idle_memo *m);             /* zeroed is fine */

/*
 * Whether STACK, in a futex wait, waits on a condition or semaphore, and not for a lock that is made of these (the lock of a
 * Python interpreter, a monitor of Java, a lock inside of Go's runtime).
 */
bool idle_stack(struct idle_memo *m, stack_id stack);

/* The same of a function by its name alone. */
bool idle_condition_name(const char *name);

#endif
