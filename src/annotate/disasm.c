/* SPDX-License-Identifier: BSD-2-Clause */
/* disasm.c - see disasm.h. */
#include "config.h"

#include "annotate/disasm.h"

#include "numa/access_arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct access_arch *const host = ACCESS_HOST;

struct disasm {
	csh cs;
	cs_insn *scratch;
};

int disasm_new(struct disasm **ret, struct err *e)
{
	AUTO(disasm_free) struct disasm *d = NULL;
	int r;

	if (!host)
		return err_set(e, EOPNOTSUPP, "instructions of this architecture are not known");
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_nomem(e, "the disassembler");
	r = access_open(host, host->cs == CS_ARCH_X86 ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_DEFAULT, &d->cs,
			&d->scratch, e);
	if (r)
		return r;
	*ret = take_ptr(d);
	return 0;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	access_close(&d->cs, d->scratch);
	free(d);
}

/* A fixed target is all that stands behind the name of the instruction: "0x1139". */
static bool fixed_target(const char *operands, uint64_t *ret)
{
	char *end;

	if (strncmp(operands, "0x", 2))
		return false;
	errno = 0;
	*ret = strtoull(operands, &end, 16);
	return !errno && !*end;
}

void disasm_next(struct disasm *d, const uint8_t *code, size_t len, uint64_t address, struct disasm_insn *ret)
{
	const cs_insn *in = d->scratch;
	uint64_t at = address;
	bool flow;

	*ret = (struct disasm_insn){ .size = 1 };
	if (!cs_disasm_iter(d->cs, &code, &len, &at, d->scratch)) {
		snprintf(ret->text, sizeof(ret->text), ".byte 0x%02x", code[0]);
		return;
	}
	flow = cs_insn_group(d->cs, in, CS_GRP_CALL) || cs_insn_group(d->cs, in, CS_GRP_JUMP);
	ret->size = (uint8_t)in->size;
	ret->enters = cs_insn_group(d->cs, in, CS_GRP_INT);
	ret->jumps = flow && fixed_target(in->op_str, &ret->target);
	if (in->op_str[0])
		snprintf(ret->text, sizeof(ret->text), "%-7s %s", in->mnemonic, in->op_str);
	else
		snprintf(ret->text, sizeof(ret->text), "%s", in->mnemonic);
}
