/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled.h - which blocks are sampled, and which of those live.
 *
 * Each byte that is allocated is picked with a probability of one in an interval, and a block of which one
 * was picked is sampled. A thread counts down bytes to the next one picked, so that for a block which is not
 * sampled a subtraction and a test are all there is. The interval is in SBERF_MEMORY_SAMPLE_BYTES, in bytes,
 * 524288 where that is not set; 1 samples every block.
 *
 * Sampled blocks are in a table without locks, so a signal handler may allocate and a process may fork at any
 * time. Before it stands a filter of a byte for each of many hashes: a block whose byte is 0 was not sampled.
 * Where the table has no room for a block, its byte stays set for good: then every block with that hash may
 * have been sampled, and whoever looks at the probes has to know better.
 */
#ifndef SBERF_PRELOAD_SAMPLED_H
#define SBERF_PRELOAD_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_BYTES (1u << 17)

struct sampler_thread {
	int64_t left;            /* bytes to the next one picked */
	uint64_t random;         /* 0 = the thread has allocated nothing */
	/* the block sampled last, and LEFT then: as long as that is the same, nothing was allocated since */
	uintptr_t last;
	int64_t last_left;
	uint32_t inside;         /* it is in a function that may allocate by another one of this library */
};

extern __thread struct sampler_thread sampler_own;
extern uint8_t sampler_filter[FILTER_BYTES];

/* So many bytes were allocated. Is the block to be looked at, by sampler_take()? */
static inline bool sampler_due(size_t size)
{
	return __builtin_expect((sampler_own.left -= (int64_t)size) < 0, 0);
}

/* Which bytes of the filter P has. */
static inline size_t sampler_hash(uintptr_t p)
{
	return (p >> 4 ^ p >> 20) & (FILTER_BYTES - 1);
}

/* May the block at P, or NULL, have been sampled? */
static inline bool sampler_may_know(const void *p)
{
	return __builtin_expect(sampler_filter[sampler_hash((uintptr_t)p)], 0);
}

/* Something is called that may allocate, by a function of this library or not; for sampler_has_seen() afterwards. */
static inline int64_t sampler_mark_call(void)
{
	sampler_own.last = 0;
	return sampler_own.left;
}

/* Has this thread allocated by a function of this library since LEFT was returned? */
static inline bool sampler_has_seen(int64_t left)
{
	return sampler_own.left != left || sampler_own.last;
}

/*
 * The block of SIZE bytes at P is due. Returns how many bytes it stands for; 0 = it is not sampled after all, as
 * one of no bytes never is.
 */
uint64_t sampler_take(const void *p, size_t size);
/* The block that is, or was, at P may be known, and is freed. Returns whether that is to be told. */
bool sampler_drop(uintptr_t p);
/* Whether the block at P, sampled, is freed by this thread before that has allocated another one. */
bool sampler_is_temporary(uintptr_t p);
/* P is no block of an allocator: sampler_may_know() is true for it from now on. */
void sampler_mark(const void *p);
/* The interval is read from ENVIRONMENT, as of main(). */
void sampler_begin(char **environment);

#endif
