/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late.c - a program of C that loads a library of C++ while it runs (late_throws.cc): "call N" calls middle() N times,
 * "load FILE" loads the library, and "throw N" has N exceptions pass middle() from below to above it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void call_fn(void);
typedef long run_fn(void (*through)(call_fn *), long n);

static volatile long calls;

static void below(void)
{
	calls++;
}

void middle(call_fn *f);

__attribute__((noinline)) void middle(call_fn *f)
{
	f();
	calls++;
}

int main(void)
{
	run_fn *run = NULL;
	char what[16], arg[4096];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (scanf("%15s %4095s", what, arg) == 2) {
		void *lib = *what == 'l' ? dlopen(arg, RTLD_NOW) : NULL;

		if (lib)
			run = (run_fn *)dlsym(lib, "late_run");
		for (long i = *what == 'c' ? atol(arg) : 0; i > 0; i--)
			middle(below);
		printf("%s %ld\n", what, *what == 't' && run ? run(middle, atol(arg)) : 0);
	}
	return 0;
}
