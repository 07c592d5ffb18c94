/* SPDX-License-Identifier: BSD-2-Clause */
/* owncode_x86_64.c - see owncode.h. */
#include "config.h"

#include "capture/owncode.h"

#ifdef __x86_64__
__asm__(".text\n"
	".hidden owncode_emulated, owncode_emulated_end, owncode_stepped, owncode_stepped_end, owncode_returned\n"
	".globl owncode_emulated, owncode_emulated_end, owncode_stepped, owncode_stepped_end, owncode_returned\n"
	".type owncode_emulated, @function\n.type owncode_stepped, @function\n.type owncode_returned, @function\n"
	"owncode_emulated:\n.cfi_startproc\npush %rbp\n.cfi_adjust_cfa_offset 8\n"
	"owncode_emulated_end:\npop %rbp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
	".size owncode_emulated, .-owncode_emulated\n"
	"owncode_stepped:\n.cfi_startproc\nmov %esp, %eax\n"
	"owncode_stepped_end:\nnop\nret\n.cfi_endproc\n"
	".size owncode_stepped, .-owncode_stepped\n"
	"owncode_returned:\n.cfi_startproc\npush %rbp\n.cfi_adjust_cfa_offset 8\n"
	"pop %rbp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n"
	".size owncode_returned, .-owncode_returned\n");

void owncode_emulated(void);
void owncode_stepped(void);
void owncode_returned(void);
extern const char owncode_emulated_end[], owncode_stepped_end[];

const struct owncode *owncode_here(void)
{
	static const struct owncode code = {
		.emulated = owncode_emulated, .stepped = owncode_stepped, .returned = owncode_returned,
		.emulated_end = owncode_emulated_end, .stepped_end = owncode_stepped_end,
	};

	return &code;
}
#else
const struct owncode *owncode_here(void)
{
	return NULL;
}
#endif
