/* SPDX-License-Identifier: BSD-2-Clause */
/* site_arch.h - what site.c and leaves.c ask of a machine: one row each, with a file of its own. Private to these. */
#ifndef SBERF_PROBE_SITE_ARCH_H
#define SBERF_PROBE_SITE_ARCH_H

#include "probe/site.h"

/* Where an instruction leads that does not jump to a fixed place. */
enum site_way {
	SITE_WAY_ON,             /* to the one behind it; calls, too */
	SITE_WAY_END,            /* nowhere: it returns, jumps to a fixed place, or traps */
	SITE_WAY_REGISTER,       /* where a register says */
	SITE_WAY_POINTER,        /* where a word of memory says, which is no table by its form */
	SITE_WAY_TABLE,          /* where an entry of the table of addresses says that is at TABLE */
	SITE_WAY_LABEL,          /* to a place of the same function, which the instruction says itself */
	SITE_WAY_UNKNOWN,
};

/* What one instruction does, as far as the walk must know. */
struct site_effect {
	uint8_t size;            /* bytes; 0 = there is none */
	uint8_t insn;            /* enum site_insn */
	bool understood;         /* writes and copies are complete, and the next instruction stands behind it */
	bool leaves;             /* it ends the straight line */
	/* bits of registers by DWARF number; all that it writes only where it is understood */
	uint32_t writes;
	uint8_t to, from;        /* it copies all of register FROM to TO; MACHINE_NO_REG = it copies nothing */
	bool jumps;              /* to TARGET, counted from its first byte, perhaps on a condition */
	int32_t target;
	uint8_t way;             /* enum site_way */
	bool always;             /* it jumps to TARGET in any case */
	bool calls;              /* where direct calls lead is TARGET, too; 0 = that is not known */
	bool idle;               /* it does nothing: padding */
	bool adds;               /* what it writes is a sum with another operand */
	uint8_t via;             /* the register of SITE_WAY_REGISTER, and of a call whose target is in one */
	bool calls_via;          /* it is such a call */
	uint64_t table;          /* its virtual address */
};

struct site_arch {
	uint16_t machine;                /* ELF e_machine */
	uint8_t args[SITE_ARGS];         /* registers of arguments */
	int32_t entry_cfa;               /* CFA - sp where the return address is at the stack pointer */
	uint8_t lock;                    /* a prefix that jumps may leave out; 0 = there is none */
	/* The instruction at CODE, LEN > 0 bytes. */
	struct site_effect (*decode)(const uint8_t *code, size_t len);
	/*
	 * The register, by DWARF number, whose address the kernel's function NAME calls in place of its caller
	 * (indirect thunks); MACHINE_NO_REG = it is none.
	 */
	uint8_t (*thunk)(const char *name);
};

extern const struct site_arch site_arch_x86_64;

/* NULL when the machine is not known. */
const struct site_arch *site_arch_of(uint16_t machine);

/* Whether CFI says that the return address is at the stack pointer at OFFSET of its file. NULL: it does not. */
bool site_returns_at(const struct site_arch *a, struct image *cfi, uint64_t offset);

#endif
