/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kstacks.h - kernel stacks of waits under way, each different one once.
 *
 * Threads wait in few places of the kernel: ten thousand of them share some dozens of stacks, which are kept as long as the capture lasts.
 */
#ifndef SBERF_CAPTURE_KSTACKS_H
#define SBERF_CAPTURE_KSTACKS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

#include <stdint.h>

#define KSTACKS_MAX 16384u       /* different ones that are kept */

struct kstack;

/* Zeroed, it is empty. */
struct kstacks {
	struct arena arena;
	VEC(const struct kstack *) list;
	struct hidx index;
};

/* The N addresses at ADDR as they are kept, until kstacks_free(). NULL when N is 0, out of memory, or with too many others. */
const uint64_t *kstacks_keep(struct kstacks *k, const uint64_t *addr, uint32_t n);
void kstacks_free(struct kstacks *k);

#endif
