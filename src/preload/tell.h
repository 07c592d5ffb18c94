/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tell.h - what functions that allocate and free have in common: they tell of sampled blocks where they stand, so
 * that stacks begin with them.
 */
#ifndef SBERF_PRELOAD_TELL_H
#define SBERF_PRELOAD_TELL_H

#include "preload/note.h"
#include "preload/sampled.h"

#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The block at P, NULL where there is none, was allocated. In its own function, so that stacks begin there. */
#define ALLOCATED(p, size) \
	do { \
		if (LIKELY(p) && sampler_due(size)) { \
			const uint64_t bytes_ = sampler_take(p, size); \
			if (bytes_) \
				TELL_ALLOCATED(p, size, bytes_); \
		} \
	} while (0)

/* The block that is, or was, at P may be known, and is freed. */
void tell_freed(uintptr_t p, bool temporary);

/* malloc() of the next library that has it. */
const void *next_malloc(void);

#endif
