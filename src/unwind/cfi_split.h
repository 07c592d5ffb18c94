/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfi_split.h - splits functions of many call-frame instructions, so that libdw is quick with them
 * (cfi_split.c says why). Only image_*.c use it.
 */
#ifndef SBERF_UNWIND_CFI_SPLIT_H
#define SBERF_UNWIND_CFI_SPLIT_H

#include "unwind/image_ops.h"

/* What has been found in an .eh_frame so far; begins with the first two and zeros. */
struct cfi_splitter {
	uint64_t addr;           /* virtual address of the section, and of the new one */
	const uint8_t *base;     /* its first byte */
	VEC(uint8_t) out;        /* the entries of the new one */
	range_vec split;         /* functions that are in it */
	uint64_t expr;           /* bytes of expressions that the new one has more often */
};

/* Looks at the FDE IN of C, whose instructions begin at OPS and are fit; out of memory, it stays as it is. */
void cfi_split_fde(struct cfi_splitter *s, struct op_cie *c, const Dwarf_FDE *in, const uint8_t *ops);
/*
 * Gives what was found to IM, a file of ELF type TYPE, and frees the rest. Out of memory, rows come
 * from .eh_frame as ever.
 */
void cfi_splitter_end(struct cfi_splitter *s, struct image *im, uint16_t type);
void cfi_splitter_drop(struct cfi_splitter *s);

#endif
