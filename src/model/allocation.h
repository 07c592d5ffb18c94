/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocation.h - blocks of memory that a program allocates and frees: what a sampled one stands for,
 * and what its events carry.
 *
 * Blocks are *sampled by bytes*: each byte that is allocated is picked with a probability of one in
 * INTERVAL, on its own, and a block of which a byte was picked is told. So a block of SIZE bytes is
 * told with the probability p = 1 - exp(-SIZE / INTERVAL), and each one that is told stands for 1 / p
 * blocks of its size. The sums of these weights are right on average, whatever the sizes are and in
 * whatever order they come. (This is what the heap profiles of tcmalloc and Go do.) An INTERVAL of 1
 * tells every block.
 *
 * How far such a sum may be off follows from p: n blocks told of SIZE bytes, each with the weight
 * w = SIZE / p, have the variance n * w^2 * (1 - p). See alloc_variance().
 */
#ifndef SBERF_MODEL_ALLOCATION_H
#define SBERF_MODEL_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#define ALLOC_INTERVAL_DEFAULT (512u << 10)      /* bytes */
#define GROWTH_INTERVAL_DEFAULT (64u << 10)      /* the same of memory that grows: page faults are fewer ... */
#define GROWTH_INTERVAL_MANY (256u << 10)        /* ... but not those of a machine, or a cgroup */
/* with larger ones the odds of small blocks, in 2^32 cases, would be rough */
#define ALLOC_INTERVAL_MAX (64u << 20)

/* What a block that was told stands for. */
struct alloc_weight {
	uint64_t bytes;
	uint32_t blocks;
};

/* How probable it is that a block of SIZE bytes is told with INTERVAL: 0 to 1. */
double alloc_probability(uint64_t size, uint32_t interval);

/*
 * What such a block stands for. Blocks are whole numbers: DRAW, any 64 random bits, decides whether
 * the rest counts as one more, so that their sum is right on average, too. A block of no bytes is
 * told with an INTERVAL of 1 alone.
 */
struct alloc_weight alloc_weight(uint64_t size, uint32_t interval, uint64_t draw);

/*
 * What a block of SIZE bytes stands for that somebody else has sampled, who says that it is BYTES; 0 or
 * fewer than SIZE = only itself. DRAW as above. *RET_INTERVAL: with what it must have been sampled to
 * stand for as many; INTERVAL where that fits, else the next power of two; 1 = every block was told.
 */
struct alloc_weight alloc_weight_told(uint64_t size, uint64_t bytes, uint32_t interval, uint64_t draw,
				      uint32_t *ret_interval);

/*
 * What memory is that becomes resident; GROWTH_LAZY: what is given back, and stays resident until the kernel
 * needs it (MADV_FREE). Numbers are in recordings.
 */
enum growth_kind { GROWTH_NOT, GROWTH_FILE, GROWTH_ANON, GROWTH_SHARED, GROWTH_LAZY };

/*
 * What events of blocks carry as their argument. Sizes and ages are classes of base/octave.h.
 */
struct allocation {
	uint8_t size;            /* octave_class() of its bytes */
	uint8_t age;             /* octave_class() of its age in ms, when it was freed or is told as in use; else 0 */
	bool temporary;          /* freed by the thread that allocated it, before that allocated another one */
	uint8_t growth;          /* of memory that grows or is returned: enum growth_kind */
	bool leaked;             /* in use, and older than asked for, or its process has ended */
	uint32_t interval;       /* bytes between samples when it was told; 0 = not known */
};

#define ALLOCATION_AGE_AT 8u
#define ALLOCATION_TEMPORARY ((uint64_t)1 << 16)
#define ALLOCATION_LEAKED ((uint64_t)1 << 17)
#define ALLOCATION_GROWTH_AT 18u
#define ALLOCATION_GROWTH_MASK 0x7u
#define ALLOCATION_INTERVAL_AT 32u

static inline uint64_t allocation_argument(const struct allocation *a)
{
	return a->size | (uint64_t)a->age << ALLOCATION_AGE_AT | (a->temporary ? ALLOCATION_TEMPORARY : 0) |
	       (a->leaked ? ALLOCATION_LEAKED : 0) | (uint64_t)a->growth << ALLOCATION_GROWTH_AT |
	       (uint64_t)a->interval << ALLOCATION_INTERVAL_AT;
}

static inline struct allocation allocation_of(uint64_t argument)
{
	return (struct allocation){
		.size = (uint8_t)argument,
		.age = (uint8_t)(argument >> ALLOCATION_AGE_AT),
		.temporary = argument & ALLOCATION_TEMPORARY,
		.leaked = argument & ALLOCATION_LEAKED,
		.growth = argument >> ALLOCATION_GROWTH_AT & ALLOCATION_GROWTH_MASK,
		.interval = (uint32_t)(argument >> ALLOCATION_INTERVAL_AT),
	};
}

/*
 * The variance of BYTES, the sum of the weights of all blocks told that carry A: of their true bytes
 * by whoever looks at them. Independent ones add up; the root is the standard error. 0 when every
 * block was told, or when that is not known.
 */
double alloc_variance(const struct allocation *a, uint64_t bytes);
/*
 * The same where one call of SCALE at a time is seen, as probes are in place for a part of the time only, and BYTES are
 * what there would have been. As if calls were independent, so it is the least that it may be off.
 */
double alloc_scaled_variance(const struct allocation *a, uint64_t bytes, uint32_t scale);
/* The same of BLOCKS, the sum of how many blocks all that were told stand for. */
double alloc_blocks_variance(const struct allocation *a, uint64_t blocks);
/* How many blocks were told that have BYTES in all: expected, as weights are. */
double alloc_told(const struct allocation *a, uint64_t bytes);

#endif
