/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_ops.h - reads call-frame instructions one by one (DWARF 5, section 6.4.2), for the files
 * that check images.
 */
#ifndef SBERF_UNWIND_IMAGE_OPS_H
#define SBERF_UNWIND_IMAGE_OPS_H

#include "unwind/image_impl.h"

#define OP_EXPR_ALL (1u << 20)           /* bytes of expressions in a section, at most */

/* Where instructions are taken from. */
struct op_bytes {
	const uint8_t *at, *end;
	bool over;               /* something would have been behind the end: libdw stops there, too */
	uint64_t expr;           /* bytes of expressions so far */
};

struct op {
	const uint8_t *at;       /* its first byte */
	uint8_t code;            /* DW_CFA_*; of those that hold an operand in the first byte, without it */
	uint64_t advance;        /* of a DW_CFA_advance_loc, by the code alignment factor */
};

/* What a CIE says of its FDEs. */
struct op_cie {
	Dwarf_Off at;            /* in the section */
	uint64_t code_align;     /* factor of what instructions advance by */
	uint8_t encoding;        /* of addresses, DW_EH_PE_* */
	bool sized;              /* augmentation data of FDEs begins with its size ... */
	size_t skip;             /* ... or is so long */
	size_t copied_at;        /* in what cfi_split.c makes; valid when COPIED */
	bool copied;
};

/*
 * Takes the next instruction from B, whose addresses are encoded as ENCODING. False when it is none
 * that libdw may be let at.
 */
bool op_next(struct op_bytes *b, uint8_t encoding, struct op *ret);

/* Bytes of an address encoded as ENC; 0 = of no fixed size, or not understood. */
size_t op_address_size(uint8_t enc);

#endif
