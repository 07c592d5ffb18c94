// SPDX-License-Identifier: BSD-2-Clause
/*
 * left.cc - functions of C++ that end in all ways there are, so that return probes would end the program:
 * for each line "WHAT N" of standard input it does WHAT N times, and prints "WHAT N NS", where NS is what
 * its own clock says of slow.
 *
 *	slow      Pool::slow(), which computes for 200 us
 *	throw     Pool::passed(), which calls Pool::throws(): each third call throws through both
 *	catch     Pool::catches(), which catches what each third call of Pool::throws() throws
 *	recurse   Pool::recurse(), 20 deep; each second time the innermost throws through all of them
 *	tail      Pool::tail(), which jumps to Pool::quick() instead of calling it
 *	virtual   Pool::indirect(), which jumps to a virtual function
 *	choose    Pool::choose(), which has a jump table; the results of N calls add up to 3.5 N
 *	rare      Pool::rare(), which each tenth time goes through a part that is elsewhere
 *	leave     Pool::left(), which calls Pool::leaver(), which longjmp()s out of both
 */
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <time.h>

#ifdef __clang__
#define KEPT __attribute__((noinline, used))
#else
#define KEPT __attribute__((noinline, noclone, noipa))
#endif

static volatile unsigned long sink;
static unsigned long slow_ns;
static jmp_buf out;

static unsigned long now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ul + t.tv_nsec;
}

struct Counts {
	~Counts() { sink = sink + 1; }
};

struct Handler {
	virtual unsigned long handle(unsigned long i) = 0;
};

struct First : Handler {
	KEPT unsigned long handle(unsigned long i) override { sink = sink + i; return i; }
};

struct Second : Handler {
	KEPT unsigned long handle(unsigned long i) override { sink = sink - i; return i + 1; }
};

namespace Pool {
KEPT void slow(unsigned long i)
{
	const unsigned long began = now_ns();
	unsigned long now = began;

	while (now < began + 200000) {
		sink = sink + i;
		now = now_ns();
	}
	slow_ns += now - began;
}

KEPT unsigned long throws(unsigned long i)
{
	if (i % 3 == 0)
		throw std::runtime_error("each third");
	return i;
}

KEPT unsigned long passed(unsigned long i)
{
	Counts c;
	const unsigned long got = throws(i);

	sink = sink + got;
	return got + 1;
}

KEPT unsigned long catches(unsigned long i)
{
	try {
		return throws(i);
	} catch (const std::exception &) {
		sink = sink + 1;
	}
	return 0;
}

KEPT void recurse(unsigned long deep, bool bad)
{
	Counts c;

	if (deep > 1)
		recurse(deep - 1, bad);
	else if (bad)
		throw 1;
	sink = sink + deep;
}

KEPT unsigned long quick(unsigned long i)
{
	sink = sink + i;
	return i;
}

KEPT unsigned long tail(unsigned long i)
{
	sink = sink + 1;
	return quick(i + 1);
}

KEPT unsigned long indirect(Handler *h, unsigned long i)
{
	return h->handle(i + 1);
}

KEPT unsigned long choose(unsigned long i)
{
	switch (i) {
	case 0: sink = sink + 3; return 0;
	case 1: sink = sink * 5; return 1;
	case 2: sink = sink - 7; return 2;
	case 3: sink = sink ^ 9; return 3;
	case 4: sink = sink | 1; return 4;
	case 5: sink = sink & 4; return 5;
	case 6: sink = sink / 3; return 6;
	case 7: sink = ~sink; return 7;
	default: return 100;
	}
}

KEPT __attribute__((cold)) void seldom(unsigned long i)
{
	sink = sink + i;
}

KEPT unsigned long rare(unsigned long i)
{
	if (i % 10 == 0) {
		seldom(i);
		sink = sink + 2;
		return sink;
	}
	sink = sink + 1;
	return i;
}

KEPT void leaver(unsigned long i)
{
	sink = sink + i;
	longjmp(out, 1);
}

KEPT void left(unsigned long i)
{
	leaver(i);
	sink = sink + 1;
}
}

static void act(const char *what, unsigned long i)
{
	static First first;
	static Second second;

	if (!strcmp(what, "slow"))
		Pool::slow(i);
	else if (!strcmp(what, "throw"))
		try {
			Pool::passed(i);
		} catch (const std::runtime_error &) {
			sink = sink + 1;
		}
	else if (!strcmp(what, "catch"))
		Pool::catches(i);
	else if (!strcmp(what, "recurse"))
		try {
			Pool::recurse(20, i & 1);
		} catch (int) {
			sink = sink + 1;
		}
	else if (!strcmp(what, "tail"))
		Pool::tail(i);
	else if (!strcmp(what, "virtual"))
		sink = sink + Pool::indirect(i & 1 ? static_cast<Handler *>(&first) : &second, i);
	else if (!strcmp(what, "choose"))
		sink = sink + Pool::choose(i & 7);
	else if (!strcmp(what, "rare"))
		sink = sink + Pool::rare(i);
	else if (!strcmp(what, "leave") && !setjmp(out))
		Pool::left(i);
}

int main()
{
	char line[64], what[16];
	unsigned long n;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%15s %lu", what, &n) == 2) {
		slow_ns = 0;
		for (volatile unsigned long i = 0; i < n; i = i + 1)
			act(what, i);
		printf("%s %lu %lu\n", what, n, slow_ns);
		fflush(stdout);
	}
	return 0;
}
