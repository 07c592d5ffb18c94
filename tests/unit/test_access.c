/* SPDX-License-Identifier: BSD-2-Clause */
/* test_access.c - which address an instruction touches, which instruction tells it, and when there is none. */
#include "config.h"

#include "numa/access.h"

#include "symbol/skim_x86_64.h"
#include "symbol/elffile.h"

#include "cmocka_all.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* DWARF numbers (psABI figure 3.36). */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, NR_REGS };
#define NONE ACCESS_REG_NONE

#define RULE(h, b, i, s, d, n, ...) { .how = ACCESS_##h, .base = b, .index = i, .scale = s, .disp = d, \
				      .size = n, __VA_ARGS__ }
#define LOAD(...) RULE(__VA_ARGS__, .write = false)
#define LOAD32(...) RULE(__VA_ARGS__, .absolute32 = true)
#define STORE(...) RULE(__VA_ARGS__, .write = true)
#define MISSED(m) { .miss = m, .base = NONE, .index = NONE }

#define CODE_MAX 128u

/* Code in hexadecimal, '|' at the place. */
static const struct {
	const char *text, *code;
	struct access_rule rule;
} cases[] = {
	/* Just behind an access: the operand of every shape. */
	{ "mov (%rbx),%rax | add %rcx,%rdx", "488b03|4801ca", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "mov %eax,8(%rbx,%rcx,4) | nop", "89448b08|90", STORE(BEFORE, RBX, RCX, 4, 8, 4) },
	{ "movzbl -1(%r8,%r15),%eax | nop", "430fb64438ff|90", LOAD(BEFORE, R8, R15, 1, -1, 1) },
	{ "mov 0x1234(%rip),%rax | nop", "488b0534120000|90", LOAD(BEFORE, RIP, NONE, 1, 0x1234, 8) },
	{ "incl 16(%r12) | nop", "41ff442410|90", STORE(BEFORE, R12, NONE, 1, 16, 4) },
	{ "mov (%ebx,%ecx,2),%eax | nop", "678b044b|90", LOAD32(BEFORE, RBX, RCX, 2, 0, 4) },
	{ "movabs 0x1122334455667788,%rax | nop",
	  "48a18877665544332211|90", LOAD(BEFORE, NONE, NONE, 1, 0x1122334455667788, 8) },
	{ "mov 0x12345678,%eax | nop", "8b042578563412|90", LOAD(BEFORE, NONE, NONE, 1, 0x12345678, 4) },
	{ "mov -8(,%rdx,8),%rax | nop", "488b04d5f8ffffff|90", LOAD(BEFORE, NONE, RDX, 8, -8, 8) },
	{ "cmp %rax,(%rdi) | nop", "483907|90", LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "lock xadd %rax,(%rdi) | nop", "f0480fc107|90", STORE(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "lock cmpxchg %rcx,(%rdi) | nop", "f0480fb10f|90", STORE(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "push 8(%rdi) | nop", "ff7708|90", LOAD(BEFORE, RDI, NONE, 1, 8, 8) },
	{ "movups %xmm1,(%rdi) | nop", "0f110f|90", STORE(BEFORE, RDI, NONE, 1, 0, 16) },
	{ "movnti %rax,(%rdi) | nop", "480fc307|90", STORE(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "movhps (%rax,%rdx,8),%xmm0 | nop", "0f1604d0|90", LOAD(BEFORE, RAX, RDX, 8, 0, 8) },
	{ "vmovups %ymm1,32(%rdi) | nop", "c5fc114f20|90", STORE(BEFORE, RDI, NONE, 1, 32, 32) },
	{ "vmovaps 0x40(%rax),%zmm1 | nop", "62f17c48284801|90", LOAD(BEFORE, RAX, NONE, 1, 64, 64) },
	{ "vaddps 8(%rax){1to16},%zmm2,%zmm1 | nop", "62f16c58584802|90", LOAD(BEFORE, RAX, NONE, 1, 8, 4) },
	{ "fldl (%rdi) | nop", "dd07|90", LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "xsave (%rdi) | nop", "0fae27|90", STORE(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "mov (%rsp,%rax,8),%rcx | nop", "488b0cc4|90", LOAD(BEFORE, RSP, RAX, 8, 0, 8) },
	{ "mov 8(%rbp),%rcx | nop", "488b4d08|90", LOAD(BEFORE, RBP, NONE, 1, 8, 8) },
	/* VEX and EVEX instructions that capstone 4.0.2 does not know. */
	{ "vmovdqu8 64(%rdi,%rcx,2),%zmm0 | kmovq %k1,%rax",
	  "62f17f486f444f01|c4e1fb93c1", LOAD(BEFORE, RDI, RCX, 2, 64, 64) },
	{ "vpdpbusd 128(%rdi),%zmm1,%zmm0 | nop", "62f27548504702|90", LOAD(BEFORE, RDI, NONE, 1, 128, 0) },
	{ "{evex} vpdpbusd 4(%r9){1to16},%zmm1,%zmm0 | nop", "62d27558504101|90", LOAD(BEFORE, R9, NONE, 1, 4, 0) },
	{ "kmovq %k1,8(%r13) | nop", "c4c1f8914d08|90", STORE(BEFORE, R13, NONE, 1, 8, 0) },
	{ "vaddph 0x1000(%rip),%zmm1,%zmm2 | nop", "62f57448581500100000|90", LOAD(BEFORE, RIP, NONE, 1, 0x1000, 0) },
	{ "vpshldvd 0x100(,%r12,8),%zmm1,%zmm2 | nop", "62b275487114e500010000|90",
	  LOAD(BEFORE, NONE, R12, 8, 0x100, 0) },
	{ "vpshldd $7,0x40(%rsi),%zmm1,%zmm2 | nop", "62f3754871560107|90", LOAD(BEFORE, RSI, NONE, 1, 64, 0) },
	{ "mov (%rbx),%rcx; kmovq %k1,%rax | nop", "488b0bc4e1fb93c1|90", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "mov (%rax),%rcx; kmovq %k1,%rax | nop", "488b08c4e1fb93c1|90", MISSED(MISS_OVERWRITTEN) },
	{ "kmovq %k1,%rax | mov (%rax),%rcx", "c4e1fb93c1|488b08", LOAD(AT, RAX, NONE, 1, 0, 8) },
	{ "| kmovq %k1,%rax; mov (%rax),%rcx; mov (%rbx),%rcx", "|c4e1fb93c1488b08488b0b",
	  LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	/* What names memory and does not wait for it. */
	{ "lea 8(%rbx),%rax | nop", "488d4308|90", MISSED(MISS_NO_ACCESS) },
	{ "nopw 0(%rax,%rax) | nop", "660f1f0400|90", MISSED(MISS_NO_ACCESS) },
	{ "prefetcht0 (%rax) | nop", "0f1808|90", MISSED(MISS_NO_ACCESS) },
	{ "prefetchw (%rax) | nop", "0f0d08|90", MISSED(MISS_NO_ACCESS) },
	{ "clflush (%rax) | nop", "0fae38|90", MISSED(MISS_NO_ACCESS) },
	{ "endbr64 | nop", "f30f1efa|90", MISSED(MISS_NO_ACCESS) },
	{ "push %rax | pop %rbx; leave; ret", "50|5bc9c3", MISSED(MISS_NO_ACCESS) },
	/* No address. */
	{ "mov %fs:0x28,%rax | nop", "64488b042528000000|90", MISSED(MISS_SEGMENT) },
	{ "mov %gs:(%rbx),%rax | nop", "65488b03|90", MISSED(MISS_SEGMENT) },
	{ "vgatherdpd %ymm2,(%rax,%xmm1,8),%ymm0 | mov (%rbx),%rax", "c4e2ed9204c8|488b03", MISSED(MISS_VECTOR) },
	{ "vpgatherdd (%rax,%zmm1,4),%zmm0{%k1} | mov (%rbx),%rax", "62f27d49900488|488b03", MISSED(MISS_VECTOR) },
	{ "vpscatterdd %zmm2,(%rax,%zmm4,4){%k1} | mov (%rbx),%rax", "62f27d49a014a0|488b03", MISSED(MISS_VECTOR) },
	{ "mov (%rax),%rax | nop", "488b00|90", MISSED(MISS_OVERWRITTEN) },
	{ "mov (%rbx,%rax,8),%eax | nop", "8b04c3|90", MISSED(MISS_OVERWRITTEN) },
	{ "pop %rax; ret | nop", "58c3|90", MISSED(MISS_NO_ACCESS) },
	/* Strings: the destination when repeated, the source when not; behind them the registers have gone on. */
	{ "rep movsb | nop", "f3a4|90", STORE(BEFORE, RDI, NONE, 1, -1, 1) },
	{ "| rep movsb; ret", "|f3a4c3", STORE(AT, RDI, NONE, 1, 0, 1) },
	{ "movsq | nop", "48a5|90", LOAD(BEFORE, RSI, NONE, 1, -8, 8) },
	{ "| movsq; ret", "|48a5c3", LOAD(AT, RSI, NONE, 1, 0, 8) },
	{ "rep stosq | nop", "f348ab|90", STORE(BEFORE, RDI, NONE, 1, -8, 8) },
	{ "| rep stosl; ret", "|f3abc3", STORE(AT, RDI, NONE, 1, 0, 4) },
	{ "lodsb | nop", "ac|90", LOAD(BEFORE, RSI, NONE, 1, -1, 1) },
	{ "repne scasb | nop", "f2ae|90", LOAD(BEFORE, RDI, NONE, 1, -1, 1) },
	{ "repe cmpsq | nop", "f348a7|90", LOAD(BEFORE, RSI, NONE, 1, -8, 8) },
	{ "| repe cmpsb; ret", "|f3a6c3", LOAD(AT, RSI, NONE, 1, 0, 1) },
	{ "xor %eax,%eax | rep stosb; mov (%rdx),%rax", "31c0|f3aa488b02", STORE(AT, RDI, NONE, 1, 0, 1) },
	/* At the place, and ahead of it. */
	{ "add %rcx,%rdx | mov (%rbx),%rax", "4801ca|488b03", LOAD(AT, RBX, NONE, 1, 0, 8) },
	{ "add %rcx,%rdx | mov 8(%rip),%rax; ret", "4801ca|488b0508000000c3", LOAD(AT, RIP, NONE, 1, 15, 8) },
	{ "| nop; add %rcx,%rdx; mov (%rbx),%rax", "|904801ca488b03", LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	{ "| nop; mov 8(%rip),%rax", "|90488b0508000000", LOAD(AHEAD, RIP, NONE, 1, 16, 8) },
	{ "| add $8,%rbx; mov (%rbx),%rax; ret", "|4883c308488b03c3", LOAD(AHEAD, RBX, NONE, 1, 8, 8) },
	{ "| dec %rbx; lea 16(%rcx),%rcx; mov (%rbx,%rcx,4),%eax; ret",
	  "|48ffcb488d49108b048bc3", LOAD(AHEAD, RBX, RCX, 4, 63, 4) },
	{ "| add $8,%ebx; mov (%rbx),%rax; mov (%rcx),%rax; ret", "|83c308488b03488b01c3",
	  LOAD(AHEAD, RCX, NONE, 1, 0, 8) },
	{ "| add %rcx,%rbx; mov (%rbx),%rax; ret", "|4801cb488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| lea 8(%rcx),%rbx; mov (%rbx),%rax; ret", "|488d5908488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| sub $8,%rbx; add %rax,%rbx; mov (%rbx),%rax; ret", "|4883eb084801c3488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| xor %ebx,%ebx; mov (%rcx,%rbx),%rax; ret", "|31db488b0419c3", MISSED(MISS_OVERWRITTEN) },
	{ "| mov $1,%bl; mov (%rbx),%rax; ret", "|b301488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| mul %rcx; mov (%rdi,%rdx,8),%rax; ret", "|48f7e1488b04d7c3", MISSED(MISS_OVERWRITTEN) },
	{ "| cmpxchg %rcx,%rdx; mov (%rax),%rcx; ret", "|480fb1ca488b08c3", MISSED(MISS_OVERWRITTEN) },
	{ "| xchg %rbx,%rcx; mov (%rbx),%rax; ret", "|4887d9488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| cpuid; mov (%rbx),%rax; ret", "|0fa2488b03c3", MISSED(MISS_OVERWRITTEN) },
	{ "| mov (%rsp),%rax; mov (%rbx),%rcx", "|488b0424488b0b", LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	{ "| mov %fs:0,%rax; mov (%rbx),%rcx", "|64488b042500000000488b0b", LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	{ "| call *8(%rbx)", "|ff5308", LOAD(AT, RBX, NONE, 1, 8, 8) },
	{ "| nop; jmp *(%rbx,%rcx,8)", "|90ff24cb", LOAD(AHEAD, RBX, RCX, 8, 0, 8) },
	{ "| ret; mov (%rbx),%rax", "|c3488b03", MISSED(MISS_NO_ACCESS) },
	{ "| call .; mov (%rbx),%rax", "|e8fbffffff488b03", MISSED(MISS_NO_ACCESS) },
	{ "| syscall; mov (%rbx),%rax", "|0f05488b03", MISSED(MISS_NO_ACCESS) },
	{ "| ud2; mov (%rbx),%rax", "|0f0b488b03", MISSED(MISS_NO_ACCESS) },
	{ "| jmp *%rax; mov (%rbx),%rax", "|ffe0488b03", MISSED(MISS_NO_ACCESS) },
	{ "| je 1f; nop; 1: mov (%rbx),%rax", "|740190488b03", LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	{ "| jmp 1f; mov (%rcx),%rax; 1: mov (%rbx),%rax", "|eb03488b01488b03", LOAD(AHEAD, RBX, NONE, 1, 0, 8) },
	{ "| jmp .; mov (%rcx),%rax", "|ebfe488b01", MISSED(MISS_NO_ACCESS) },
	{ "| jmp .+4096; mov (%rcx),%rax", "|e9fb0f0000488b01", MISSED(MISS_NO_ACCESS) },
	{ "| jmp .-4096; mov (%rcx),%rax", "|e9fbefffff488b01", MISSED(MISS_NO_ACCESS) },
	/* Loops. A step through a list tells the next step. */
	{ "1: mov (%rax),%rax | sub $1,%rdx; jae 1b; ret", "488b00|4883ea0173f7c3", LOAD(AHEAD, RAX, NONE, 1, 0, 8) },
	{ "1: mov (%rax),%rax; sub $1,%rdx | jae 1b; ret", "488b004883ea01|73f7c3", LOAD(AHEAD, RAX, NONE, 1, 0, 8) },
	{ "1: mov 8(%rax),%rax | mov (%rbx),%rcx; dec %rdx; jne 1b; ret",
	  "488b4008|488b0b48ffca75f4c3", LOAD(AHEAD, RAX, NONE, 1, 8, 8) },
	{ "mov 8(%rax),%rax | mov (%rbx),%rcx; mov 16(%rax),%rdx; ret",
	  "488b4008|488b0b488b5010c3", LOAD(AHEAD, RAX, NONE, 1, 16, 8) },
	{ "mov 8(%rax),%rax | mov (%rbx),%rcx; ret", "488b4008|488b0bc3", MISSED(MISS_OVERWRITTEN) },
	{ "mov 8(%rax),%rax | xor %eax,%eax; mov (%rbx),%rcx; mov (%rax),%rdx; ret",
	  "488b4008|31c0488b0b488b10c3", MISSED(MISS_OVERWRITTEN) },
	{ "1: mov (%rdi,%rax,8),%rax | mov (%rsi,%rax,8),%rax; sub $1,%r8; jae 1b; ret",
	  "488b04c7|488b04c64983e80173f2c3", LOAD(AT, RSI, RAX, 8, 0, 8) },
	{ "1: mov (%rdi,%rax,8),%rax; mov (%rsi,%rax,8),%rax | sub $1,%r8; jae 1b; ret",
	  "488b04c7488b04c6|4983e80173f2c3", LOAD(AHEAD, RDI, RAX, 8, 0, 8) },
	{ "1: add $8,%rcx; mov (%rbx,%rcx),%rax; add %rax,%rdx | cmp %rcx,%rsi; jne 1b; ret",
	  "4883c108488b040b4801c2|4839ce75f0c3", LOAD(BEFORE, RBX, RCX, 1, 0, 8) },
	{ "1: mov (%rbx,%rcx,2),%rax; add $8,%rcx; add %rax,%rdx | cmp %rcx,%rsi; jne 1b; ret",
	  "488b044b4883c1084801c2|4839ce75f0c3", LOAD(BEFORE, RBX, RCX, 2, -16, 8) },
	{ "1: mov 8(%rip),%rax; add %rax,%rdx | cmp %rcx,%rsi; jne 1b; ret",
	  "488b05080000004801c2|4839ce75f1c3", LOAD(BEFORE, RIP, NONE, 1, 5, 8) },
	{ "mov (%rsi),%rcx; 1: | add %rax,%rdx; dec %rdi; jne 1b; ret", "488b0e|4801c248ffcf75f8c3",
	  MISSED(MISS_NO_ACCESS) },
	{ "mov (%rsi),%rcx; 1: | inc %rdx; cmp %rdx,(%rbx); jne 1b; ret",
	  "488b0e|48ffc248391375f8c3", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "mov (%rsi),%rcx; 1: | inc %rdx; mov (%rbx),%rax; jmp 1b",
	  "488b0e|48ffc2488b03ebf8", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "1: cmp %rdx,(%rbx); jne 1b | ret", "48391375fb|c3", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "je 1f; mov (%rbx),%rax; jmp 2f; 1: | nop; 2: ret", "7405488b03eb01|90c3", MISSED(MISS_NO_ACCESS) },
	{ "cmp %rdx,(%rbx); je 1f; ret; nopl 0(%rax); 1: | nop; ret",
	  "4839137404c30f1f00|90c3", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "mov (%rdi),%rax; 1: mov (%rbx),%rcx; jne 2f; mov 8(%rbx),%rcx; 2: | inc %rdx; jne 1b; ret",
	  "488b07488b0b7504488b4b08|48ffc275f2c3", LOAD(BEFORE, RBX, NONE, 1, 8, 8) },
	{ "mov (%rdi),%rax; 1: mov (%rbx),%rcx; jne 2f; inc %rcx; inc %rcx; 2: | inc %rdx; jne 1b; ret",
	  "488b07488b0b750648ffc148ffc1|48ffc275f0c3", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	{ "1: mov (%rdi),%rax; jne 2f; 2: | inc %rdx; mov (%rsi),%rcx; je 2b; jmp 1b",
	  "488b077500|48ffc2488b0e74f8ebf1", LOAD(BEFORE, RSI, NONE, 1, 0, 8) },
	{ "1: mov (%rdi),%rax; nop; 2: | inc %rdx; je 1b; mov (%rsi),%rcx; je 2b; ret",
	  "488b0790|48ffc274f7488b0e74f6c3", LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "1: mov (%rdi),%rax; inc %rbx; 2: | inc %rdx; je 1b; mov (%rsi),%rcx; je 2b; ret",
	  "488b0748ffc3|48ffc274f5488b0e74f6c3", LOAD(AHEAD, RDI, NONE, 1, 0, 8) },
	{ "1: mov (%rdi),%rax; inc %rbx; 2: | inc %rdx; je 1b; mov (%rdi),%rax; je 2b; ret",
	  "488b0748ffc3|48ffc274f5488b0774f6c3", LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "mov (%rdi),%rax; 2: inc %rdx | inc %rcx; jne 2b; ret", "488b0748ffc2|48ffc175f8c3", MISSED(MISS_NO_ACCESS) },
	{ "mov (%rdi),%rax; .rept 7; inc %rdx; .endr | ret",
	  "488b0748ffc248ffc248ffc248ffc248ffc248ffc248ffc2|c3", LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "mov (%rdi),%rax; .rept 8; inc %rdx; .endr | ret",
	  "488b0748ffc248ffc248ffc248ffc248ffc248ffc248ffc248ffc2|c3", MISSED(MISS_NO_ACCESS) },
	{ "cmp %rdx,(%rbx); je 1f; mov (%rcx),%rax; jmp 2f; 1: | nop; 2: ret",
	  "4839137405488b01eb01|90c3", LOAD(BEFORE, RBX, NONE, 1, 0, 8) },
	/* What was not executed before. */
	{ "mov (%rbx),%rax; ret | nop", "488b03c3|90", MISSED(MISS_NO_ACCESS) },
	{ "mov (%rbx),%rax; call . | nop", "488b03e8fbffffff|90", MISSED(MISS_NO_ACCESS) },
	{ "call *(%rbx) | nop", "ff13|90", MISSED(MISS_NO_ACCESS) },
	{ "mov (%rbx),%rax; jmp . | nop", "488b03ebfe|90", MISSED(MISS_NO_ACCESS) },
	{ "jmp *(%rbx) | mov (%rcx),%rax", "ff23|488b01", LOAD(AT, RCX, NONE, 1, 0, 8) },
	/* Variables in the stack frame are none. */
	{ "mov 8(%rsp),%rax | nop", "488b442408|90", MISSED(MISS_NO_ACCESS) },
	{ "mov 8(%rsp),%rax | mov (%rbx),%rcx", "488b442408|488b0b", LOAD(AT, RBX, NONE, 1, 0, 8) },
	{ "mov (%rdi),%rcx; mov %rcx,8(%rsp) | mov (%rbx),%rcx", "488b0f48894c2408|488b0b",
	  LOAD(BEFORE, RDI, NONE, 1, 0, 8) },
	{ "mov -8(%rbp),%rax | mov (%rax),%rcx", "488b45f8|488b08", LOAD(AT, RAX, NONE, 1, 0, 8) },
	{ "nop | mov -8(%rbp),%rax; ret", "90|488b45f8c3", MISSED(MISS_NO_ACCESS) },
	{ "push %rbx | pop %rcx; mov (%rcx),%rax; ret", "53|59488b01c3", MISSED(MISS_OVERWRITTEN) },
	/* Not decoded. */
	{ "| .byte 6", "|06", MISSED(MISS_NOT_DECODED) },
	{ ".byte 6 | mov (%rax),%rbx", "06|488b18", MISSED(MISS_NOT_DECODED) },
	{ ".byte 6; mov (%rax),%rbx | nop", "06488b18|90", MISSED(MISS_NOT_DECODED) },
	{ ".byte 6; .fill 16,1,0x90; mov (%rax),%rbx | nop",
	  "0690909090909090909090909090909090488b18|90", LOAD(BEFORE, RAX, NONE, 1, 0, 8) },
	{ "nop | .byte 0x48", "90|48", MISSED(MISS_NOT_DECODED) },
	{ "movdir64b (%rdi),%rax | mov (%rax),%rbx", "660f38f807|488b18", MISSED(MISS_NOT_DECODED) },
	{ "mov (%rbx),%rcx; movdir64b (%rdi),%rax; nop | ret", "488b0b660f38f80790|c3", MISSED(MISS_NO_ACCESS) },
};

static size_t read_code(const char *hex, uint8_t *code, size_t *ret_at)
{
	size_t n = 0;

	while (*hex) {
		char byte[3] = "";

		if (*hex == '|')
			*ret_at = n;
		if (*hex == '|' || *hex == ' ') {
			hex++;
			continue;
		}
		memcpy(byte, hex, 2);
		hex += 2;
		assert_true(n < CODE_MAX);
		code[n++] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return n;
}

/* In a block of exactly N bytes, so that a sanitizer sees a read behind its end. */
static struct access_rule decode_exact(struct access_decoder *d, const uint8_t *code, size_t n, size_t at)
{
	uint8_t *exact = malloc(n ? n : 1);
	struct access_rule r;

	assert_non_null(exact);
	memcpy(exact, code, n);
	r = access_decode(d, exact, n, at);
	free(exact);
	return r;
}

static int open_decoder(void **state)
{
	struct access_decoder *d;

	if (access_decoder_new(&d, NULL))
		return -1;
	*state = d;
	return 0;
}

static int close_decoder(void **state)
{
	access_decoder_free(*state);
	return 0;
}

static bool same_rule(const struct access_rule *a, const struct access_rule *b)
{
	if (a->how != b->how || a->miss != b->miss || a->base != b->base || a->index != b->index || a->disp != b->disp)
		return false;
	if (!a->how)
		return true;
	return a->scale == b->scale && a->size == b->size && a->write == b->write && a->absolute32 == b->absolute32;
}

static void print_rule(const char *what, const struct access_rule *r)
{
	print_message("%s: how %u miss %s base %u index %u scale %u disp %lld size %u %s%s\n", what, r->how,
		      access_miss_word(r->miss)->name, r->base, r->index, r->scale, (long long)r->disp, r->size,
		      r->write ? "store" : "load", r->absolute32 ? " of 32 bits" : "");
}

static void instructions(void **state)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t code[CODE_MAX];
		size_t at = 0;
		const size_t n = read_code(cases[i].code, code, &at);
		const struct access_rule got = decode_exact(*state, code, n, at);

		if (same_rule(&got, &cases[i].rule))
			continue;
		wrong++;
		print_message("%s\n", cases[i].text);
		print_rule("  got", &got);
		print_rule("  not", &cases[i].rule);
	}
	assert_int_equal(wrong, 0);
}

static bool is_jump(csh cs, const cs_insn *insn)
{
	return cs_insn_group(cs, insn, X86_GRP_BRANCH_RELATIVE) && !cs_insn_group(cs, insn, X86_GRP_CALL);
}

/* Of every instruction of this program, length and jump are what the disassembler says. */
static void steps(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(elf_file_free) struct elf_file *f = NULL;
	unsigned int jumps_seen = 0, seen = 0;
	struct elf_bytes text;
	cs_insn *insn;
	csh cs;

	assert_int_equal(elf_file_open(fd, &f, NULL), 0);
	assert_true(elf_file_bytes(f, elf_file_section(f, ".text"), SIZE_MAX, &text));
	close(fd);
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &cs), CS_ERR_OK);
	cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(cs);
	for (size_t at = 0; at < text.len; at += insn->size, seen++) {
		const uint8_t *p = text.data + at;
		size_t len = text.len - at;
		uint64_t address = 0;
		int32_t target = 0;
		bool jumps;

		assert_true(cs_disasm_iter(cs, &p, &len, &address, insn));
		assert_int_equal(skim_x86_64(text.data + at, text.len - at, &jumps, &target), insn->size);
		assert_int_equal(jumps, is_jump(cs, insn));
		assert_true(!jumps || target == (int32_t)insn->detail->x86.operands[0].imm);
		jumps_seen += jumps;
	}
	assert_true(seen > 1000 && jumps_seen > 100);
	cs_free(insn, 1);
	cs_close(&cs);
	free(text.data);
}

/* What compilers do not make. */
static void odd_steps(void **state)
{
	static const struct {
		const char *code;
		size_t len;
	} odd[] = {
		{ "6648 81c2 01020304", 8 },             /* prefix 66 does not count with REX.W */
		{ "66 81c2 0102", 5 },
		{ "4866 81c2 0102", 6 },                 /* REX does not count before a prefix */
		{ "48 b8 0102030405060708", 10 },
		{ "66 b8 0102", 4 },
		{ "a0 0102030405060708", 9 },
		{ "67a0 01020304", 6 },
		{ "c8 010203", 4 },
		{ "f600 01", 3 }, { "f610", 2 }, { "f700 01020304", 6 }, { "f710", 2 },
		{ "8b0425 01020304", 7 }, { "8b05 01020304", 6 }, { "8b4424 01", 4 }, { "8b84c0 01020304", 7 },
		{ "0f3800c0", 4 }, { "0f3a0fc0 01", 5 }, { "0f0fc0 9e", 4 },
		{ "c5f877", 3 }, { "c5f870c0 01", 5 }, { "c4e27bf0c0", 5 }, { "c4e37bf0c0 01", 6 },
		{ "62f1fe08 6f4701", 7 }, { "62f37d48 25c0 ff", 7 },
		{ "06", 0 }, { "c5", 0 }, { "62f1", 0 }, { "48", 0 }, { "8b", 0 }, { "8b04", 0 }, { "e8 010203", 0 },
		{ "c4e02800c0", 0 },
		{ "66666666 66666666 66666666 66666666 90", 0 },
		{ "66666666 66666666 66666666 6666 90", 15 },
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		uint8_t code[CODE_MAX];
		size_t at;
		const size_t n = read_code(odd[i].code, code, &at);
		int32_t target;
		bool jumps;

		if (skim_x86_64(code, n, &jumps, &target) != odd[i].len)
			fail_msg("%s: not %zu bytes", odd[i].code, odd[i].len);
		assert_false(jumps);
	}
}

/*
 * Every place in every prefix of the code of all cases, in one piece: no crash, and a rule that can
 * be applied or a reason.
 */
static void prefixes(void **state)
{
	uint8_t all[8192];
	size_t n = 0, at;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(n + CODE_MAX <= sizeof(all));
		n += read_code(cases[i].code, all + n, &at);
	}
	for (size_t len = 0; len < n; len += 7) {
		const size_t from = len > 300 ? len - 300 : 0;

		for (at = from; at <= len; at += 3) {
			const struct access_rule r = decode_exact(*state, all + from, len - from, at - from);

			assert_true(r.how <= ACCESS_AHEAD);
			assert_true(!r.how == !!r.miss);
			assert_true(r.base <= RIP || r.base == NONE);
			assert_true(r.index < RIP || r.index == NONE);
		}
	}
}

static struct raw_sample sample(void)
{
	struct raw_sample s = { .user.machine = EM_X86_64, .user.nr_regs = NR_REGS };

	for (unsigned int i = 0; i < NR_REGS; i++)
		s.user.regs[i] = 0x100000000u * (i + 1);
	return s;
}

static uint64_t address(const struct access_rule *r, const struct raw_sample *s)
{
	enum access_miss miss;
	uint64_t addr;

	assert_true(access_address(r, s, &addr, &miss));
	return addr;
}

static enum access_miss why_not(const struct access_rule *r, const struct raw_sample *s)
{
	enum access_miss miss;
	uint64_t addr;

	assert_false(access_address(r, s, &addr, &miss));
	return miss;
}

static void addresses(void **state)
{
	struct access_rule r = { .how = ACCESS_BEFORE, .base = RBX, .index = RCX, .scale = 8, .disp = -16 };
	struct raw_sample s = sample();

	assert_int_equal(address(&r, &s), 0x400000000 + 8 * 0x300000000 - 16);
	r.absolute32 = true;
	assert_int_equal(address(&r, &s), 0xfffffff0);
	r.index = NONE;
	r.absolute32 = false;
	assert_int_equal(address(&r, &s), 0x3fffffff0);
	r.base = RIP;
	r.disp = 7;
	assert_int_equal(address(&r, &s), 0x1100000007);
	r.base = NONE;
	assert_int_equal(address(&r, &s), 7);
}

static void addresses_that_are_none(void **state)
{
	const struct access_rule missed = MISSED(MISS_SEGMENT);
	struct access_rule r = { .how = ACCESS_AT, .base = RBX, .index = NONE, .scale = 1 };
	struct raw_sample s = sample();

	assert_int_equal(why_not(&missed, &s), MISS_SEGMENT);
	s.user.regs[RBX] = 0xffffffff81000000;
	assert_int_equal(why_not(&r, &s), MISS_PAGE);
	s.user.regs[RBX] = 0x0100000000000000;
	assert_int_equal(why_not(&r, &s), MISS_PAGE);
	s.user.regs[RBX] = 0x00007fffffffffff;
	assert_int_equal(address(&r, &s), 0x00007fffffffffff);
	s.user.nr_regs = 0;
	assert_int_equal(why_not(&r, &s), MISS_NO_REGS);
	s = sample();
	s.user.machine = EM_AARCH64;
	assert_int_equal(why_not(&r, &s), MISS_NO_REGS);
	s.in_kernel = true;
	assert_int_equal(why_not(&r, &s), MISS_KERNEL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions),
		cmocka_unit_test(steps),
		cmocka_unit_test(odd_steps),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(addresses),
		cmocka_unit_test(addresses_that_are_none),
	};

	return cmocka_run_group_tests(tests, open_decoder, close_decoder);
}
