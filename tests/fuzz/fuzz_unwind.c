/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_unwind.c - any registers and stack bytes over a real file, this program's own. Input: 17 registers, a byte of flags, the
 * stack. pc is brought into the code, and every eighth word of the stack too, so that walks get further than one frame.
 */
#include "config.h"

#include "base/cleanup.h"
#include "unwind/unwind.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MACHINE 62u              /* x86-64 */
#define NR_REGS 17u
#define BASE 0x400000u
#define JIT 0x10000u             /* a page of anonymous code */
#define SPACE_END (BASE + self_size)
#define STACK_AT 0x7ffe0000u
#define STACK_MAX 65536u

static struct image *self;
static uint64_t self_size;

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	(void)ctx;
	if (pc >= JIT && pc < JIT + 4096) {
		*ret = (struct unwind_map){ .start = JIT, .end = JIT + 4096, .pgoff = JIT, .module = 2, .state = MAP_ANON };
		return true;
	}
	if (pc < BASE || pc >= SPACE_END)
		return false;
	*ret = (struct unwind_map){ .start = BASE, .end = SPACE_END, .module = 1, .state = MAP_READY, .image = self };
	return true;
}

static void open_self(void)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || image_open(fd, &self, NULL) < 0)
		__builtin_trap();
	self_size = (uint64_t)st.st_size;
}

static uint64_t into_code(uint64_t v)
{
	return v % 16 == 0 ? JIT + v / 16 % 4096 : BASE + v % self_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct chain chain;
	static struct unwinder *u;
	static uint64_t stack[STACK_MAX / 8];
	struct unwind_space space = { .find = find, .ctx = NULL };
	struct unwind_input s = { .machine = MACHINE, .nr_regs = NR_REGS, .nr_segments = 1 };
	size_t len, half;
	uint8_t flags;

	if (size < NR_REGS * 8 + 1)
		return 0;
	if (!self) {
		open_self();
		u = unwinder_new();
	}
	memcpy(s.regs, data, NR_REGS * 8);
	flags = data[NR_REGS * 8];
	len = size - NR_REGS * 8 - 1 < STACK_MAX ? size - NR_REGS * 8 - 1 : STACK_MAX;
	memcpy(stack, data + NR_REGS * 8 + 1, len);
	for (size_t i = 0; i < len / 8; i += 8)
		stack[i] = into_code(stack[i]);
	s.regs[16] = into_code(s.regs[16]);
	s.regs[7] = STACK_AT + s.regs[7] % 256;
	s.regs[6] = STACK_AT + s.regs[6] % (len + 1);
	half = flags & 2 ? len / 2 : len;
	s.segment[0] = (struct raw_segment){ .addr = STACK_AT, .len = (uint32_t)half, .unreadable = flags & 1,
					     .bytes = (const uint8_t *)stack };
	if (half < len) {
		s.nr_segments = 2;
		s.segment[1] = (struct raw_segment){ .addr = STACK_AT + 0x100000, .len = (uint32_t)(len - half),
						     .interrupted = true, .bytes = (const uint8_t *)stack + half };
	}
	unwind_sample(u, &space, &s, &chain);
	/* A chain is either complete or says why not, and never longer than its array. */
	if (chain.n > CHAIN_MAX || chain.cut >= CUT_NR)
		__builtin_trap();
	return 0;
}
