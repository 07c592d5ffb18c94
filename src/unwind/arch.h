/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch.h - what the unwinder asks of an architecture; implemented in *_x86_64.c.
 *
 * Registers have DWARF numbers (System V psABI 1.0, figure 3.36 for x86-64), the return address column included.
 */
#ifndef SBERF_UNWIND_ARCH_H
#define SBERF_UNWIND_ARCH_H

#include "unwind/image_impl.h"
#include "unwind/rules.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define ARCH_MACHINE EM_X86_64
#define ARCH_REGS 17             /* values in raw_sample.regs */
#define ARCH_FP 6                /* rbp */
#define ARCH_SP 7                /* rsp */
#define ARCH_PC 16               /* return address column, rip */
#define ARCH_PRESERVED 0xf048u   /* rbx rbp r12-r15: a called function keeps them (psABI 1.0 section 3.2.1) */
#define ARCH_RESULT 0            /* rax: what a system call returned */
#define ARCH_SIGNAL_REGS 40      /* struct rt_sigframe: from ucontext to uc_mcontext.gregs[0], bytes */
#define ARCH_SIGNAL_FP 10        /* indices of gregs (glibc sys/ucontext.h, REG_RBP REG_RSP REG_RIP) */
#define ARCH_SIGNAL_SP 15
#define ARCH_SIGNAL_PC 16
#else
#error "unwind: no support for this architecture yet"
#endif

/* DWARF register number -> index in the saved registers of a signal frame; the inverse of what the kernel saves. */
extern const uint8_t arch_signal_index[ARCH_REGS];

/* Turns a libdw row into a rule; RULE_SLOW when only the complete evaluator can follow it. SIGNAL: of a signal frame. */
struct rule arch_rule(Dwarf_Frame *row, bool signal);

/* How many functions in LEN bytes of code at TEXT begin by setting up a frame pointer. */
size_t arch_count_prologues(const uint8_t *text, size_t len);

/* Adds the marks found in LEN bytes of code at TEXT, whose virtual address is VADDR. */
void arch_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);

#endif
