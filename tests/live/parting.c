/* SPDX-License-Identifier: BSD-2-Clause */
/* parting.c - calls of which it is known by which branch they fail (branches.sh): a line read says: "WHAT N". */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define KEPT __attribute__((noinline, noclone))

static jmp_buf out;
static volatile int sink;

/* Of 100 numbers 10 fail at the first way, 9 at the second, 81 at none. */
KEPT int check(int number, int limit)
{
	int sum = 0;

	if (number % 10 == 7)
		return -22;
	for (int i = 0; i < (number & 3); i++)
		sum += number ^ i;
	if (number / 10 == limit && number % 10 != 7)
		return -12;
	return sum & 0xffff;
}

KEPT int recurse(int depth)
{
	if (depth <= 0)
		return sink & 1;
	return recurse(depth - 1) + depth;
}

/* Each third call is left from within the inner one. */
KEPT int leave(int depth, int number)
{
	if (depth && number % 3 == 0)
		longjmp(out, 1);
	if (!depth)
		sink += leave(1, number);
	return number & 7;
}

KEPT int jumped(int number)
{
	sink += number;
	return number & 1 ? -1 : 1;
}

KEPT int tail(int number)
{
	if (number % 5 == 0)
		return 0;
	return jumped(number);
}

struct asked {
	const char *name;
	struct {
		int code;
		char tag[8];
	} *body;
};

/* Each third one has none, each other one no body. */
KEPT struct asked *answer(struct asked *a, int number)
{
	sink += number;
	return number % 3 ? a : NULL;
}

static void ask(int number)
{
	static __typeof__(*(struct asked){ 0 }.body) body = { -7, "tag\033" };
	static char name[] = "GET /x";
	static struct asked with = { name, &body }, without = { name, NULL };

	sink += answer(number & 1 ? &without : &with, number) != NULL;
}

static void act(const char *what, int n)
{
	for (int i = 0; i < n; i++) {
		if (!strcmp(what, "check"))
			sink += check(i, 4);
		else if (!strcmp(what, "recurse"))
			sink += recurse(5);
		else if (!strcmp(what, "ask"))
			ask(i);
		else if (!strcmp(what, "tail"))
			sink += tail(i);
		else if (!setjmp(out))
			sink += leave(0, i);
	}
}

int main(void)
{
	char what[16];
	int n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (scanf("%15s %d", what, &n) == 2) {
		act(what, n);
		printf("%s %d\n", what, n);
	}
	return 0;
}
