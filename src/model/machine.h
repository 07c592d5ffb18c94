/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - knows what several folders need to know of an architecture: its registers, and what
 * an address is.
 *
 * The registers of a sample or the header of a file say which architecture it is, by its number in
 * ELF. So a stack that was captured on one architecture is unwound on any other. What only one
 * folder needs has tables of its own by the same number: unwind/arch.h, numa/access_arch.h.
 */
#ifndef SBERF_MODEL_MACHINE_H
#define SBERF_MODEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_REGS_MAX 34u     /* registers of any of them */
#define MACHINE_NO_REG 0xff

/* Registers have the numbers that DWARF gives them; pc is the last one. */
struct machine {
	uint16_t number;         /* ELF e_machine */
	uint8_t nr_regs;         /* MACHINE_REGS_MAX at most */
	uint8_t sp, fp, pc;
	uint8_t link;            /* where a call leaves the return address; MACHINE_NO_REG = on the stack */
	uint8_t result;          /* what a system call returned */
	uint8_t call_args[3];    /* the first arguments of a system call, as long as it lasts */
	uint16_t red_zone;       /* bytes below sp that a function may use without moving it */
	uint64_t code_bits;      /* of an address of user code: others may hold a signature */
};

/* The one with that number; NULL = none that is known. */
const struct machine *machine_of(uint32_t number);
/* The one that this program was compiled for; NULL = it is none of them. */
const struct machine *machine_host(void);
/* Its red zone; 0 when it is none of them. */
uint64_t machine_host_red_zone(void);

/* The stack pointer among NR registers of the machine NUMBER; 0 when they are not all there, or it is not known. */
uint64_t machine_sp(uint32_t number, uint32_t nr, const uint64_t *regs);

#endif
