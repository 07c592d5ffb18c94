// SPDX-License-Identifier: BSD-2-Clause
/*
 * slots.c - functions whose return address is elsewhere than where the call pushed it, as their
 * call-frame information says: in a slot of its own, or beside the caller's frame pointer. What the
 * call pushed is overwritten meanwhile.
 */
#include "workload.h"

void in_slot(void);
void beside_frame_pointer(void);
void in_pieces(void);

NOINLINE void in_pieces(void)
{
	burn(200000);
}

__asm__(".text\n"
	".globl in_slot\n"
	".type in_slot, @function\n"
	"in_slot:\n"
	"	.cfi_startproc\n"
	"	sub	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov	24(%rsp), %rax\n"
	"	mov	%rax, 8(%rsp)\n"
	"	.cfi_offset rip, -24\n"
	"	movq	$1, 24(%rsp)\n"
	"	call	beside_frame_pointer\n"
	"	mov	8(%rsp), %rax\n"
	"	mov	%rax, 24(%rsp)\n"
	"	.cfi_offset rip, -8\n"
	"	add	$24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size in_slot, . - in_slot\n"
	".globl beside_frame_pointer\n"
	".type beside_frame_pointer, @function\n"
	"beside_frame_pointer:\n"
	"	.cfi_startproc\n"
	"	sub	$40, %rsp\n"
	"	.cfi_adjust_cfa_offset 40\n"
	"	mov	%rbp, 16(%rsp)\n"
	"	.cfi_offset rbp, -32\n"
	"	mov	40(%rsp), %rax\n"
	"	mov	%rax, 24(%rsp)\n"
	"	.cfi_offset rip, -24\n"
	"	movq	$2, 40(%rsp)\n"
	"	mov	$3, %ebp\n"
	"	call	in_pieces\n"
	"	mov	16(%rsp), %rbp\n"
	"	.cfi_restore rbp\n"
	"	mov	24(%rsp), %rax\n"
	"	mov	%rax, 40(%rsp)\n"
	"	.cfi_offset rip, -8\n"
	"	add	$40, %rsp\n"
	"	.cfi_adjust_cfa_offset -40\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size beside_frame_pointer, . - beside_frame_pointer\n");

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		in_slot();
}
