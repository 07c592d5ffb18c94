/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_input.h - defines what unwinding starts from: registers and stack bytes of one thread at
 * one moment.
 *
 * It is a view: its maker keeps the bytes and the addresses that it points to, as long as it is in
 * use. Its values come from a BPF program, or from a file that anybody may have written. So any
 * value may stand anywhere, but pointers and their lengths are right, and counts do not exceed the
 * room.
 */
#ifndef SBERF_MODEL_UNWIND_INPUT_H
#define SBERF_MODEL_UNWIND_INPUT_H

#include "model/machine.h"

#include <stdbool.h>
#include <stdint.h>

#define RAW_SEGMENTS_MAX 9u
#define RAW_REGS_MAX MACHINE_REGS_MAX

/* A run of bytes that were copied from a stack. */
struct raw_segment {
	uint64_t addr;           /* user address of bytes[0] */
	uint32_t len;            /* bytes copied */
	/*
	 * bytes from addr on that were to be copied; those behind a page that cannot be read are in
	 * other segments
	 */
	uint32_t want;
	bool unreadable;         /* it ended because a page could not be read, not at the cap */
	bool interrupted;        /* the main stack under a handler that runs on an alternate stack */
	const uint8_t *bytes;    /* borrowed, of any alignment */
};

/* The frame at which a walk of the kernel half stopped: user addresses. */
struct raw_stop {
	uint64_t pc, sp, bp;
	bool exact;              /* pc is where a signal interrupted it, not a return address */
};

struct unwind_input {
	/* What is walked from: both are 0 where there is no user side, or none of it was copied. */
	uint32_t machine;        /* ELF e_machine of the registers */
	uint32_t nr_regs;        /* values in regs: RAW_REGS_MAX at most */
	/* in DWARF order, pc last; of pc and the link register a signature may be part */
	uint64_t regs[RAW_REGS_MAX];
	bool kthread;            /* there is no user side */
	bool compat;             /* 32-bit: no registers, no stack */

	/*
	 * What was copied of its stacks, in any order, not overlapping: the stack that sp is on,
	 * and those that it leads to.
	 */
	uint32_t nr_segments;    /* RAW_SEGMENTS_MAX at most */
	struct raw_segment segment[RAW_SEGMENTS_MAX];

	/* What the kernel half has walked itself. */
	uint32_t nr_walked;
	/* so many user addresses, innermost first: where it runs, then return addresses. Borrowed */
	const uint64_t *walked;
	bool recorded;           /* they are from branch records of the CPU */
	bool walked_full;        /* there may be more: it had room for so many */
	/*
	 * walked by learnt rules (bpf/wire.h), from places that walk_check stands for; to the root
	 * unless full
	 */
	bool ruled;
	/* with it: not every return address was left by a call (RULE_PLACED): its rules have to be asked for */
	bool placed;
	bool no_table;           /* with it, or stopped: some rule is of no unwind table: whose, has to be asked for */
	/*
	 * a walk by rules did not come to the root: walked has its frames up to stop (none: there
	 * was no room)
	 */
	bool stopped;
	struct raw_stop stop;
	uint64_t walk_check;     /* sb_check() over what was walked by rules */
	bool unchecked;          /* walk_check is of another dictionary's numbers: what was walked is believed */
};

#endif
