/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi_row.h - holds one row of call-frame information as plain data: what the complete evaluator (slow.c) needs of it,
 * without libdw, and wherever the row was computed.
 */
#ifndef SBERF_UNWIND_CFI_ROW_H
#define SBERF_UNWIND_CFI_ROW_H

#include "model/machine.h"
#include "unwind/image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CFI_ROW_OPS_MAX 1024u    /* operations of a row at most: those of compilers have some forty */
#define CFI_ROW_CFA 0u           /* the part that is the CFA; behind it is a part per register */
#define CFI_ROW_PARTS (1 + MACHINE_REGS_MAX)

/* What a row says of a register. */
enum cfi_said {
	CFI_SAME,                /* it is what it was, or nothing is said */
	CFI_UNDEFINED,
	CFI_COMPUTED,            /* by operations of DWARF expressions, also where it is only saved */
	CFI_UNUSABLE,
	CFI_SAID_NR
};

struct cfi_op {
	uint64_t number, number2;
	uint32_t atom;           /* DW_OP_* */
	uint32_t offset;         /* in its expression, that branches go by */
};

struct cfi_part {
	uint16_t said;           /* enum cfi_said; of the CFA only the last two */
	uint16_t first, n;       /* of the operations; N 0 unless computed */
	uint16_t reserved;
};

struct cfi_row {
	uint32_t nr_ops, reserved;
	struct cfi_part part[CFI_ROW_PARTS];
	struct cfi_op op[];
};

/*
 * The row of IM, which is no remote image, for the place of its file at OFFSET, to be freed with free(). 0, with NULL
 * where no call-frame information covers that, or -ENOMEM.
 */
int cfi_row_of(struct image *im, uint64_t offset, struct cfi_row **ret);

/* Bytes of a row of NR_OPS operations. */
static inline size_t cfi_row_bytes(uint32_t nr_ops)
{
	return sizeof(struct cfi_row) + nr_ops * sizeof(struct cfi_op);
}

/* Are the LEN bytes at R a row whose parts lie within it? */
bool cfi_row_check(const struct cfi_row *r, size_t len);

#endif
