/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstacks.h - keeps each different kernel stack of waits under way once.
 *
 * Threads wait in few places of the kernel: ten thousand of them share some dozens of stacks. These
 * are kept until the capture ends.
 */
#ifndef SBERF_CAPTURE_KSTACKS_H
#define SBERF_CAPTURE_KSTACKS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

#include <stdint.h>

#define KSTACKS_MAX 16384u       /* different stacks that are kept at most */

struct kstack;

/* A set of stacks. All zero is an empty set. */
struct kstacks {
	struct arena arena;
	VEC(const struct kstack *) list;
	struct hidx index;
};

/*
 * Returns the kept copy of the N addresses at ADDR, valid until kstacks_free(). NULL when N is 0,
 * when memory is out, or when KSTACKS_MAX others are kept.
 */
const uint64_t *kstacks_keep(struct kstacks *k, const uint64_t *addr, uint32_t n);
void kstacks_free(struct kstacks *k);

#endif
