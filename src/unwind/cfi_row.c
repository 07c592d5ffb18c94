// SPDX-License-Identifier: BSD-2-Clause
/* cfi_row.c - copies what libdw says of each register. */
#include "config.h"

#include "unwind/cfi_row.h"

#include "unwind/arch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct cfi_row) == 8 + 8 * CFI_ROW_PARTS && sizeof(struct cfi_op) == 24, "rows have no gaps");

/* Adds the N operations OP as part PART to R, which has room for all. */
static void cfi_row_add(struct cfi_row *r, unsigned int part, const Dwarf_Op *op, size_t n)
{
	struct cfi_part *p = &r->part[part];

	if (n > CFI_ROW_OPS_MAX - r->nr_ops) {
		p->said = CFI_UNUSABLE;
		return;
	}
	*p = (struct cfi_part){ .said = CFI_COMPUTED, .first = (uint16_t)r->nr_ops, .n = (uint16_t)n };
	for (size_t i = 0; i < n; i++)
		r->op[r->nr_ops++] = (struct cfi_op){ .number = op[i].number, .number2 = op[i].number2,
						      .atom = op[i].atom, .offset = (uint32_t)op[i].offset };
}

static void cfi_row_copy_register(struct cfi_row *r, Dwarf_Frame *row, unsigned int reg)
{
	struct cfi_part *p = &r->part[1 + reg];
	Dwarf_Op mem[3], *op;
	size_t n;

	if (dwarf_frame_register(row, (int)reg, mem, &op, &n) != 0)
		p->said = CFI_UNUSABLE;
	else if (!op)
		p->said = CFI_SAME;
	else if (!n)
		p->said = CFI_UNDEFINED;
	else
		cfi_row_add(r, 1 + reg, op, n);
}

int cfi_row_of(struct image *im, uint64_t offset, struct cfi_row **ret)
{
	const struct machine *mach = machine_of(im->machine);
	AUTO_FREE Dwarf_Frame *row = NULL;
	struct cfi_row *r;
	uint64_t vaddr;
	Dwarf_Op *op;
	size_t n;

	*ret = NULL;
	if (mach && image_vaddr(im, offset, &vaddr))
		row = image_row(im, vaddr);
	if (!row)
		return 0;
	r = calloc(1, cfi_row_bytes(CFI_ROW_OPS_MAX));
	if (!r)
		return -ENOMEM;
	r->part[CFI_ROW_CFA].said = CFI_UNUSABLE;
	if (dwarf_frame_cfa(row, &op, &n) == 0 && n)
		cfi_row_add(r, CFI_ROW_CFA, op, n);
	for (unsigned int i = 0; i < mach->nr_regs; i++)
		cfi_row_copy_register(r, row, i);
	*ret = r;
	return 0;
}

bool cfi_row_check(const struct cfi_row *r, size_t len)
{
	if (len < sizeof(*r) || r->nr_ops > CFI_ROW_OPS_MAX || r->reserved || len != cfi_row_bytes(r->nr_ops))
		return false;
	for (unsigned int i = 0; i < CFI_ROW_PARTS; i++) {
		const struct cfi_part *p = &r->part[i];

		if (p->said >= CFI_SAID_NR || p->reserved || (p->said == CFI_COMPUTED) != (p->n > 0) ||
		    p->first > r->nr_ops || p->n > r->nr_ops - p->first)
			return false;
	}
	for (uint32_t i = 0; i < r->nr_ops; i++)
		if (r->op[i].atom > UINT8_MAX)
			return false;
	return r->part[CFI_ROW_CFA].said >= CFI_COMPUTED;
}
