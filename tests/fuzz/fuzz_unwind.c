/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_unwind.c - any registers and stack bytes over a real file: this program's own, or (flag 4)
 * the one of AArch64 in tests/data/unwind. Input: 17 registers, a byte of flags, the stack. pc is
 * brought into the code, and every eighth word of the stack too, so that walks get further than one
 * frame. AArch64's other registers are those again.
 */
#include "config.h"

#include "base/cleanup.h"
#include "unwind/unwind.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MACHINE 62u              /* x86-64 */
#define NR_REGS 17u
#define BASE 0x400000u
#define JIT 0x10000u             /* a page of anonymous code */
#define SPACE_END (BASE + file->size)
#define OTHER_MACHINE 183u       /* AArch64 */
#define OTHER_REGS 33u
#define OTHER_LINK 30
#define OTHER_MAX (64u << 10)
#define STACK_AT 0x7ffe0000u
#define STACK_MAX 65536u

static struct file {
	struct image *image;     /* NULL = it is not there */
	uint64_t size;
} self, other, *file;            /* FILE: what is mapped now */

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	(void)ctx;
	if (pc >= JIT && pc < JIT + 4096) {
		*ret = (struct unwind_map){ .start = JIT, .end = JIT + 4096, .pgoff = JIT, .module = 2,
					    .state = MAP_ANON };
		return true;
	}
	if (pc < BASE || pc >= SPACE_END)
		return false;
	*ret = (struct unwind_map){ .start = BASE, .end = SPACE_END, .module = file == &self ? 1 : 3,
				    .state = MAP_READY, .image = file->image };
	return true;
}

static uint64_t into_code(uint64_t v)
{
	return v % 16 == 0 ? JIT + v / 16 % 4096 : BASE + v % file->size;
}

static void open_self(void)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || image_open(fd, &self.image, NULL) < 0)
		__builtin_trap();
	self.size = (uint64_t)st.st_size;
}

/* The file of the fixture, which begins with "SBFX" and its size. */
static void open_other(void)
{
	static uint8_t bytes[OTHER_MAX];
	AUTO_FILE FILE *f = NULL;
	char path[4096];
	uint32_t size;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/data/unwind/aarch64-pac.bin",
		 getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "re");
	n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	if (n < 8 || (memcpy(&size, bytes + 4, sizeof(size)), size > n - 8))
		return;
	if (image_from_memory(bytes + 8, size, &other.image, NULL) < 0)
		__builtin_trap();
	other.size = size;
}

/* The registers of S are AArch64's. */
static void be_other(struct unwind_input *s)
{
	uint64_t *regs = s->regs;

	file = &other;
	s->machine = OTHER_MACHINE;
	s->nr_regs = OTHER_REGS;
	for (unsigned int i = NR_REGS; i < OTHER_REGS; i++)
		regs[i] = regs[i - NR_REGS];
	regs[29] = regs[6];
	regs[31] = regs[7];
	regs[32] = into_code(regs[16]);
	if (regs[OTHER_LINK] % 4)
		regs[OTHER_LINK] = into_code(regs[OTHER_LINK]) | regs[OTHER_LINK] << 48;
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
	if (!self.image) {
		open_self();
		open_other();
		u = unwinder_new();
	}
	file = &self;
	memcpy(s.regs, data, NR_REGS * 8);
	flags = data[NR_REGS * 8];
	len = size - NR_REGS * 8 - 1 < STACK_MAX ? size - NR_REGS * 8 - 1 : STACK_MAX;
	memcpy(stack, data + NR_REGS * 8 + 1, len);
	for (size_t i = 0; i < len / 8; i += 8)
		stack[i] = into_code(stack[i]);
	s.regs[16] = into_code(s.regs[16]);
	s.regs[7] = STACK_AT + s.regs[7] % 256;
	s.regs[6] = STACK_AT + s.regs[6] % (len + 1);
	if (flags & 4 && other.image)
		be_other(&s);
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
