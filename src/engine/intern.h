/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intern.h - from a walked chain and the kernel's addresses to one stack of the dictionary.
 *
 * Programs repeat themselves: most stacks were seen a moment ago. A small memo from the whole chain to its stack saves the two
 * look-ups per frame that interning takes. Its key is a 128-bit hash of every place in the chain: two different chains
 * share one with a probability of less than 10^-20 in a recording of a billion stacks. Where stacks do not repeat, their upper
 * parts do: what a thread had in common with its stack before is taken from there, frame by frame from the root.
 */
#ifndef SBERF_ENGINE_INTERN_H
#define SBERF_ENGINE_INTERN_H

#include "event/raw.h"
#include "profile/dict.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERN_MEMO 65536u               /* chains remembered; a power of two */

struct intern_slot {
	uint64_t a, b;                   /* the key; 0, 0 = free */
	stack_id stack;
};

#define INTERN_THREADS 16u               /* last stacks remembered, by thread; a power of two */
#define INTERN_DEPTH 192u                /* frames of each, from the root */

struct intern_recent {
	uint32_t n;
	enum cut_reason cut;
	struct frame frame[INTERN_DEPTH];        /* root first */
	stack_id stack[INTERN_DEPTH];            /* that end with each of them */
};

struct intern {
	struct dict *dict;
	module_id kernel;                /* the one MODULE_KERNEL */
	uint64_t text_base;              /* what kernel offsets are relative to */
	struct intern_slot memo[INTERN_MEMO];
	struct intern_recent recent[INTERN_THREADS];
	frame_id path[CHAIN_MAX];        /* of the stack at hand, root first */
	stack_id with[CHAIN_MAX];        /* that end with each of them */
};

/* False when out of memory. DICT must outlive IT. */
bool intern_init(struct intern *it, struct dict *dict, uint64_t text_base);

/*
 * The stack of C (when USER: the sample has a user side) with the kernel's side of S on top of it, root first. A chain that was
 * cut starts with the note of its reason. THREAD only makes it quick. ID_NONE when out of memory.
 */
stack_id intern_stack(struct intern *it, thread_id thread, const struct chain *c, const struct raw_sample *s, bool user);

#endif
