// SPDX-License-Identifier: BSD-2-Clause
/*
 * program.c - frames of all shapes that compilers give them on AArch64, for record.py to step
 * through, instruction by instruction.
 *
 * It is compiled twice and linked together: with frame pointers, which also has what begins and
 * ends the program, and (OMIT) without. There is no library: what is recorded is this file alone.
 * What the functions compute means nothing; it keeps the compiler from leaving them out.
 */
#define NOINLINE __attribute__((noinline, noclone))

long leaf(long a);
long many_registers(long a);
long link_only(long a);
long omit_deep(long a);
long by_expression(long a);
long send_signal(long pid, long sig);

extern volatile long sink;

#ifdef OMIT

/* Saves the return address alone: the frame pointer stays as it is. */
NOINLINE long link_only(long a)
{
	return leaf(a + 1) * 3;
}

/* Saves more than there are registers for. */
NOINLINE long omit_deep(long a)
{
	volatile long v[12];

	for (int i = 0; i < 2; i++)
		v[i] = leaf(a + i);
	return link_only(v[0]) + v[1];
}

#else

volatile long sink;

#define SIGUSR1 10
#define SA_ONSTACK 0x08000000ul
#define SA_RESTORER 0x04000000ul

struct sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static char other_stack[8192] __attribute__((aligned(16)));

void restorer(void);

static long call(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
		x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

NOINLINE long leaf(long a)
{
	return a * a + sink;
}

NOINLINE long many_registers(long a)
{
	const long b = leaf(a), c = leaf(b), d = leaf(c), e = leaf(d), f = leaf(e), g = leaf(f),
		h = leaf(g), i = leaf(h);

	return leaf(a + b + c + d + e + f + g + h + i) + b * c * d * e * f * g * h * i;
}

/* Has its CFA in the frame pointer. */
NOINLINE static long moving_sp(long n)
{
	volatile char *p = __builtin_alloca((unsigned long)n * 16);

	p[n] = 1;
	return link_only(p[n]);
}

NOINLINE static long through_pointer(long (*volatile fn)(long), long a)
{
	return fn(a) + 1;
}

NOINLINE static long tail(long a)
{
	return many_registers(a + 1);
}

NOINLINE static long recurse(long n)
{
	return n ? recurse(n - 1) + 1 : through_pointer(leaf, n);
}

NOINLINE static long large(long a)
{
	volatile char big[700];

	big[a] = 1;
	return leaf(big[a]);
}

NOINLINE static long in_handler(long a)
{
	return link_only(a) + 1;
}

static void handler(int sig)
{
	sink += in_handler(sig);
}

static void at_signal(unsigned long flags)
{
	const struct sigaction sa = { .handler = handler, .flags = SA_RESTORER | flags, .restorer = restorer };

	call(134, SIGUSR1, (long)&sa, 0, 8);
	sink += send_signal(call(172, 0, 0, 0, 0), SIGUSR1);
}

__attribute__((used)) NOINLINE static long begin(void)
{
	const struct {
		void *sp;
		int flags;
		unsigned long size;
	} ss = { other_stack, 0, sizeof(other_stack) };

	sink += many_registers(2);
	sink += moving_sp(3);
	sink += recurse(2);
	sink += tail(4);
	sink += omit_deep(5);
	sink += large(6);
	sink += by_expression(7);
	at_signal(0);
	call(132, (long)&ss, 0, 0, 0);
	at_signal(SA_ONSTACK);
	call(94, 0, 0, 0, 0);
	return 0;
}

/*
 * The entry has no caller. by_expression() says of its frame what only expressions can say;
 * send_signal() is a leaf that is interrupted; and what a handler returns to has no call-frame
 * information, as the kernel's has none.
 */
__asm__(".text\n"
	".globl _start\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined x30\n"
	"	mov	x29, #0\n"
	"	mov	x30, #0\n"
	"	bl	begin\n"
	"	brk	#1\n"
	"	.cfi_endproc\n"
	".globl by_expression\n"
	"by_expression:\n"
	"	.cfi_startproc\n"
	"	stp	x29, x30, [sp, #-48]!\n"
	/*
	 * DW_CFA_def_cfa_expression: breg31 40; plus_uconst 8. DW_CFA_expression of x30, behind the
	 * CFA: const1u 40; minus
	 */
	"	.cfi_escape 0x0f, 0x04, 0x8f, 0x28, 0x23, 0x08\n"
	"	.cfi_offset x29, -48\n"
	"	.cfi_escape 0x10, 0x1e, 0x03, 0x08, 0x28, 0x1c\n"
	"	str	x19, [sp, #16]\n"
	"	.cfi_offset x19, -32\n"
	"	mov	x19, x0\n"
	"	bl	link_only\n"
	"	ldr	x19, [sp, #16]\n"
	"	.cfi_restore x19\n"
	"	ldp	x29, x30, [sp], #48\n"
	"	.cfi_def_cfa sp, 0\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".globl send_signal\n"
	"send_signal:\n"
	"	.cfi_startproc\n"
	"	mov	x8, #129\n"
	"	svc	#0\n"
	"	nop\n"
	"	nop\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".globl restorer\n"
	"	nop\n"
	"restorer:\n"
	"	mov	x8, #139\n"
	"	svc	#0\n"
	"	nop\n");

#endif
