/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows.h - computes all rules of a stretch of code at once, for the BPF program, which cannot ask
 * for single ones.
 *
 * unwind.h asks for the rule of one place when it reaches that place. The BPF program cannot ask.
 * It gets the rules of a whole page of a file, computed by the same code, as rows; each row holds
 * from its place up to the next one.
 */
#ifndef SBERF_UNWIND_ROWS_H
#define SBERF_UNWIND_ROWS_H

#include "unwind/image.h"
#include "unwind/rules.h"

#include <stddef.h>
#include <stdint.h>

struct rule_row {
	uint32_t at;             /* byte of the page where it begins to hold */
	struct rule rule;
};

/*
 * The rows of IM for the SIZE bytes of its file from OFFSET on, in ascending order and without
 * equal neighbours; the first begins at 0. Where the call-frame information has no row, they tell
 * what else the walk knows, or RULE_NONE where that is not found: never a rule that the walk does
 * not have. At most MAX rows are written to RET; where they do not suffice, the last one is a
 * RULE_NONE up to the end; the same when they take too long, and then of all of IM from there on.
 * SIZE and MAX are at least 1. Returns how many; 0: those of a remote image are not there, and may be asked for later.
 */
size_t rows_of(struct image *im, uint64_t offset, uint32_t size, struct rule_row *ret, size_t max);

#endif
