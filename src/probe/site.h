/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * site.h - the cheapest place for a probe of a function, and what a hit there costs.
 *
 * The kernel replaces the probed instruction by a breakpoint. Some instructions it emulates
 * afterwards (nop, push, jumps, direct calls): below 1 us a hit. Others it runs from a copy, with a
 * trap behind it: 11 to 16 us. Compilers begin functions with either. So from the entry on
 * straight-line code is walked to the first instruction that is emulated, as long as the arguments
 * that are wanted are still in a register; every call comes through there too. The place is taken
 * from the bytes of the file, never from a table of libraries.
 *
 * Not moved past: an instruction that is not understood, one that ends the straight line, one that
 * overwrites the last copy of a wanted argument, and a place that a jump of the same function leads
 * to, since that would be hit more often than the function is called.
 *
 * A return probe replaces the word at the stack pointer. So it may stand only where the call-frame
 * information says that the return address is there (CFA = sp + 8 on x86-64).
 *
 * Pure, but for the CFI image. x86-64 alone is known; for other machines the entry is the place,
 * and its cost is not known.
 */
#ifndef SBERF_PROBE_SITE_H
#define SBERF_PROBE_SITE_H

#include "probe/functions.h"
#include "symbol/elffile.h"
#include "unwind/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SITE_ARGS 6u             /* arguments in registers: arg0 to arg5 */
#define SITE_CODE_MAX 65536u     /* bytes of a function that are looked at for jumps */

/* What stands at a place, by how the kernel gets past it. site_insn_info() has names and costs. */
enum site_insn {
	SITE_UNKNOWN,            /* of another machine, or no instruction */
	/* emulated */
	SITE_NOP,                /* 90, or 66 90 */
	SITE_NOP5,               /* 5 bytes; emulated, and made a call, since 6.18; before that stepped over */
	SITE_JUMP,
	SITE_PUSH,               /* of a register */
	SITE_BRANCH,             /* a jump on a condition */
	SITE_CALL,               /* direct */
	/* stepped over */
	SITE_ENDBR,
	SITE_LEA,
	SITE_COMPARE,
	SITE_XOR,
	SITE_RETURN,
	SITE_SUBTRACT,
	SITE_MOVE,
	SITE_TEST,
	SITE_OTHER,
	SITE_INSNS
};

struct site_insn_info {
	const char *name;        /* "push" */
	bool emulated;
	/*
	 * A hit of a program that only counts, with a uprobe of its own link: measured on Linux 6.18 in
	 * a KVM guest on an AMD EPYC, +-20 %. 0 = not known. What differs is the machine, far less the
	 * order of the rows: measure where it matters.
	 */
	uint32_t cost_ns;
};

const struct site_insn_info *site_insn_info(enum site_insn insn);

/* What the return of a function adds, where that is probed, too: measured in the same way (1.49 us for both). */
#define SITE_RETURN_NS 580u

/* Why a place is not behind the entry, or not further. */
enum site_stop {
	SITE_STOP_NONE,          /* an emulated instruction was found */
	SITE_STOP_MACHINE,       /* the machine is not known */
	SITE_STOP_INSN,          /* an instruction is not understood */
	SITE_STOP_LINE,          /* the straight line ends: an indirect jump or call, a return */
	SITE_STOP_ARGUMENT,      /* a wanted argument would be lost */
	SITE_STOP_FRAME,         /* a return probe is wanted, and the return address is not at the stack pointer */
	SITE_STOP_JUMP,          /* a jump leads behind the entry */
	SITE_STOP_END,           /* the function, or what was looked at, ends */
};

/* "an instruction is not understood": a clause for a sentence. */
const char *site_stop_text(enum site_stop stop);

/* The code of a function. Borrowed during the call. */
struct site_code {
	uint16_t machine;        /* ELF e_machine */
	const uint8_t *bytes;    /* from the entry on */
	size_t len;              /* of the function, or as much of it as is there: SITE_CODE_MAX at most is looked at */
	uint64_t offset;         /* of the entry in the file */
};

struct site_wish {
	uint8_t args;            /* bit I: argument I is read */
	uint32_t keep;           /* bit I: register I, by DWARF number, has what it had at the entry */
	bool returns;            /* a return probe, or a session, is placed there */
	bool nop5;               /* this kernel emulates long nops (feature, not version: measure, or leave it false) */
	struct image *cfi;       /* of the file, for returns; NULL = not known, and then no return may be probed */
};

struct probe_site {
	uint64_t offset;         /* in the file: where the probe is to be placed */
	uint32_t behind;         /* bytes behind the entry; 0 = at the entry */
	uint8_t insn;            /* enum site_insn, at offset */
	uint8_t stop;            /* enum site_stop: why no cheap place was found; SITE_STOP_NONE = it was */
	bool return_ok;          /* CFI says that the return address is at the stack pointer there */
	uint32_t cost_ns;        /* of a hit there; 0 = not known */
	uint32_t entry_cost_ns;  /* what it would have been at the entry; 0 = not known */
	uint8_t entry_insn;      /* enum site_insn, at the entry */
	/* where arg0 to arg5 are at offset, by DWARF number (model/machine.h); MACHINE_NO_REG = overwritten */
	uint8_t arg_reg[SITE_ARGS];
};

/*
 * The cheapest place for a probe of CODE (len >= 1) that WISH allows. Where no cheap place is found,
 * it is the entry, and stop says why. There return_ok can still be false: then a return probe must
 * not be placed at all.
 */
void site_find(const struct site_code *code, const struct site_wish *wish, struct probe_site *ret);

/* Where argument I is at the entry of a function, by DWARF number; MACHINE_NO_REG = not known for MACHINE. */
uint8_t site_arg_register(uint16_t machine, unsigned int i);

/*
 * The same for a place that find_functions() gave, of FILE: reads its code. A place that is not at
 * the entry of its function, or of a function whose size is not known, is not moved; there no
 * argument register is known unless it is the entry. 0, or -EIO with a sentence when FILE does not
 * hold the code.
 */
int site_of_function(const struct elf_file *file, const struct found_function *f, const struct site_wish *wish,
		     struct probe_site *ret, struct err *e);

/* The registers of WISH for what the expressions of P read: bits of its argN. A path that begins with argN counts. */
uint8_t site_args_of(const struct spec *s);

/* Whether an expression of P reads the result. */
bool site_result_of(const struct spec *s);

#endif
