/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * intern.h - from a walked chain and the kernel's addresses to one stack of the dictionary.
 *
 * Programs repeat themselves: most stacks were seen a moment ago, and of the others most of the way from the root. A memo from the way
 * down to a frame to the stack that ends there saves the two look-ups that interning takes for each frame of it. Since the keys do not
 * depend on what was found before, all places of a stack in the memo are asked for at once, while looking up frame by frame waits for
 * memory each time. Keys are of 96 bits and of where they stand: two ways share one with a probability of less than 10^-18 in a
 * recording of a billion stacks.
 */
#ifndef SBERF_ENGINE_INTERN_H
#define SBERF_ENGINE_INTERN_H

#include "model/dict.h"
#include "model/raw.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

#define INTERN_MEMO 65536u               /* ways remembered; a power of two */
#define INTERN_DEPTH (2 * CHAIN_MAX)     /* frames of both sides at most */

struct intern_key {
	uint64_t a, b;
};

struct intern_slot {
	uint64_t a;                      /* the key; 0 for nothing */
	uint32_t b;                      /* its upper half; the lower one is where it stands */
	stack_id stack;
};

struct intern {
	struct dict *dict;
	module_id kernel;                /* the one MODULE_KERNEL */
	uint64_t text_base;              /* what kernel offsets are relative to */
	bool no_callers;                 /* one frame is all: the user's, or else the kernel's */
	struct intern_slot memo[INTERN_MEMO];
	/* Of the stack at hand, root first: */
	struct intern_key key[INTERN_DEPTH];     /* of the way down to each frame */
	frame_id path[INTERN_DEPTH];             /* of what was not remembered */
	stack_id with[INTERN_DEPTH];             /* that end with each of these */
};

/* False when out of memory. DICT must outlive IT. */
bool intern_init(struct intern *it, struct dict *dict, uint64_t text_base);

/*
 * The stack of C (when USER: the sample has a user side) with the kernel's side of S on top of it, root first. A chain that was
 * cut starts with the note of its reason. ID_NONE when out of memory.
 */
stack_id intern_stack(struct intern *it, const struct chain *c, const struct raw_sample *s, bool user);

#endif
