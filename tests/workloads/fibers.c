// SPDX-License-Identifier: BSD-2-Clause
/*
 * fibers.c - two fibers on stacks of their own take turns, each works or sleeps three calls deep:
 * fibers SECONDS KIND [waits]. KIND says how they are switched: "boost" (Boost.Context, which makes
 * the end of their stacks by hand, without call-frame information; says "none" where there is no
 * such library), "ucontext" (glibc), "made" (a switch as many runtimes write it, whose stacks end
 * with 0), "open" (the same, and above the first function is what was there before).
 */
#include "workload.h"

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

#define STACK (64u << 10)
#define NR 2

typedef struct {
	void *context, *data;
} transfer;
typedef transfer jump_fn(void *to, void *data);
typedef void *make_fn(void *sp, size_t size, void (*fn)(transfer));

static jump_fn *jump;
static void *fiber[NR];
static ucontext_t main_context, context[NR];
static int waits;
void *saved_sp[NR];

/* Keeps what a call keeps, and its stack pointer at *FROM; goes on at TO. */
void swap_stacks(void **from, void *to);
__asm__(".text\n.globl swap_stacks\n.type swap_stacks,@function\nswap_stacks:\n.cfi_startproc\n"
	"	push %rbp\n.cfi_adjust_cfa_offset 8\n	push %rbx\n.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n.cfi_adjust_cfa_offset 8\n	push %r13\n.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n.cfi_adjust_cfa_offset 8\n	push %r15\n.cfi_adjust_cfa_offset 8\n"
	"	mov %rsp,(%rdi)\n	mov %rsi,%rsp\n"
	"	pop %r15\n.cfi_adjust_cfa_offset -8\n	pop %r14\n.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n.cfi_adjust_cfa_offset -8\n	pop %r12\n.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n.cfi_adjust_cfa_offset -8\n	pop %rbp\n.cfi_adjust_cfa_offset -8\n"
	"	ret\n.cfi_endproc\n.size swap_stacks,.-swap_stacks\n");

NOINLINE void fiber_work(void)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };
	static int begun;

	/* Not before the first switch: whoever waits for this looks at a fiber. */
	if (!begun) {
		begun = 1;
		ready();
	}
	if (waits)
		nanosleep(&nap, NULL);
	else
		burn(400000);         /* a switch takes no time beside it: who looks finds the work */
}

NOINLINE void fiber_middle(void)
{
	fiber_work();
	sink++;
}

NOINLINE void boost_entry(transfer from)
{
	const int self = from.data == &fiber[1];

	if (self)
		fiber[0] = from.context;         /* else main()'s, which is not gone on with */
	for (;;) {
		fiber_middle();
		from = jump(fiber[!self], &fiber[!self]);
		fiber[!self] = from.context;
	}
}

NOINLINE void ucontext_entry(int self)
{
	for (;;) {
		fiber_middle();
		swapcontext(&context[self], &context[!self]);
	}
}

static int running;

NOINLINE void made_entry(void)
{
	for (;;) {
		const int self = running;

		fiber_middle();
		running = !self;
		swap_stacks(&saved_sp[self], saved_sp[!self]);
	}
}

static uint8_t *new_stack(int fill)
{
	uint8_t *low = malloc(STACK);

	memset(low, fill, STACK);
	return low;
}

static int start_boost(void)
{
	void *lib = dlopen("libboost_context.so", RTLD_NOW);
	make_fn *make = lib ? (make_fn *)dlsym(lib, "make_fcontext") : NULL;

	jump = lib ? (jump_fn *)dlsym(lib, "jump_fcontext") : NULL;
	if (!make || !jump) {
		puts("none");
		return 1;
	}
	for (int i = 0; i < NR; i++)
		fiber[i] = make(new_stack(0) + STACK, STACK, boost_entry);
	jump(fiber[0], &fiber[0]);
	return 0;
}

static int start_ucontext(void)
{
	for (int i = 0; i < NR; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = new_stack(0);
		context[i].uc_stack.ss_size = STACK;
		context[i].uc_link = &main_context;
		makecontext(&context[i], (void (*)(void))ucontext_entry, 1, i);
	}
	swapcontext(&main_context, &context[0]);
	return 0;
}

/* A stack that swap_stacks() goes on with: six registers, the function, and what that would return to. */
static void *made_stack(int fill)
{
	uint64_t *top = (uint64_t *)(new_stack(fill) + STACK - 64);

	top[0] = (uint64_t)(uintptr_t)made_entry;
	if (!fill)
		top[1] = 0;
	return top - 6;
}

static int start_made(int fill)
{
	void *ours;

	for (int i = 0; i < NR; i++)
		saved_sp[i] = made_stack(fill);
	swap_stacks(&ours, saved_sp[0]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "ucontext";

	end_after(argc, argv);
	waits = argc > 3 && strcmp(argv[3], "waits") == 0;
	if (strcmp(kind, "boost") == 0)
		return start_boost();
	if (strcmp(kind, "ucontext") == 0)
		return start_ucontext();
	return start_made(strcmp(kind, "open") == 0 ? 0x41 : 0);
}
