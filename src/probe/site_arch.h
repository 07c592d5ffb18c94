/* SPDX-License-Identifier: BSD-2-Clause */
/* site_arch.h - what the walk of site.c asks of a machine: one row each, with a file of its own. Private to site*.c. */
#ifndef SBERF_PROBE_SITE_ARCH_H
#define SBERF_PROBE_SITE_ARCH_H

#include "probe/site.h"

/* What one instruction does, as far as the walk must know. */
struct site_effect {
	uint8_t size;            /* bytes; 0 = there is none */
	uint8_t insn;            /* enum site_insn */
	bool understood;         /* writes and copies are complete, and the next instruction stands behind it */
	bool leaves;             /* it ends the straight line */
	uint32_t writes;         /* bits of registers by DWARF number */
	uint8_t to, from;        /* it copies all of register FROM to TO; MACHINE_NO_REG = it copies nothing */
	bool jumps;              /* to TARGET, counted from its first byte, perhaps on a condition */
	int32_t target;
};

struct site_arch {
	uint16_t machine;                /* ELF e_machine */
	uint8_t args[SITE_ARGS];         /* registers of arguments */
	int32_t entry_cfa;               /* CFA - sp where the return address is at the stack pointer */
	/* The instruction at CODE, LEN > 0 bytes. */
	struct site_effect (*decode)(const uint8_t *code, size_t len);
};

extern const struct site_arch site_arch_x86_64;

#endif
