// SPDX-License-Identifier: BSD-2-Clause
/*
 * steps.c - what step.c steps through: every kind of prologue and epilogue once, without loops.
 * Built with several sets of flags. Ends by itself.
 */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

struct aligned {
	char bytes[64];
} __attribute__((aligned(64)));

volatile long sink;

NOINLINE long leaf(long a)
{
	return a * 3 + sink;
}

NOINLINE long many_saved(long a, long b, long c, long d)
{
	long e = leaf(a), f = leaf(b), g = leaf(c), h = leaf(d), i = leaf(e + f), j = leaf(g + h);

	return a + b + c + d + e + f + g + h + i + j;
}

NOINLINE long early_return(long a)
{
	if (a < 0)
		return leaf(a);
	return many_saved(a, a + 1, a + 2, a + 3) + leaf(a);
}

NOINLINE long with_alloca(size_t n)
{
	char *p = alloca(n);

	memset(p, 1, n);
	return leaf(p[n / 2]);
}

NOINLINE long realigned(long a, long b, long c, long d, long e, long f, long g, size_t n)
{
	struct aligned x;
	char *p = alloca(n);

	memset(&x, (int)a, sizeof(x));
	memset(p, 2, n);
	return leaf(x.bytes[3] + p[1] + b + c + d + e + f + g);
}

NOINLINE long variadic(int n, ...)
{
	va_list ap;
	long sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, long);
	va_end(ap);
	return leaf(sum);
}

NOINLINE long big_frame(void)
{
	char big[20000];

	memset(big, 3, sizeof(big));
	return leaf(big[sink & 255]);
}

NOINLINE long recurse(int n)
{
	return n ? recurse(n - 1) + leaf(n) : 1;
}

#if defined(__x86_64__)
/*
 * Rows that only an evaluator of expressions can follow. odd_cfa: CFA = rsp + 8 by way of a
 * comparison, a taken branch over a wrong literal, and an addition; bp by DW_CFA_val_expression.
 * odd_register: the return address and rbx in registers.
 */
long odd_cfa(long (*fn)(long), long a);
long odd_register(long (*fn)(long), long a);
__asm__(".text\n.type odd_cfa,@function\nodd_cfa:\n.cfi_startproc\n"
	".cfi_escape 0x0f,11,0x77,8,0x30,0x35,0x35,0x29,0x28,1,0,0x4f,0x22\n"
	".cfi_escape 0x16,6,2,0x76,0\n"
	"nop\nsub $8,%rsp\n"
	/* rsp + 24 - 8 + 0, through swap, dup, drop, rot, shl and pick */
	".cfi_escape 0x0f,18,0x77,24,0x38,0x16,0x16,0x1c,0x12,0x13,0x30,0x33,0x31,0x17,0x24,0x15,1,0x1c,0x22,0x22\n"
	"mov %rdi,%rax\nmov %rsi,%rdi\ncall *%rax\nadd $8,%rsp\n"
	".cfi_def_cfa rsp,8\nret\n.cfi_endproc\n.size odd_cfa,.-odd_cfa\n"
	".type odd_register,@function\nodd_register:\n.cfi_startproc\n"
	"pop %r11\n.cfi_def_cfa_offset 0\n.cfi_register rip,r11\nnop\nmov %rbx,%r10\n.cfi_register rbx,r10\n"
	"mov %r11,%rbx\n.cfi_register rip,rbx\nlea 1(%rsi),%rax\nmov %rbx,%r11\nmov %r10,%rbx\n"
	".cfi_restore rbx\n.cfi_register rip,r11\npush %r11\n.cfi_def_cfa_offset 8\n.cfi_offset rip,-8\nret\n"
	".cfi_endproc\n.size odd_register,.-odd_register\n");
#else
static long odd_cfa(long (*fn)(long), long a) { return fn(a); }
static long odd_register(long (*fn)(long), long a) { return fn(a); }
#endif

static int compare(const void *a, const void *b)
{
	const long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

NOINLINE long through_library(void)
{
	long v[] = { 5, 3, 9, 1 };
	char text[64];

	qsort(v, 4, sizeof(*v), compare);
	snprintf(text, sizeof(text), "%ld %s %5.2f", v[0], "x", 1.5);
	return (long)strlen(text) + v[3];
}

NOINLINE void in_child(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(0);
	sink += pid > 0;
}

int main(void)
{
	sink = early_return(-1) + early_return(4);
	sink += with_alloca(100 + (size_t)(sink & 15));
	sink += realigned(1, 2, 3, 4, 5, 6, 7, 33);
	sink += variadic(3, 1L, 2L, 3L);
	sink += big_frame() + recurse(6) + through_library();
	sink += odd_cfa(leaf, 3) + odd_register(leaf, 4);
	in_child();
	return 0;
}
