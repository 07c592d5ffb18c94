/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access_arch.h - lists what access.c asks of an architecture: what one instruction does, as far as
 * it matters for addresses.
 *
 * Registers have DWARF numbers, as in unwind_input.regs. Implemented in access_NAME.c.
 */
#ifndef SBERF_NUMA_ACCESS_ARCH_H
#define SBERF_NUMA_ACCESS_ARCH_H

#include "numa/access.h"

#include <capstone/capstone.h>

enum access_flow {
	FLOW_NEXT,               /* the instruction behind it comes next */
	FLOW_BRANCH,             /* that one or its target */
	FLOW_JUMP,               /* its target */
	FLOW_END,                /* something else: a call, a return, the kernel, nothing at all */
};

enum access_touch {
	TOUCH_NONE,
	TOUCH_STACK,             /* a variable in the stack frame, which nobody waits for */
	TOUCH_SEGMENT,           /* memory of the thread: MISS_SEGMENT */
	TOUCH_VECTOR,            /* many addresses at once: MISS_VECTOR */
	TOUCH_MEMORY,
};

struct access_insn {
	uint8_t len;             /* bytes */
	uint8_t flow;            /* enum access_flow */
	uint8_t touch;           /* enum access_touch */
	bool pad;                /* it does nothing */
	int32_t target;          /* of a branch or jump, from its first byte on */
	uint32_t changes;        /* bit n: register n */
	/* All that it does to register MOVED is to add MOVE; ACCESS_REG_NONE = there is no such register. */
	uint8_t moved;
	int32_t move;
	/*
	 * The address before it runs; how and miss are not set, disp relative to pc counts from its
	 * end. PASSED: when it has run, all is as before but that base has gone on by so many bytes
	 * (string instructions); 0 = see changes.
	 */
	struct access_rule mem;
	uint8_t passed;
};

struct access_arch {
	uint32_t machine;        /* ELF e_machine */
	uint32_t nr_regs, pc;    /* values in unwind_input.regs, and which of them is the pc */
	uint64_t user_end;       /* addresses of user space are below, with any kernel */
	cs_arch cs;
	cs_mode mode;
	/*
	 * How many bytes the instruction at CODE (LEN > 0 bytes) has; 0 = there is none, or not all
	 * of it. *RET_JUMPS: it jumps, perhaps on a condition, to *RET_TARGET, from its first byte
	 * on.
	 */
	size_t (*skim)(const uint8_t *code, size_t len, bool *ret_jumps, int32_t *ret_target);
	/* What it does; SCRATCH is of cs_malloc(). False: it is not known. */
	bool (*decode)(csh cs, cs_insn *scratch, const uint8_t *code, size_t len, struct access_insn *ret);
};

/*
 * Opens capstone for ARCH, with details of operands, written in SYNTAX (CS_OPT_SYNTAX_DEFAULT = as
 * capstone likes). *CS and *SCRATCH, an instruction to decode into, are 0 before, and to be given
 * to access_close(), also on failure: -ENOMEM, or -EOPNOTSUPP when this build of capstone does not
 * know the architecture, with a sentence.
 */
int access_open(const struct access_arch *arch, cs_opt_value syntax, csh *cs, cs_insn **scratch, struct err *e);
void access_close(csh *cs, cs_insn *scratch);

#if defined(__x86_64__)
extern const struct access_arch access_x86_64;
#define ACCESS_HOST (&access_x86_64)
#else
#define ACCESS_HOST NULL
#endif

#endif
