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
#define ARCH_REGS 17             /* values in unwind_input.regs */
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

/* The functions in which Go's runtime changes stacks. */
enum go_function { GO_SYSTEMSTACK, GO_MORESTACK, GO_MCALL, GO_ASMCGOCALL, GO_CGOCALLBACK, GO_CODE_NR };

/* The LEN bytes of code of one of them, at VADDR; LEN 0 = there is none. */
struct go_code {
	uint64_t vaddr;
	uint8_t *text;
	size_t len;
};

/* Does C change stacks? Else it is a function that only calls one that does, under the same name. */
bool arch_changes_go_stack(const struct go_code *c);
/*
 * Where in the LEN bytes at TEXT C has called Go to begin a thread, and the rule that holds for that return address: C's assembly for that has no
 * call-frame information. SIZE_MAX: nowhere.
 */
size_t arch_find_go_thread(const uint8_t *text, size_t len, struct rule *ret);
/* Marks the places in CODE whose callers are on another stack. */
void arch_mark_go_switches(struct image *im, const struct go_code code[GO_CODE_NR]);

/* Finds the functions that keep frame pointers in LEN bytes of code at TEXT, without call-frame information, for image_add_frames(). */
void arch_find_frames(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);

/* How many of the LEN bytes at TEXT, which a program is entered at, are run before what they call: return addresses up to there are its root. */
size_t arch_entry_code(const uint8_t *text, size_t len);

/* How many functions in LEN bytes of code at TEXT begin by setting up a frame pointer. */
size_t arch_count_prologues(const uint8_t *text, size_t len);

/* Adds the marks found in LEN bytes of code at TEXT, whose virtual address is VADDR. */
void arch_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);

#endif
