/* SPDX-License-Identifier: BSD-2-Clause */
/* access_open.c - a disassembler as all who read instructions use it. */
#include "config.h"

#include "numa/access_arch.h"

#include <errno.h>

static cs_err access_open_opened(csh *cs, const struct access_arch *arch, cs_opt_value syntax)
{
	cs_err rc = cs_open(arch->cs, arch->mode, cs);

	if (rc == CS_ERR_OK)
		rc = cs_option(*cs, CS_OPT_DETAIL, CS_OPT_ON);
	if (rc == CS_ERR_OK && syntax != CS_OPT_SYNTAX_DEFAULT)
		rc = cs_option(*cs, CS_OPT_SYNTAX, syntax);
	return rc;
}

int access_open(const struct access_arch *arch, cs_opt_value syntax, csh *cs, cs_insn **scratch, struct err *e)
{
	const cs_err rc = access_open_opened(cs, arch, syntax);

	if (rc != CS_ERR_OK)
		return err_set(e, rc == CS_ERR_MEM ? ENOMEM : EOPNOTSUPP, "cannot open the disassembler: %s",
			       cs_strerror(rc));
	*scratch = cs_malloc(*cs);
	return *scratch ? 0 : err_nomem(e, "the disassembler");
}

void access_close(csh *cs, cs_insn *scratch)
{
	if (scratch)
		cs_free(scratch, 1);
	if (*cs)
		cs_close(cs);
}
