/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disasm.h - writes the instructions of a piece of code as text, in the syntax of objdump -d (on
 * x86-64 that of AT&T). It is pure; capstone decodes them.
 */
#ifndef SBERF_ANNOTATE_DISASM_H
#define SBERF_ANNOTATE_DISASM_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISASM_TEXT_MAX 256

struct disasm;

struct disasm_insn {
	uint8_t size;            /* bytes; at least 1 */
	bool enters;             /* it goes into the kernel, and comes back behind itself */
	bool jumps;              /* it calls or jumps to TARGET, a fixed address */
	uint64_t target;
	char text[DISASM_TEXT_MAX];
};

/* -EOPNOTSUPP where the architecture is not known. */
int disasm_new(struct disasm **ret, struct err *e);
void disasm_free(struct disasm *d);              /* NULL is fine */

/* The instruction at CODE (LEN > 0 bytes), which stands at ADDRESS. What is none is ".byte", one byte long. */
void disasm_next(struct disasm *d, const uint8_t *code, size_t len, uint64_t address, struct disasm_insn *ret);

DEFINE_AUTO(disasm_free, struct disasm);

#endif
