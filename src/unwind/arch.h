/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch.h - lists what the unwinder asks of an architecture, beside its registers (model/machine.h);
 * implemented in *_x86_64.c and *_aarch64.c.
 *
 * All of them are there at once: an image has the one that its file is for, a walk the one that its
 * registers are of. An operation that is NULL finds nothing.
 */
#ifndef SBERF_UNWIND_ARCH_H
#define SBERF_UNWIND_ARCH_H

#include "model/machine.h"
#include "unwind/image_impl.h"
#include "unwind/rules.h"

#include <stdbool.h>
#include <stdint.h>

/* The functions in which Go's runtime changes stacks. */
enum go_function { GO_SYSTEMSTACK, GO_MORESTACK, GO_MCALL, GO_ASMCGOCALL, GO_CGOCALLBACK, GO_CODE_NR };

/* The LEN bytes of code of one of them, at VADDR; LEN 0 = there is none. */
struct go_code {
	uint64_t vaddr;
	uint8_t *text;
	size_t len;
};

struct unwind_arch {
	uint16_t machine;        /* ELF e_machine */
	uint8_t return_column;   /* of call-frame information: has the caller's pc */
	/* what a frame pointer points to ends its frame, so that the caller's sp is behind it */
	bool fp_ends_frame;
	uint64_t preserved;      /* registers, a bit each, that a called function keeps */
	/*
	 * Bytes from sp, in the code that a signal handler returns to, to where the kernel has
	 * saved each register.
	 */
	uint16_t signal_at[MACHINE_REGS_MAX];

	/*
	 * Turns a libdw row into a rule; RULE_SLOW when only the complete evaluator can follow it.
	 * SIGNAL: of a signal frame.
	 */
	struct rule (*rule)(Dwarf_Frame *row, bool signal);
	/* The rule AT bytes into the linker's stubs of an image, where they have no call-frame information. */
	struct rule (*plt)(uint64_t at);

	/*
	 * How many of the LEN bytes at TEXT, which a program is entered at, are run before what
	 * they call: return addresses up to there are its root.
	 */
	size_t (*entry_code)(const uint8_t *text, size_t len);
	/* How many functions in LEN bytes of code at TEXT begin by setting up a frame pointer. */
	size_t (*count_prologues)(const uint8_t *text, size_t len);
	/*
	 * Finds the functions that keep frame pointers in LEN bytes of code at TEXT, without
	 * call-frame information, for image_add_frames().
	 */
	void (*find_frames)(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);
	/* Adds the marks found in LEN bytes of code at TEXT, whose virtual address is VADDR. */
	void (*find_marks)(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);

	/*
	 * The four of Go's stacks are there together, or none is. Does C change stacks? Else it
	 * only calls one that does, under the same name.
	 */
	bool (*changes_go_stack)(const struct go_code *c);
	/*
	 * Where in the LEN bytes at TEXT C has called Go to begin a thread, and the rule that holds
	 * for that return address: C's assembly for that has no call-frame information. SIZE_MAX:
	 * nowhere.
	 */
	size_t (*find_go_thread)(const uint8_t *text, size_t len, struct rule *ret);
	/* Marks the places in CODE whose callers are on another stack. */
	void (*mark_go_switches)(struct image *im, const struct go_code code[GO_CODE_NR]);
	/* The same of C, which asks for the time on another stack than it was called on. */
	void (*mark_go_clock)(struct image *im, const struct go_code *c);
};

/* The one for the ELF e_machine MACHINE; NULL = there is none. */
const struct unwind_arch *unwind_arch_of(uint32_t machine);

extern const struct unwind_arch unwind_x86_64, unwind_aarch64;

/* For those that turn rows into rules. Does NUMBER, which is signed, fit into rule.cfa? */
bool arch_fits_i32(uint64_t number);
/* Are the N operations OP of a CFA that of register SP or FP and a number? Then R has it. */
bool arch_cfa_rule(const Dwarf_Op *op, size_t n, unsigned int sp, unsigned int fp, struct rule *r);
/* Is the caller's SP the CFA, as ABIs have it, unless ROW says something else? */
bool arch_sp_is_cfa(Dwarf_Frame *row, int sp);

/* x86-64: image_marks_x86_64.c, image_frames_x86_64.c, go_frames_x86_64.c */
size_t x86_64_entry_code(const uint8_t *text, size_t len);
size_t x86_64_count_prologues(const uint8_t *text, size_t len);
void x86_64_find_frames(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);
void x86_64_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);
bool x86_64_changes_go_stack(const struct go_code *c);
size_t x86_64_find_go_thread(const uint8_t *text, size_t len, struct rule *ret);
void x86_64_mark_go_switches(struct image *im, const struct go_code code[GO_CODE_NR]);
void x86_64_mark_go_clock(struct image *im, const struct go_code *c);

/* AArch64: image_marks_aarch64.c */
size_t aarch64_entry_code(const uint8_t *text, size_t len);
size_t aarch64_count_prologues(const uint8_t *text, size_t len);
void aarch64_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr);

#endif
