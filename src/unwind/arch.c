// SPDX-License-Identifier: BSD-2-Clause
/* arch.c - the table of the architectures that the unwinder knows. */
#include "config.h"

#include "unwind/arch.h"

#include <dwarf.h>
#include <stddef.h>

const struct unwind_arch *unwind_arch_of(uint32_t machine)
{
	static const struct unwind_arch *const archs[] = { &unwind_x86_64, &unwind_aarch64 };

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (archs[i]->machine == machine)
			return archs[i];
	return NULL;
}

bool arch_fits_i32(uint64_t number)
{
	return (int64_t)number >= INT32_MIN && (int64_t)number <= INT32_MAX;
}

bool arch_cfa_rule(const Dwarf_Op *op, size_t n, unsigned int sp, unsigned int fp, struct rule *r)
{
	if (n != 1 || op->atom != DW_OP_bregx || (op->number != sp && op->number != fp) || !arch_fits_i32(op->number2))
		return false;
	r->kind = op->number == sp ? RULE_SP : RULE_BP;
	r->cfa = (int32_t)op->number2;
	return true;
}

bool arch_sp_is_cfa(Dwarf_Frame *row, int sp)
{
	Dwarf_Op mem[3], *op;
	size_t n;

	return dwarf_frame_register(row, sp, mem, &op, &n) == 0 && op && n == 2 && op[0].atom == DW_OP_call_frame_cfa &&
	       op[1].atom == DW_OP_stack_value;
}
