/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_image.c - any bytes as an ELF file: it is opened or refused, and every row of it can be asked for.
 */
#include "config.h"

#include "unwind/image.h"
#include "unwind/unwind.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MACHINE 62u              /* x86-64 */
#define BASE 0x10000u
#define WALKS 64u
#define STACK 512u

struct space {
	struct image *image;
	uint64_t size;
};

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	const struct space *s = ctx;

	if (pc < BASE || pc >= BASE + s->size)
		return false;
	*ret = (struct unwind_map){ .start = BASE, .end = BASE + s->size, .module = 1, .state = MAP_READY, .image = s->image };
	return true;
}

/* Walks from places all over the file, on a stack that leads back into it. */
static void walk(struct image *im, uint64_t size)
{
	static struct chain chain;
	AUTO(unwinder_free) struct unwinder *u = unwinder_new();
	struct space at = { im, size };
	struct unwind_space space = { find, &at };
	uint64_t stack[STACK / 8];
	struct raw_sample s = { .machine = MACHINE, .nr_regs = 17, .nr_segments = 1 };

	for (uint64_t i = 0; u && i < WALKS; i++) {
		for (unsigned int k = 0; k < STACK / 8; k++)
			stack[k] = BASE + (i * 7919 + k * 31) % size;
		for (unsigned int k = 0; k < 16; k++)
			s.regs[k] = 0x7000 + 16 * k;
		s.regs[16] = BASE + size * i / WALKS;
		s.segment[0] = (struct raw_segment){ .addr = 0x7000, .len = STACK, .bytes = (const uint8_t *)stack };
		unwind_sample(u, &space, &s, &chain);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t id[BUILD_ID_MAX];
	struct image *im;

	if (size == 0 || image_from_memory(data, size, &im, NULL) < 0)
		return 0;
	image_build_id(im, id);
	walk(im, size);
	image_free(im);
	return 0;
}
