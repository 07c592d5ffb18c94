/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intern.h - turns a walked chain and the kernel's addresses into one stack of the dictionary.
 *
 * Programs repeat themselves: most stacks were seen a moment ago, and the others share most frames
 * from the root. Interning takes two look-ups for each frame. A memo from the path down to a frame
 * to the stack that ends there saves them. A key does not depend on what was found before, so all
 * memo slots of a stack are prefetched at once, while look-ups frame by frame would each wait for
 * memory. A key has 96 bits besides its slot number: in a recording of a billion stacks two paths
 * share one with a probability below 10^-18.
 */
#ifndef SBERF_ENGINE_INTERN_H
#define SBERF_ENGINE_INTERN_H

#include "model/dict.h"
#include "model/raw.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERN_MEMO 65536u               /* remembered paths; a power of two */
#define INTERN_DEPTH (2 * CHAIN_MAX)     /* frames of user and kernel side together, at most */

struct intern_key {
	uint64_t a, b;
};

struct intern_slot {
	uint64_t a;                      /* lower part of the key; 0 = free */
	uint32_t b;                      /* upper part of the key; the rest is the slot number */
	stack_id stack;
};

struct intern {
	struct dict *dict;
	module_id kernel;                /* the one MODULE_KERNEL */
	uint64_t text_base;              /* what kernel offsets are relative to */
	bool no_callers;                 /* keep one frame only: the innermost user frame, else the kernel's */
	struct intern_slot memo[INTERN_MEMO];
	/* The present stack, root first: */
	struct intern_key key[INTERN_DEPTH];     /* of the path down to each frame */
	frame_id path[INTERN_DEPTH];             /* frames of the part that was not remembered */
	stack_id with[INTERN_DEPTH];             /* the stacks that end with them */
};

/* Initialises IT. DICT must outlive it. False when out of memory. */
bool intern_init(struct intern *it, struct dict *dict, uint64_t text_base);

/*
 * Returns the stack of C (only if USER: the sample has a user side) with the kernel side of S on
 * top, root first. A truncated chain starts with a note of its reason. ID_NONE when out of memory.
 */
stack_id intern_stack(struct intern *it, const struct chain *c, const struct raw_sample *s, bool user);

#endif
