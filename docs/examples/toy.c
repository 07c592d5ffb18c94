/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * toy.c - a runtime that compiles two functions and runs them; what it has compiled is in a list, and in no file.
 * plugin.c knows that list.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct toy_function {
	const struct toy_function *next;
	void *start;
	uint64_t size;
	const char *name;
};

const struct toy_function *toy_functions;

/* push %rbp; mov %rsp,%rbp; mov $10000000,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb9, 0x80, 0x96, 0x98,
				      0,    0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3 };

int main(void)
{
	static struct toy_function function[2] = { { .name = "toy_even" }, { .name = "toy_odd" } };
	unsigned char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2; i++) {
		function[i].start = memcpy(memory + i * 1024, code, sizeof(code));
		function[i].size = sizeof(code);
		function[i].next = toy_functions;
		toy_functions = &function[i];
	}
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	puts("ready");
	fflush(stdout);
	for (int i = 0;; i = !i) {
		void (*run)(void) = (void (*)(void))(uintptr_t)function[i].start;

		run();
	}
}
