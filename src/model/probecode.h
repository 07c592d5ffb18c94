/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probecode.h - the basic blocks of functions at which a probe of branches is placed. A hit says at which
 * block it was by a number, which this table explains.
 *
 * A basic block is code that runs from its first instruction to its last one, unless a call in it does not
 * return. Instructions that leave the function are blocks of their own, since the result is known there.
 */
#ifndef SBERF_MODEL_PROBECODE_H
#define SBERF_MODEL_PROBECODE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CODE_BLOCKS_MAX 4096u            /* of one function */
#define CODE_NUMBERS_MAX 60000u          /* of one probe: numbers have 16 bits */

/* How a block ends. */
enum code_end {
	CODE_ON,                 /* it goes on into the next one */
	CODE_CONDITION,          /* a jump to TARGET, or on into the next one */
	CODE_JUMP,               /* a jump to TARGET */
	CODE_INDIRECT,           /* a jump whose target is made at run time */
	CODE_RETURN,
	CODE_TAIL,               /* a jump to another function, which returns in place of this one */
	CODE_END,                /* nothing comes behind it */
};

struct code_block {
	uint64_t vaddr;          /* where it begins, a virtual address of the file */
	uint64_t target;         /* of CODE_CONDITION and CODE_JUMP */
	uint32_t size;           /* bytes */
	uint32_t last;           /* where its last instruction is, in bytes from its begin */
	uint32_t at;             /* where a probe of it is cheapest, in the same way */
	uint8_t end;             /* enum code_end */
	bool probed;             /* its hits are told; else what comes before and behind says that it was run */
};

typedef VEC(struct code_block) code_blocks;

/* A function at whose blocks a probe is. */
struct probe_code {
	const char *path;        /* of the file, as the process sees it */
	const char *symbol, *name;       /* of the function: as the file has it, as people write it */
	pid_t pid;               /* a process that had it first */
	uint64_t start;          /* virtual address of the function */
	uint32_t probe;          /* of which these are, as probe_code_note() was told */
	uint32_t first;          /* the number of its first block, at which the function begins */
	uint32_t n;
	const struct code_block *block;  /* n blocks, part by part of the code, by address */
	bool returns;            /* the return is told where the call was made, not by a block that returns */
	uint32_t dearest_ns, all_ns;     /* what hits cost: at the dearest of its places, and at all of them together */
};

/*
 * CODE is what PROBE is placed at. Copies it and returns the number of its first block, which is the same for the same
 * code in another process; CODE->first and ->probe are not looked at. CODE_NUMBERS_MAX = there is no room, or no
 * memory. Any thread.
 */
uint32_t probe_code_note(uint32_t probe, const struct probe_code *code);
/* Function NR of PROBE, from 0 on, to RET, which is valid as long as this process. False = there is none. */
bool probe_code_get(uint32_t probe, uint32_t nr, struct probe_code *ret);
/* The function that has the block of NUMBER; false = none has. */
bool probe_code_find(uint32_t probe, uint32_t number, struct probe_code *ret);

#endif
