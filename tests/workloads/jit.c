// SPDX-License-Identifier: BSD-2-Clause
/* jit.c - calls into code written at run time that keeps frame pointers and calls back: C, three JIT frames, C. */
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

int main(int argc, char **argv)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*entry)(void (*)(void));

	end_after(argc, argv);
	if (code == MAP_FAILED)
		return 1;
	memcpy(code, last, sizeof(last));
	put_call(code, AT_OUTER2, 0);
	put_call(code, AT_OUTER1, AT_OUTER2);
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC) < 0)
		return 1;
	entry = (void (*)(void (*)(void)))(void *)(code + AT_OUTER1);
	ready();
	for (;;)
		call_jit(entry);
}
