// SPDX-License-Identifier: BSD-2-Clause
/* coroutines.c - ten ucontext coroutines on stacks of their own take turns; each works three calls deep. */
#include "workload.h"

#include <ucontext.h>

#define NR 10
#define STACK (64u << 10)

static ucontext_t main_context, context[NR];

NOINLINE void co_inner(int i)
{
	burn(20000);
	swapcontext(&context[i], &context[(i + 1) % NR]);
	sink++;
}

NOINLINE void co_middle(int i)
{
	co_inner(i);
	sink++;
}

static void co_entry(int i)
{
	for (;;)
		co_middle(i);
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	for (int i = 0; i < NR; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = malloc(STACK);
		context[i].uc_stack.ss_size = STACK;
		context[i].uc_link = &main_context;
		makecontext(&context[i], (void (*)(void))co_entry, 1, i);
	}
	ready();
	swapcontext(&main_context, &context[0]);
	return 0;
}
