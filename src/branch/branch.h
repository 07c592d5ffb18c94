/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch.h - the branches that one call of a function took: from where to where, oldest first. They come of
 * probes at the basic blocks of a function (calls.h) or of the records of a CPU (entries.h), and are counted,
 * compared and shown in the same way (sums.h, show.h).
 */
#ifndef SBERF_BRANCH_BRANCH_H
#define SBERF_BRANCH_BRANCH_H

#include "base/vec.h"
#include "model/dict.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BRANCH_ARGS 6u

/* The code of the function whose first block has NUMBER, of PROBE (model/probecode.h). */
#define BRANCH_SPACE(probe, number) ((uint32_t)(probe) << 16 | (number))
#define BRANCH_SPACE_PROBE(space) ((space) >> 16)
#define BRANCH_SPACE_NUMBER(space) ((space) & 0xffffu)
#define BRANCH_KERNEL UINT32_MAX

enum branch_how {
	BRANCH_TAKEN,            /* a jump, to elsewhere */
	BRANCH_PASSED,           /* a jump on a condition that was not taken: the code goes on behind it */
	/* what was between is not known: a table of jumps, an exception that was caught, records that were lost */
	BRANCH_GAP,
};

/* What else a CPU says of a branch. */
#define BRANCH_MISPREDICTED 0x01u
#define BRANCH_PREDICTED 0x02u
#define BRANCH_IN_TRANSACTION 0x04u
#define BRANCH_ABORTED 0x08u     /* it is the abort of a transaction */

struct branch {
	uint64_t from, to;       /* addresses; of a gap both may be 0 */
	uint32_t space;          /* what the addresses are of: BRANCH_SPACE(), or BRANCH_KERNEL */
	uint8_t how;             /* enum branch_how */
	uint8_t flags;           /* BRANCH_*; 0 = the CPU says nothing */
	uint8_t type;            /* as PERF_BR_* of linux/perf_event.h; 0 = not known */
	uint16_t cycles;         /* since the branch before it; 0 = not known */
};

typedef VEC(struct branch) branch_vec;

/* How a call ended. */
enum branch_end {
	BRANCH_RETURNED,
	BRANCH_LEFT_BY_JUMP,     /* it went on into another function, which returns in its place: no result is known */
	BRANCH_LEFT,             /* it was left without a return: by longjmp(), an exception, or with its thread */
	BRANCH_BEGUN,            /* it has not ended: it is told as it begins */
};

struct branch_call {
	branch_vec branch;
	uint64_t dropped;        /* further branches of it, for which there was no room */
	uint32_t gaps;           /* of the branches */
	uint64_t begun_ns, ended_ns;     /* CLOCK_MONOTONIC; the end of one that was left is when that was seen */
	pid_t pid, tid;
	char comm[17];           /* raw bytes */
	uint32_t depth;          /* calls of the same functions that it is inside of, in its thread */
	uint32_t probe;          /* model/probes.h */
	uint32_t space;          /* of its function */
	uint64_t arg[BRANCH_ARGS], result;       /* registers */
	stack_id stack;          /* that it was called with; ID_NONE = not asked for */
	uint8_t end;             /* enum branch_end */
};

#endif
