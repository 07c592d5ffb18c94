// SPDX-License-Identifier: BSD-2-Clause
/*
 * steps.c - what step.c steps through: every kind of prologue and epilogue once, without loops. Built with several sets of
 * flags. Ends by itself.
 */
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

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
	in_child();
	return 0;
}
