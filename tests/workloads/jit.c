// SPDX-License-Identifier: BSD-2-Clause
/*
 * jit.c - calls into code written at run time that keeps frame pointers and calls back: C, three
 * JIT frames, C: jit [S] [PIECES]
 *
 * Each of the PIECES of memory, 1 if not said, is a mapping of its own with the same code in it.
 * They are called in turn.
 */
#include "workload.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; call *%rsi or the next copy; pop %rbp; ret */
static const unsigned char last[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static const unsigned char outer[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, 0, 0, 0, 0, 0x5d, 0xc3 };
#else
#error "jit: write the code of this architecture"
#endif
#define PAGE 4096
#define OPEN_WAIT_MERGE_MAX 1000
#define AT_OUTER2 64
#define AT_OUTER1 128

NOINLINE void called_by_jit(void)
{
	burn(100000);
	sink++;
}

static void put_call(unsigned char *code, size_t at, size_t target)
{
	int rel = (int)target - (int)(at + 9);

	memcpy(code + at, outer, sizeof(outer));
	memcpy(code + at + 5, &rel, 4);
}

NOINLINE void call_jit(void (*code)(void (*)(void)))
{
	code(called_by_jit);
	sink++;
}

/* A page of code, and one that can not be touched behind it, so that it is not merged with others. */
static void (*make_piece(void))(void (*)(void))
{
	unsigned char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		exit(1);
	memcpy(code, last, sizeof(last));
	put_call(code, AT_OUTER2, 0);
	put_call(code, AT_OUTER1, AT_OUTER2);
	if (mprotect(code, PAGE, PROT_READ | PROT_EXEC) < 0 || mprotect(code + PAGE, PAGE, PROT_NONE) < 0)
		exit(1);
	return (void (*)(void (*)(void)))(void *)(code + AT_OUTER1);
}

int main(int argc, char **argv)
{
	static void (*piece[OPEN_WAIT_MERGE_MAX])(void (*)(void));
	const int n = argc > 2 ? atoi(argv[2]) : 1;

	end_after(argc, argv);
	if (n < 1 || n > OPEN_WAIT_MERGE_MAX)
		return 1;
	for (int i = 0; i < n; i++)
		piece[i] = make_piece();
	ready();
	for (int i = 0;; i = (i + 1) % n)
		call_jit(piece[i]);
}
