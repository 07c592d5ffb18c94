/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h - follows the blocks of memory that the target allocates and frees, and makes events of
 * them: each allocation and each free under the stack that allocated, and at any time what is in use
 * and what was when most was.
 *
 * Blocks are told by whoever sees them, sampled or all (model/allocation.h). A free that is told of
 * a block nobody told, from before the capture or not sampled, is counted and no more: what is in use
 * never becomes negative. A block that is told where one is alive shows that a free was missed; the
 * old one ends there, and that is counted.
 *
 * When a process ends, the blocks that it had are frozen: they stay in use, as leaked. What is in use
 * most is that of all processes together: the set of blocks at the moment at which the bytes of all
 * living ones were the most.
 *
 * An allocation may come late, as its stack waits for a file to be read, and then after its free, or
 * after the end of its process. So frees of blocks that nobody told are remembered for a while, and what
 * has a time before the end of its process ends with that.
 *
 * Memory is bounded: beyond a number of living blocks further ones are told as allocated but not
 * followed, which is counted, with what they stand for. For one thread.
 */
#ifndef SBERF_MEMORY_BLOCKS_H
#define SBERF_MEMORY_BLOCKS_H

#include "base/cleanup.h"
#include "model/allocation.h"
#include "model/event.h"

#include <stddef.h>
#include <stdint.h>

struct blocks;

#define BLOCKS_MAX_DEFAULT (1u << 20)    /* about 90 MB, when there are as many */

/* Takes EV, which lives for the call. */
typedef void blocks_tell_fn(void *ctx, const struct event *ev);

struct blocks_config {
	uint32_t max;            /* living blocks that are followed; 0 = BLOCKS_MAX_DEFAULT */
	/*
	 * A block is temporary when its thread frees it before it has allocated so many others; 0 = 1.
	 * Known where every block is told (an interval of 1), else from block_end.temporary.
	 */
	uint32_t temporary_within;
	blocks_tell_fn *tell;    /* gets events as they happen; required */
	void *ctx;
};

/* A block that was allocated. */
struct block_begin {
	uint64_t process;        /* any number that no other process has, earlier ones of the same pid included */
	uint64_t addr;
	uint64_t size;           /* bytes, as the program asked */
	struct alloc_weight weight;
	uint32_t interval;       /* of model/allocation.h, with which it was sampled */
	bool unfollowed;         /* its free will not be told: it only counts as allocated */
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	thread_id thread;
	stack_id stack;
	uint32_t cpu;
	uint16_t node;           /* of that CPU; NODE_UNKNOWN */
	uint8_t cut, method, walk;
	module_id cut_module;    /* of its stack, as in struct event */
};

/* One that was freed. */
struct block_end {
	uint64_t process, addr, time_ns;
	thread_id thread;
	bool temporary;          /* by whoever sees all allocations of the thread */
};

struct blocks_figures {
	uint64_t living;         /* blocks followed now */
	uint64_t in_use;         /* bytes that they stand for, without frozen ones */
	uint64_t peak;           /* the most that these ever were */
	uint64_t frozen;         /* bytes of blocks whose process has ended */
	uint64_t told;           /* blocks begun */
	uint64_t unknown_frees;  /* of blocks that were not followed, or not told yet */
	uint64_t missed_frees;   /* blocks whose address was allocated again */
	uint64_t dropped;        /* blocks for which there was no room, */
	uint64_t dropped_bytes;  /* and what they stand for */
};

/* The caller's; NULL when out of memory. */
struct blocks *blocks_new(const struct blocks_config *c);
void blocks_free(struct blocks *b);              /* NULL is fine */

/* B began: EVENT_ALLOC is told. */
void blocks_begin(struct blocks *b, const struct block_begin *begin);
/* One was freed: EVENT_FREE is told, with the stack that allocated it, when it is followed. */
void blocks_end(struct blocks *b, const struct block_end *end);
/*
 * Which block of PROCESS that is in use and followed has ADDR in it: the stack that allocated it, and how far ADDR is
 * behind its begin, at most 1 KB. False when none has.
 */
bool blocks_at(const struct blocks *b, uint64_t process, uint64_t addr, stack_id *ret_stack, uint32_t *ret_offset);
/* Process PROCESS ended at TIME_NS. */
void blocks_process_over(struct blocks *b, uint64_t process, uint64_t time_ns);
/* It executes another program: its blocks are gone, as if freed at TIME_NS. */
void blocks_process_exec(struct blocks *b, uint64_t process, uint64_t time_ns);

/*
 * Tells, to TELL and CTX, what is in use at NOW_NS (EVENT_IN_USE), as leaked what is older than OLDER_NS
 * (0 = nothing but what is frozen), and what was when most was in use (EVENT_PEAK): one event for each
 * stack, thread, size and age. To be shown, and replaced by the next ones.
 */
void blocks_tell_in_use(const struct blocks *b, uint64_t now_ns, uint64_t older_ns, blocks_tell_fn *tell, void *ctx);

void blocks_figures(const struct blocks *b, struct blocks_figures *ret);
size_t blocks_bytes(const struct blocks *b);     /* memory held */

DEFINE_AUTO(blocks_free, struct blocks);

#endif
